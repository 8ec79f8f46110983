// Package embedded runs a PostgreSQL server of Rowan's own, so that the service works on a machine where
// nobody has set up a database: it finds the server's programs (or fetches them once), makes a cluster in
// the data folder, starts the server on a free loopback port, and stops it.
//
// It knows nothing of Rowan's schema: what it hands out is an empty database and its URL.
//
// A data folder holds:
//
//	postgresql/       the cluster, or a link to it (see place in owner.go)
//	postgresql.log    what the server logs; the previous one is postgresql.log.1
//	pgpass            the password of the role rowan, in the format of libpq's password file
//	rowan.lock        held by the process that runs the server, and naming it
//
// Linux and macOS are supported.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// role owns the cluster and the database, which has the same name.
const role = "rowan"

// stopGrace is how long a fast shutdown may take before it becomes an immediate one. A fast shutdown
// writes everything that is still in memory, up to 4 GB of shared buffers.
const stopGrace = time.Minute

// Options specify where a server keeps its data and how it is tuned. Only DataDir is required.
type Options struct {
	// DataDir is the data folder. It is made if it is missing, and kept across starts.
	DataDir string
	// Logger receives what takes long or is unusual (a download, a leftover server). Default: none.
	Logger *slog.Logger
	// CacheDir is where downloaded programs are kept. Default: rowan in the user's cache folder, for
	// root /var/cache/rowan (the server runs as another user, who cannot look into root's home).
	CacheDir string
	// Settings override the settings of postgresql.conf that are derived from the machine. With
	// fsync=off the cluster is made without waiting for the disk either.
	Settings map[string]string

	// The following differ from their defaults only in this package's tests.
	systemDirs   func(context.Context) []string // folders that may hold the server's programs
	elsewhere    string                         // parent of clusters that cannot be in the data folder
	distribution *distribution                  // what is downloaded
	registry     string                         // from where
}

// Server is a running PostgreSQL server.
type Server struct {
	programs programs
	dataDir  string
	cluster  string
	port     int
	password string
	lock     *folderLock
	process  *process

	done     chan struct{}
	err      error // set before done is closed
	stopOnce sync.Once
	stopping chan struct{}
}

// Start starts the server of a data folder and waits until it takes connections. The first start makes
// the cluster, which needs about a second (and a download of 23 MB where PostgreSQL is not installed).
// ctx only bounds the start: the server then runs until [Server.Stop], or until this process ends, however it
// ends.
//
// Errors that a caller may want to distinguish: [*InUseError], [*VersionError], [*NotFoundError].
func Start(ctx context.Context, o Options) (*Server, error) {
	s, err := start(ctx, o.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.systemDirs == nil {
		o.systemDirs = systemDirs
	}
	if o.elsewhere == "" {
		o.elsewhere = defaultElsewhere
	}
	if o.distribution == nil {
		o.distribution = pinnedDistribution()
	}
	return o
}

func start(ctx context.Context, o Options) (_ *Server, err error) {
	dataDir, err := openDataDir(o.DataDir)
	if err != nil {
		return nil, err
	}
	lock, err := lockFolder(dataDir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.release()
		}
	}()

	place, err := findPlace(dataDir, o.elsewhere)
	if err != nil {
		return nil, err
	}
	if place.elsewhere {
		o.Logger.Warn("the server's user cannot reach the data folder, so its data is kept elsewhere",
			"data_folder", dataDir, "user", place.owner.name, "cluster", place.cluster)
	}
	c := cluster{dir: place.cluster, dataDir: dataDir, owner: place.owner}
	major, err := c.major()
	if err != nil {
		return nil, err
	}
	c.programs, err = findPrograms(ctx, o, c, major)
	if err != nil {
		return nil, err
	}
	if err := stopLeftover(ctx, c.dir, o.Logger); err != nil {
		return nil, err
	}
	password, err := c.prepare(ctx, major, o.Settings)
	if err != nil {
		return nil, err
	}
	p, port, err := c.run(ctx, password, o.Logger)
	if err != nil {
		return nil, err
	}
	s := &Server{
		programs: c.programs, dataDir: dataDir, cluster: c.dir, port: port, password: password,
		lock: lock, process: p, done: make(chan struct{}), stopping: make(chan struct{}),
	}
	go s.watch()
	return s, nil
}

// watch waits until the server has ended, intended or not, and unlocks the data folder.
func (s *Server) watch() {
	<-s.process.exited
	select {
	case <-s.stopping:
	default:
		s.err = fmt.Errorf("embedded PostgreSQL: the server stopped unexpectedly (%w)%s", s.process.reason(), s.process.log.quote())
	}
	s.lock.release()
	close(s.done)
}

// URL returns the address of the database, usable by pgx, psql and every other libpq program. It contains the
// password: print [Server.PSQL] instead.
func (s *Server) URL() string {
	u := databaseAt(s.port)
	u.User = url.UserPassword(role, s.password)
	return u.String()
}

// PSQL returns the command that a person types to inspect the database. It does not contain the password but the
// name of the file that has it, so it may be printed and logged.
func (s *Server) PSQL() string {
	u := databaseAt(s.port)
	// libpq does not read + as a space.
	file := strings.ReplaceAll(url.QueryEscape(filepath.Join(s.dataDir, passwordFile)), "+", "%20")
	u.RawQuery += "&passfile=" + file
	return shellQuote(s.programs.psql()) + " " + shellQuote(u.String())
}

// DataDir returns the absolute path of the data folder.
func (s *Server) DataDir() string { return s.dataDir }

// Cluster returns the absolute path of the server's data: DataDir/postgresql or, if the server's user cannot reach
// that, the target of that link.
func (s *Server) Cluster() string { return s.cluster }

// LogFile returns the path of the server's log.
func (s *Server) LogFile() string { return filepath.Join(s.dataDir, logFile) }

// Version returns the server's version as PostgreSQL writes it, such as 15.14.
func (s *Server) Version() string { return s.programs.version }

// Done returns a channel that is closed when the server has ended, by [Server.Stop] or by itself.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err returns nil while the server runs and after a stop, and the reason if it ended by itself.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Stop ends the server: its transactions are rolled back, its connections closed, and everything is written to the
// data folder. If that takes longer than ctx or a minute allows, it is cut short; even then nothing committed is
// lost, but the next start takes longer. Stopping twice is harmless.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() { close(s.stopping) })
	if err := s.process.stop(ctx); err != nil {
		return fmt.Errorf("embedded PostgreSQL: stop: %w", err)
	}
	<-s.done
	return nil
}

// openDataDir creates the data folder if it is missing and returns its absolute path with links resolved.
func openDataDir(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("no data folder given")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return "", fmt.Errorf("the data folder %s is a file: move it away or choose another folder", dir)
	}
	// For root, the folder must be open to the user that the server runs as. For anybody else it is private.
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o755
	}
	if _, err := os.Stat(dir); err != nil {
		if target, err := os.Readlink(dir); err == nil {
			return "", fmt.Errorf("the data folder %s is a link to %s, which cannot be reached: is its disk mounted?", dir, target)
		}
		err := os.MkdirAll(dir, mode)
		if err == nil {
			err = os.Chmod(dir, mode) // whatever the umask
		}
		if err != nil {
			return "", fmt.Errorf("cannot create the data folder: %w: choose a folder that you may write to", err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, versionFile)); err == nil {
		return "", fmt.Errorf("the data folder %s is itself the data of a PostgreSQL server: choose an empty folder", dir)
	}
	return filepath.EvalSymlinks(dir)
}

// run starts the server on a free port and waits until the database answers.
func (c *cluster) run(ctx context.Context, password string, logger *slog.Logger) (*process, int, error) {
	// Somebody else may take the port between its choice and its use, and the memory of a killed server stays in use
	// until the last of its backends has noticed: both are temporary.
	const attempts = 100
	for attempt := 1; ; attempt++ {
		port, err := freePort()
		if err != nil {
			return nil, 0, err
		}
		p, err := c.launch(port)
		if err != nil {
			return nil, 0, err
		}
		err = c.waitReady(ctx, p, port, password, logger)
		if err == nil {
			return p, port, nil
		}
		// A server that is not ready yet stops at once. The caller's context may be over, so it is not used.
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		stopErr := p.stop(stopCtx)
		cancel()
		if stopErr != nil {
			return nil, 0, errors.Join(err, stopErr)
		}
		again := p.log.contains("Address already in use", "pre-existing shared memory block")
		if ctx.Err() != nil || !again || attempt == attempts {
			return nil, 0, err
		}
		select {
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// waitReady waits until the server answers, and makes the database if this is its first start.
// Recovery after a crash may take minutes, so only the context and the server's end bound it.
func (c *cluster) waitReady(ctx context.Context, p *process, port int, password string, logger *slog.Logger) error {
	config, err := pgx.ParseConfig(fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/postgres?sslmode=disable&connect_timeout=5", role, password, port))
	if err != nil {
		return err
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	begin, told := time.Now(), time.Now()
	for {
		conn, err := pgx.ConnectConfig(ctx, config)
		if err == nil {
			defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
			return makeDatabase(ctx, conn)
		}
		if isPasswordError(err) {
			return fmt.Errorf("the server does not accept the password in %s: remove that file, and the next start sets a new one", filepath.Join(c.dataDir, passwordFile))
		}
		if time.Since(told) > 5*time.Second {
			told = time.Now()
			logger.Info("waiting for PostgreSQL to recover", "seconds", int(time.Since(begin).Seconds()), "log", p.log.path)
		}
		select {
		case <-p.exited:
			return fmt.Errorf("the server did not start (%w)%s", p.reason(), p.log.quote())
		case <-ctx.Done():
			return fmt.Errorf("the server did not become ready: %w%s", ctx.Err(), p.log.quote())
		case <-tick.C:
		}
	}
}

func makeDatabase(ctx context.Context, conn *pgx.Conn) error {
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", role).Scan(&exists); err != nil {
		return err
	}
	if exists {
		return nil
	}
	_, err := conn.Exec(ctx, "CREATE DATABASE "+role)
	return err
}

// closeQuietly closes a file that was only read, or whose error no longer matters.
func closeQuietly(c io.Closer) { _ = c.Close() }
