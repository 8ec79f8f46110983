package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/rowansearch/rowan/store/embedded"
)

// application is what everything that is measured belongs to.
const application = "bench"

// clients is the larger of the two numbers of clients at once.
const clients = 16

// environment is a running service, and its database.
type environment struct {
	api     *api
	db      *pgxpool.Pool
	version string // of PostgreSQL
	busy    string // load of the machine before

	dir      string
	postgres *embedded.Server // nil: a database of somebody else's
	drop     func() error     // removes the database from there
	rowan    *exec.Cmd
	ended    chan struct{}
}

// start starts PostgreSQL and the service. Whatever fails, nothing is left behind.
func start(ctx context.Context, c *command) (_ *environment, err error) {
	e := &environment{busy: load(), drop: func() error { return nil }, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.stop())
		}
	}()
	if e.dir, err = os.MkdirTemp("", "rowan-bench-"); err != nil {
		return nil, err
	}
	if err := os.Chmod(e.dir, 0o755); err != nil { // for root, PostgreSQL runs as another user
		return nil, err
	}
	address := c.DatabaseURL
	if address == "" {
		if e.postgres, err = embedded.Start(ctx, embedded.Options{DataDir: filepath.Join(e.dir, "data")}); err != nil {
			return nil, err
		}
		address = e.postgres.URL()
	} else if address, err = e.createDatabase(ctx, address); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	config.MaxConns = clients + 4
	// Statements are planned with their values, as somebody would who has looked at the plans: a plan for any
	// query is often a poor one for this query.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	if e.db, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	if err := e.db.QueryRow(ctx, "SELECT split_part(current_setting('server_version'), ' ', 1)").Scan(&e.version); err != nil {
		return nil, err
	}
	return e, e.serve(ctx, c.Rowan, address)
}

// createDatabase makes a database beside that of address, and returns its address.
func (e *environment) createDatabase(ctx context.Context, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return "", errors.New("--database-url: write postgres://user:password@host:port/database")
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	name := "rowan_bench_" + strconv.Itoa(os.Getpid())
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8'"); err != nil {
		return "", err
	}
	e.drop = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		conn, err := pgx.Connect(ctx, address)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
		return err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// serve starts the service on a free port and waits until it is well.
func (e *environment) serve(ctx context.Context, program, database string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return err
	}
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(e.dir, "rowan.log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the process has its own
	key := rand.Text()
	// Not under ctx: the service is stopped in order, by stop.
	cmd := exec.Command(program, "serve", "--listen", address, "--log-level", "warn") //nolint:noctx // see above
	cmd.Stdout, cmd.Stderr = log, log
	for _, v := range os.Environ() { // no setting of this shell shall have a say
		if !strings.HasPrefix(v, "ROWAN_") && !strings.HasPrefix(v, "DATABASE_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "DATABASE_URL="+database, "ROWAN_APPLICATION_ID="+application, "ROWAN_ADMIN_KEY="+key)
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w (make build builds the program)", err)
	}
	e.rowan = cmd
	go func() {
		_ = cmd.Wait() // how it ended, its log tells
		close(e.ended)
	}()
	e.api = newAPI("http://"+address, key)
	for begin := time.Now(); ; {
		if e.api.do(ctx, "GET", "/health", nil, nil) == nil {
			return nil
		}
		select {
		case <-e.ended:
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("%s has ended:\n%s", program, bytes.TrimSpace(text))
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Since(begin) > time.Minute {
			return fmt.Errorf("%s does not get ready", program)
		}
	}
}

// stop stops what start has started, and removes every trace.
func (e *environment) stop() error {
	var errs []error
	if e.rowan != nil {
		errs = append(errs, e.rowan.Process.Signal(os.Interrupt))
		select {
		case <-e.ended:
		case <-time.After(40 * time.Second):
			errs = append(errs, e.rowan.Process.Kill())
			<-e.ended
		}
	}
	if e.db != nil {
		e.db.Close()
	}
	errs = append(errs, e.drop())
	if e.postgres != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		errs = append(errs, e.postgres.Stop(ctx))
		if cluster := e.postgres.Cluster(); !strings.HasPrefix(cluster, e.postgres.DataDir()) {
			errs = append(errs, os.RemoveAll(filepath.Dir(cluster))) // a folder of this cluster's own
		}
	}
	if e.dir != "" {
		errs = append(errs, os.RemoveAll(e.dir))
	}
	return errors.Join(errs...)
}

// rss returns the resident memory of the service in bytes, now and at most so far; 0 where the system does not
// tell.
func (e *environment) rss() (now, peak int64) {
	pid := strconv.Itoa(e.rowan.Process.Pid)
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		out, _ := exec.Command("ps", "-o", "rss=", "-p", pid).Output() //nolint:noctx // ends at once
		kb, _ := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		return kb << 10, 0
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kb, _ := strconv.ParseInt(f[1], 10, 64)
		switch f[0] {
		case "VmRSS:":
			now = kb << 10
		case "VmHWM:":
			peak = kb << 10
		}
	}
	return now, peak
}

// load is how busy the machine is: processes that run or want to, on average over the last minute; "" where the
// system does not tell.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	value, _, _ := strings.Cut(string(text), " ")
	return value
}

// machine describes what it runs on.
func machine() string {
	text := fmt.Sprintf("%d cores", runtime.NumCPU())
	info, _ := os.ReadFile("/proc/meminfo")
	if f := strings.Fields(string(info)); len(f) > 1 && f[0] == "MemTotal:" {
		kb, _ := strconv.ParseFloat(f[1], 64)
		text += fmt.Sprintf(", %.0f GiB", kb/(1<<20))
	}
	return text + ", " + runtime.GOOS + "/" + runtime.GOARCH
}
