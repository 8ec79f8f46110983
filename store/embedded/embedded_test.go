package embedded

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRestartKeepsDataAndPassword(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "a folder", "it's data")
	s := mustStart(t, options(dir))
	query(t, s.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	stop(t, s)
	stop(t, s) // stopping twice is fine
	if err := s.Err(); err != nil {
		t.Errorf("Err after a stop: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.Cluster(), pidFile)); err == nil {
		t.Error("the stop was not clean: postmaster.pid is still there")
	}

	again := mustStart(t, options(dir))
	if got := query(t, again.URL(), "SELECT word FROM kept"); got != "here" {
		t.Errorf("after a restart: %q", got)
	}
	if s.password != again.password {
		t.Error("the restart changed the password")
	}
	if leftovers, _ := filepath.Glob(filepath.Join(again.DataDir(), "*init*")); len(leftovers) > 0 {
		t.Errorf("left behind: %v", leftovers)
	}
	info, err := os.Stat(filepath.Join(again.DataDir(), passwordFile))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode of the password file: %o", got)
	}
}

// What search relies on: letters beyond ASCII, order by code point, and that settings take effect.
func TestDatabase(t *testing.T) {
	t.Parallel()
	o := options(filepath.Join(openDir(t), "data"))
	o.Settings["work_mem"] = "7MB"
	s := mustStart(t, o)
	for _, test := range []struct{ sql, want string }{
		{"SHOW server_encoding", "UTF8"},
		{"SELECT to_tsvector('simple', 'Ærø, ÉCOLE 東京')::text", "'ærø':1 'école':2 '東京':3"},
		{"SELECT string_agg(w, ' ' ORDER BY w) FROM unnest('{a,B,é,z}'::text[]) w", "B a z é"},
		{"SHOW jit", "off"},
		{"SHOW work_mem", "7MB"},
		{"SHOW max_connections", "200"},
		{"SHOW listen_addresses", "127.0.0.1"},
		{"SHOW log_min_error_statement", "panic"},
		{"SELECT current_user::text", role},
		{"SELECT current_database()::text", role},
		{"SELECT count(*)::text FROM pg_file_settings WHERE error IS NOT NULL", "0"},
	} {
		if got := query(t, s.URL(), test.sql); got != test.want {
			t.Errorf("%s = %q, want %q", test.sql, got, test.want)
		}
	}
}

func TestPSQL(t *testing.T) {
	t.Parallel()
	s := mustStart(t, options(filepath.Join(openDir(t), "it's data")))
	if strings.Contains(s.PSQL(), s.password) {
		t.Error("the command shows the password")
	}
	if _, err := exec.LookPath(s.programs.psql()); err != nil {
		t.Log("psql is not installed: the command is not run")
		return
	}
	for _, command := range []string{s.PSQL(), "psql " + shellQuote(s.URL())} {
		out, err := exec.Command("sh", "-c", command+" -XAtc 'SELECT 1'").CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "1" {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}

func TestInUse(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "data")
	s := mustStart(t, options(dir))
	_, err := Start(t.Context(), options(dir))
	var inUse *InUseError
	if !errors.As(err, &inUse) || inUse.PID != os.Getpid() || inUse.DataDir != s.DataDir() {
		t.Fatalf("second start: %v", err)
	}
	if got := query(t, s.URL(), "SELECT 'alive'"); got != "alive" {
		t.Error("the second start harmed the first server")
	}
}

func TestBadDataDir(t *testing.T) {
	t.Parallel()
	root := openDir(t)
	file := filepath.Join(root, "file")
	foreign := filepath.Join(root, "foreign")
	noCluster := filepath.Join(root, "no-cluster")
	locked := filepath.Join(root, "locked")
	for _, err := range []error{
		os.WriteFile(file, nil, 0o644),
		os.MkdirAll(filepath.Join(noCluster, clusterName, "something"), 0o755),
		os.MkdirAll(foreign, 0o755),
		os.WriteFile(filepath.Join(foreign, versionFile), []byte("15\n"), 0o644),
		os.Mkdir(locked, 0o555),
		os.Symlink(filepath.Join(root, "unmounted", "data"), filepath.Join(root, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := newOwnerOf(filepath.Join(noCluster, clusterName)); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, dir, want string }{
		{"empty", "", "no data folder given"},
		{"a file", file, "is a file"},
		{"below a file", filepath.Join(file, "data"), "not a directory"},
		{"a link to nothing", filepath.Join(root, "link"), "is its disk mounted?"},
		{"a cluster of somebody else", foreign, "choose an empty folder"},
		{"something else in the cluster's place", noCluster, "does not contain the data of a PostgreSQL server"},
	}
	if os.Geteuid() != 0 { // root may write everywhere
		tests = append(tests, struct{ name, dir, want string }{"unwritable", locked, "cannot write to the data folder"})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Start(context.Background(), options(test.dir))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// newOwnerOf gives a folder to the user that a new cluster would belong to.
func newOwnerOf(dir string) error {
	o, err := newOwner()
	if err != nil {
		return err
	}
	return o.own(dir)
}

func TestLostPasswordFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "data")
	s := mustStart(t, options(dir))
	query(t, s.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	stop(t, s)
	if err := os.Remove(filepath.Join(s.DataDir(), passwordFile)); err != nil {
		t.Fatal(err)
	}
	again := mustStart(t, options(dir))
	if got := query(t, again.URL(), "SELECT word FROM kept"); got != "here" {
		t.Errorf("got %q", got)
	}
	if s.password == again.password {
		t.Error("the password is the lost one")
	}
}

func TestBadSettingQuotesTheLog(t *testing.T) {
	t.Parallel()
	o := options(filepath.Join(openDir(t), "data"))
	o.Settings["shared_buffers"] = "a lot"
	_, err := Start(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "did not start") || !strings.Contains(err.Error(), "shared_buffers") {
		t.Fatalf("error %v", err)
	}
	// The failure has released the folder.
	mustStart(t, options(o.DataDir))
}

func TestCancelledStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "data")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, options(dir)); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	mustStart(t, options(dir))
}

// A start that is interrupted while initdb works says so, rather than that initdb was killed.
func TestInterruptedProgram(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	c := cluster{owner: currentOwner()}
	if err := c.execute(ctx, "", "/bin/sh", "-c", "echo working; sleep 30"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestPostmasterKilled(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "data")
	s := mustStart(t, options(dir))
	query(t, s.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	if err := s.process.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), "stopped unexpectedly") {
		t.Errorf("Err: %v", err)
	}
	again := mustStart(t, options(dir))
	if got := query(t, again.URL(), "SELECT word FROM kept"); got != "here" {
		t.Errorf("got %q", got)
	}
}

func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "data")
	h := startHelper(t, dir, nil)
	query(t, h.URL, "CREATE TABLE kept AS SELECT 'here' AS word")
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = h.quit()
	// Immediately, while the old server is still running.
	s := mustStart(t, options(dir))
	if got := query(t, s.URL(), "SELECT word FROM kept"); got != "here" {
		t.Errorf("got %q", got)
	}
}

func TestServerEndsWithSupervisor(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	h := startHelper(t, filepath.Join(openDir(t), "data"), nil)
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = h.quit()
	waitGone(t, h.Postmaster)
}

// A server that was started by hand, or has lost its parent, is stopped and does not block the start.
func TestOrphan(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "data")
	s := mustStart(t, options(dir))
	stop(t, s)
	c := cluster{dir: s.cluster, dataDir: s.dataDir, programs: s.programs}
	var err error
	if c.owner, err = ownerOf(c.dir); err != nil {
		t.Fatal(err)
	}
	orphan, _, err := c.run(t.Context(), s.password, options(dir).Logger)
	if err != nil {
		t.Fatal(err)
	}
	mustStart(t, options(dir))
	<-orphan.exited
}

// After a reboot the number in a stale postmaster.pid may be that of any process, even this one.
func TestStalePIDFile(t *testing.T) {
	t.Parallel()
	for _, pid := range []int{os.Getpid(), 1, unusedPID} {
		t.Run(strconv.Itoa(pid), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(openDir(t), "data")
			s := mustStart(t, options(dir))
			stop(t, s)
			path := filepath.Join(s.Cluster(), pidFile)
			text := strings.Join([]string{strconv.Itoa(pid), s.Cluster(), "1700000000", "5432", "", "127.0.0.1", "  1234567         0", "ready", ""}, "\n")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := newOwnerOf(path); err != nil {
				t.Fatal(err)
			}
			mustStart(t, options(dir))
		})
	}
}

func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the other tests run as an ordinary user already")
	}
	parent := openDir(t)
	nobody := credentialOf(t, "nobody")
	if err := os.Chown(parent, int(nobody.Uid), int(nobody.Gid)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "data")
	h := startHelper(t, dir, nobody)
	if h.User != "nobody" {
		t.Fatalf("the helper runs as %s", h.User)
	}
	query(t, h.URL, "CREATE TABLE kept AS SELECT 'here' AS word")
	if err := h.quit(); err != nil {
		t.Fatal(err)
	}
	// Then as root: the server runs as the owner of the data.
	s := mustStart(t, options(dir))
	if got := query(t, s.URL(), "SELECT word FROM kept"); got != "here" {
		t.Errorf("got %q", got)
	}
	if got := processOwner(t, s.process.cmd.Process.Pid); got != nobody.Uid {
		t.Errorf("the server runs as user %d", got)
	}
	stop(t, s)
	// Then as the user again: root has not taken anything away.
	h = startHelper(t, dir, nobody)
	if got := query(t, h.URL, "SELECT word FROM kept"); got != "here" {
		t.Errorf("got %q", got)
	}
}

// Root's home is closed to the server's user; so is this folder.
func TestRootInClosedFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as another user")
	}
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	o := options(filepath.Join(closed, "data"))
	o.elsewhere = filepath.Join(openDir(t), "elsewhere")
	s := mustStart(t, o)
	if !strings.HasPrefix(s.Cluster(), o.elsewhere) {
		t.Fatalf("the cluster is in %s", s.Cluster())
	}
	query(t, s.URL(), "CREATE TABLE kept AS SELECT 'here' AS word")
	stop(t, s)
	again := mustStart(t, o)
	if diff := cmp.Diff(s.Cluster(), again.Cluster()); diff != "" {
		t.Errorf("the restart moved the cluster (-before +after):\n%s", diff)
	}
	if got := query(t, again.URL(), "SELECT word FROM kept"); got != "here" {
		t.Errorf("got %q", got)
	}
	stop(t, again)
	if err := os.RemoveAll(o.elsewhere); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("without the cluster: %v", err)
	}
}

// A strict umask does not close the folder that the cluster is made in instead. This test is not parallel, as all share the umask.
func TestRootWithAStrictUmask(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as another user")
	}
	elsewhere := filepath.Join(openDir(t), "elsewhere")
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	defer syscall.Umask(syscall.Umask(0o077))
	got, err := findPlace(closed, elsewhere)
	if err != nil || !got.elsewhere || !strings.HasPrefix(got.cluster, elsewhere) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A cluster that a person has moved and linked to, such as to another disk, is not said to be out of its user's reach.
func TestMovedCluster(t *testing.T) {
	t.Parallel()
	data, moved := openDir(t), openDir(t)
	if os.Geteuid() == 0 {
		nobody, err := newOwner()
		if err == nil {
			err = nobody.own(moved)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(moved, filepath.Join(data, clusterName)); err != nil {
		t.Fatal(err)
	}
	got, err := findPlace(data, "")
	if err != nil || got.cluster != moved || got.elsewhere {
		t.Errorf("%+v, %v", got, err)
	}
}

func processOwner(t *testing.T, pid int) uint32 {
	t.Helper()
	info, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid)))
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Uid
}
