//go:build long

package storetest

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/embedded"
)

// Cluster is a PostgreSQL server that a test may stop, kill, start again on the same port, and copy to a standby.
type Cluster struct {
	t       testing.TB
	dir     string // of the cluster
	bin     string
	port    string
	base    url.URL
	options []string

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{}
}

// NewCluster starts a server with an empty database. Its data survives kill -9, but not a crash of the machine.
func NewCluster(t testing.TB, options map[string]string) *Cluster {
	t.Helper()
	dir := NewFolder(t)
	if err := os.Chmod(dir, 0o711); err != nil { // for root, the server runs as another user
		t.Fatal(err)
	}
	all := maps.Clone(settings)
	maps.Copy(all, options)
	server, err := embedded.Start(context.Background(), embedded.Options{DataDir: dir, Settings: all})
	if err != nil {
		t.Fatal(err)
	}
	// From here on the server is run by the test: package embedded would start it on another port.
	opts, err := os.ReadFile(filepath.Join(server.Cluster(), "postmaster.opts"))
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, dir: server.Cluster(), bin: filepath.Dir(strings.Fields(string(opts))[0]), port: freePort(t), base: *base}
	c.base.Host = "127.0.0.1:" + c.port
	if err := watch(c.dir, dir); err != nil {
		t.Fatal(err)
	}
	c.Start()
	t.Cleanup(c.Kill)
	return c
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// URL returns the address of the database.
func (c *Cluster) URL() string { return c.base.String() }

// Address returns the server's host and port.
func (c *Cluster) Address() string { return c.base.Host }

// URLAt returns the address of the database through another host and port, or of another database, if given.
func (c *Cluster) URLAt(address, database string) string {
	u := c.base
	if address != "" {
		u.Host = address
	}
	if database != "" {
		u.Path = "/" + database
	}
	return u.String()
}

// Program returns a command for one of PostgreSQL's programs, run as the server's user. It skips the test if the installation lacks the program.
func (c *Cluster) Program(name string, args ...string) *exec.Cmd {
	c.t.Helper()
	path := filepath.Join(c.bin, name)
	if _, err := os.Stat(path); err != nil {
		c.t.Skipf("this PostgreSQL comes without %s", name)
	}
	return c.command(path, args...)
}

func (c *Cluster) command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	info, err := os.Stat(c.dir)
	if err != nil {
		c.t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); int(owner.Uid) != os.Geteuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	}
	return cmd
}

// Start starts the server and waits until it accepts connections.
func (c *Cluster) Start() {
	c.t.Helper()
	if err := c.start(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *Cluster) start() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	deadline := time.Now().Add(time.Minute)
	for {
		log, err := os.OpenFile(c.dir+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		c.cmd = c.command(filepath.Join(c.bin, "postgres"), append([]string{"-D", c.dir, "-p", c.port,
			"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="}, c.options...)...)
		c.cmd.Stderr = log
		c.exited = make(chan struct{})
		if err := c.cmd.Start(); err != nil {
			return err
		}
		cmd, exited := c.cmd, c.exited
		go func() {
			_ = cmd.Wait()
			_ = log.Close()
			close(exited)
		}()
		for ended := false; !ended; {
			conn, err := pgx.Connect(context.Background(), c.URL())
			if err == nil {
				return conn.Close(context.Background())
			}
			if time.Now().After(deadline) {
				text, _ := os.ReadFile(c.dir + ".log")
				return fmt.Errorf("the server does not start: %w\n%s", err, text[max(0, len(text)-2000):])
			}
			select {
			case <-exited: // a killed server's memory stays in use until its last process has noticed
				ended = true
			case <-time.After(50 * time.Millisecond):
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// Stop ends the server with a fast shutdown, which notifies its sessions.
func (c *Cluster) Stop() { c.signal(syscall.SIGINT) }

// Kill kills the server's first process; its other processes end when they notice.
func (c *Cluster) Kill() { c.signal(syscall.SIGKILL) }

// Crash kills one session, whereupon the server ends all others and recovers from its log; it waits until recovery is complete.
func (c *Cluster) Crash() {
	c.t.Helper()
	ctx := context.Background()
	var sessions [2]*pgx.Conn
	for i := range sessions {
		var err error
		if sessions[i], err = pgx.Connect(ctx, c.URL()); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := syscall.Kill(int(sessions[0].PgConn().PID()), syscall.SIGKILL); err != nil {
		c.t.Fatal(err)
	}
	for sessions[1].Ping(ctx) == nil { // the server accepts connections until it has noticed
		time.Sleep(time.Millisecond)
	}
	for {
		conn, err := pgx.Connect(ctx, c.URL())
		if err == nil {
			_ = conn.Close(ctx)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (c *Cluster) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.cmd.Process.Signal(sig)
	<-c.exited
}

// Standby creates a streaming standby of the server, which must be running.
func (c *Cluster) Standby() *Cluster {
	c.t.Helper()
	dir := filepath.Join(c.Scratch(), "standby")
	out, err := c.Program("pg_basebackup", "--dbname="+c.URLAt("", "postgres"), "--pgdata="+dir, "--wal-method=stream", "--write-recovery-conf", "--checkpoint=fast", "--no-sync").CombinedOutput()
	if err != nil {
		c.t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	return c.At(dir)
}

// At starts a separate server on a copy of the cluster.
func (c *Cluster) At(dir string) *Cluster {
	c.t.Helper()
	s := &Cluster{t: c.t, dir: dir, bin: c.bin, port: freePort(c.t), base: c.base}
	s.base.Host = "127.0.0.1:" + s.port
	if err := watch(dir, filepath.Dir(dir)); err != nil {
		c.t.Fatal(err)
	}
	s.Start()
	c.t.Cleanup(s.Kill)
	return s
}

// Scratch returns a new folder that the server's user may write to.
func (c *Cluster) Scratch() string {
	c.t.Helper()
	dir := NewFolder(c.t)
	c.Own(dir)
	return dir
}

// NewFolder creates a folder that is removed at the end of the test.
func NewFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", dirPrefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Own makes the server's user the owner of a file or folder.
func (c *Cluster) Own(path string) {
	c.t.Helper()
	info, err := os.Stat(c.dir)
	if err != nil {
		c.t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
		c.t.Fatal(err)
	}
}

// Exec runs a statement as the superuser.
func (c *Cluster) Exec(sql string, args ...any) {
	c.t.Helper()
	conn, err := pgx.Connect(context.Background(), c.URL())
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(context.Background(), sql, args...); err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
}

// Query reads one row as the superuser.
func (c *Cluster) Query(sql string, into ...any) {
	c.t.Helper()
	conn, err := pgx.Connect(context.Background(), c.URL())
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if err := conn.QueryRow(context.Background(), sql).Scan(into...); err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
}
