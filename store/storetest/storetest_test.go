package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// childEnv makes the test binary create a database as a test would, print its address, and wait for the end of its standard input.
const childEnv = "ROWAN_TEST_STORETEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(childMain())
	}
	os.Exit(m.Run())
}

func childMain() int {
	ctx := context.Background()
	s, err := theServer()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	name := databaseName(time.Now())
	if err := s.cloneTemplate(ctx, name); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(s.urlOf(name))
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	if err := s.drop(ctx, name); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

type child struct {
	cmd  *exec.Cmd
	url  string
	quit func() error
}

func startChild(t *testing.T, env ...string) *child {
	t.Helper()
	c, err := newChild(t, env...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newChild may be called on any goroutine, unlike startChild.
func newChild(t *testing.T, env ...string) (*child, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary)
	cmd.Env = append(append(os.Environ(), childEnv+"=1"), env...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, quit: func() error {
		_ = stdin.Close()
		return cmd.Wait()
	}}
	t.Cleanup(func() { _ = c.quit() }) // a second time does no harm
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the child did not start: %w", err)
	}
	c.url = strings.TrimSpace(line)
	return c, nil
}

func TestNewIsMigratedAndOnesOwn(t *testing.T) {
	t.Parallel()
	a, b := New(t), New(t)
	var migrated bool
	if err := a.Pool.QueryRow(t.Context(), "SELECT to_regclass('rowan.applications') IS NOT NULL").Scan(&migrated); err != nil {
		t.Fatal(err)
	}
	if !migrated {
		t.Error("the migrations have not been applied")
	}
	if _, err := a.Pool.Exec(t.Context(), "CREATE TABLE mine ()"); err != nil {
		t.Fatal(err)
	}
	var shared bool
	if err := b.Pool.QueryRow(t.Context(), "SELECT to_regclass('mine') IS NOT NULL").Scan(&shared); err != nil {
		t.Fatal(err)
	}
	if shared {
		t.Error("two tests share a database")
	}
	conn, err := pgx.Connect(t.Context(), a.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var same bool
	if err := conn.QueryRow(t.Context(), "SELECT to_regclass('mine') IS NOT NULL").Scan(&same); err != nil {
		t.Fatal(err)
	}
	if !same {
		t.Error("URL and Pool lead to different databases")
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	var n int
	err := Empty(t).Pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|public$)'").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	if n != 0 {
		t.Errorf("it has %d schemas", n)
	}
}

func databases(t *testing.T, s *server) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := s.admin(t.Context(), func(conn *pgx.Conn) error {
		rows, err := conn.Query(t.Context(), "SELECT datname FROM pg_database")
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, name := range names {
			all[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	s, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	var name string
	t.Run("inner", func(t *testing.T) {
		db := New(t)
		name = db.Pool.Config().ConnConfig.Database
		// A connection that the test leaves open does not keep the database from being dropped.
		if _, err := pgx.Connect(context.Background(), db.URL); err != nil {
			t.Fatal(err)
		}
		if !databases(t, s)[name] {
			t.Errorf("there is no database %s", name)
		}
	})
	if databases(t, s)[name] {
		t.Errorf("the database %s is still there", name)
	}
}

// Two processes on one server, as when packages are tested, and a server with an old template.
func TestSharedServer(t *testing.T) {
	t.Parallel()
	s, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	// Not on a server that others use: their templates would be dropped.
	own := os.Getenv("TEST_DATABASE_URL") == ""
	if own {
		New(t) // otherwise a concurrent test may create the template between the next steps
		if err := s.createEmpty(t.Context(), templatePrefix+"old"); err != nil {
			t.Fatal(err)
		}
		template, err := templateName()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.drop(t.Context(), template); err != nil {
			t.Fatal(err)
		}
	}
	var wait sync.WaitGroup
	children, errs := make([]*child, 3), make([]error, 3)
	for i := range children {
		wait.Go(func() { children[i], errs[i] = newChild(t, "TEST_DATABASE_URL="+s.base.String()) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	urls := map[string]bool{}
	for _, c := range children {
		urls[c.url] = true
		if err := c.quit(); err != nil {
			t.Error(err)
		}
	}
	if len(urls) != len(children) {
		t.Errorf("%d children have %d databases", len(children), len(urls))
	}
	templates := 0
	for name := range databases(t, s) {
		if strings.HasPrefix(name, templatePrefix) {
			templates++
		}
	}
	if own && templates != 1 {
		t.Errorf("the server has %d templates", templates)
	}
	New(t) // what this process knows about the template is out of date
}

func TestSweep(t *testing.T) {
	t.Parallel()
	s, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	// A time of its own, so that no database of another test counts as old.
	now := time.Now()
	old, fresh := databaseName(now.Add(-2*time.Hour)), databaseName(now.Add(-time.Minute))
	for _, name := range []string{old, fresh} {
		if err := s.createEmpty(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = s.drop(context.Background(), fresh) })
	if err := s.sweep(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	all := databases(t, s)
	if all[old] || !all[fresh] {
		t.Errorf("old one there: %t, fresh one there: %t", all[old], all[fresh])
	}
}

// However a test process ends, its server and data are removed.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*child) error{
		"by itself": func(c *child) error { return c.quit() },
		"killed":    func(c *child) error { return c.cmd.Process.Kill() },
		"Ctrl-C":    func(c *child) error { return c.cmd.Process.Signal(syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temporary := t.TempDir()
			for dir := temporary; dir != os.TempDir() && len(dir) > 1; dir = filepath.Dir(dir) {
				// Root's server runs as another user, who must be able to enter.
				if err := os.Chmod(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			// Without an engine, so that the embedded server is used.
			c := startChild(t, "TEST_DATABASE_URL=", "DOCKER_HOST=tcp://127.0.0.1:1", "TMPDIR="+temporary)
			if err := end(c); err != nil {
				t.Fatal(err)
			}
			_ = c.cmd.Wait()
			deadline := time.Now().Add(time.Minute)
			for {
				left, err := os.ReadDir(temporary)
				if err != nil {
					t.Fatal(err)
				}
				if len(left) == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("left behind: %v", left)
				}
				time.Sleep(20 * time.Millisecond)
			}
			if conn, err := pgx.Connect(t.Context(), c.url); err == nil {
				_ = conn.Close(context.Background())
				t.Error("the server is still there")
			}
		})
	}
}

func TestBadServer(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"host=localhost":                      "not of the form postgres://",
		"postgres://u:secret@127.0.0.1:1/db":  "connect",
		"mysql://u:secret@127.0.0.1:3306/db":  "not of the form postgres://",
		"postgres://u:secret@127.0.0.1:x/db":  "not of the form postgres://",
		"postgres://u:secret@127.0.0.1:1/?a=": "connect",
	} {
		_, err := connectServer(t.Context(), "the server", address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want one with %q and no password", address, err, want)
		}
	}
}

func TestCreatedAt(t *testing.T) {
	t.Parallel()
	now := time.Unix(1700000000, 0)
	if got, ok := createdAt(databaseName(now)); !ok || !got.Equal(now) {
		t.Errorf("createdAt = %v, %t", got, ok)
	}
	for _, name := range []string{"rowan", "rowan_test_", "rowan_test_x_y", "rowan_test_1700000000", "rowan_template_1_2"} {
		if got, ok := createdAt(name); ok {
			t.Errorf("createdAt(%q) = %v", name, got)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	if err := within(time.Minute, func() error { return nil }); err != nil {
		t.Error(err)
	}
	if err := within(time.Millisecond, func() error { select {} }); err == nil {
		t.Error("it waited for what never ends, or did not tell")
	}
}

func TestSweepDirs(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	now := time.Now()
	held, err := os.Create(filepath.Join(mkdir(t, parent, dirPrefix+"held"), "rowan.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dirPrefix + "old", "other"} {
		mkdir(t, parent, name)
	}
	for _, name := range []string{dirPrefix + "held", dirPrefix + "old", "other"} {
		if err := os.Chtimes(filepath.Join(parent, name), time.Time{}, now.Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	mkdir(t, parent, dirPrefix+"young")
	sweepDirs(parent, now)
	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"other", dirPrefix + "held", dirPrefix + "young"}, left); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func mkdir(t *testing.T, parent, name string) string {
	t.Helper()
	dir := filepath.Join(parent, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
