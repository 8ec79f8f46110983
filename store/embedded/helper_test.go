package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// helperEnv makes the test binary run a server in the data folder that it names, until its standard input ends.
const helperEnv = "ROWAN_TEST_EMBEDDED_DATA_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperEnv); dir != "" {
		os.Exit(helperMain(dir))
	}
	os.Exit(m.Run())
}

// helperState is what the helper process prints when its server is up.
type helperState struct {
	URL        string
	Postmaster int
	User       string
}

func helperMain(dir string) int {
	s, err := Start(context.Background(), Options{DataDir: dir, Settings: fastSettings()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	text, err := json.Marshal(helperState{URL: s.URL(), Postmaster: s.process.cmd.Process.Pid, User: userName(uint32(os.Geteuid()))})
	if err != nil {
		return 1
	}
	fmt.Println(string(text))
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	if err := s.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// helper is a separate process that runs a server.
type helper struct {
	helperState
	cmd  *exec.Cmd
	quit func() error // closes its standard input and waits for its end
}

func startHelper(t *testing.T, dir string, as *syscall.Credential) *helper {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if as != nil {
		// The go command puts the test binary where only its own user can read it.
		binary = copyExecutable(t, binary)
	}
	cmd := exec.Command(binary)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), helperEnv+"="+dir)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &helper{cmd: cmd, quit: func() error {
		_ = stdin.Close()
		return cmd.Wait()
	}}
	t.Cleanup(func() { _ = h.quit() }) // a second time does no harm
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the helper did not start: %v", err)
	}
	if err := json.Unmarshal([]byte(line), &h.helperState); err != nil {
		t.Fatal(err)
	}
	return h
}

func copyExecutable(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(openDir(t), "helper")
	if err := writeExecutable(target, text); err != nil {
		t.Fatal(err)
	}
	return target
}

// writeExecutable prevents other tests from forking while the file is open for writing, which would keep it from being executed.
func writeExecutable(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755)
}

func fastSettings() map[string]string {
	return map[string]string{"fsync": "off", "shared_buffers": "32MB"}
}

// openDir returns a temporary folder that every user may enter, unlike [testing.T.TempDir].
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rowan-embedded-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func options(dir string) Options {
	return Options{DataDir: dir, Settings: fastSettings(), Logger: slog.New(slog.DiscardHandler)}
}

func mustStart(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// query runs statements that return no rows, or one row with one text.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.Join(texts, "\n")
}

func waitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); alive(pid) && !isZombie(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// isZombie reports whether a process has ended but was not collected, which can happen where the tests' first process does not collect orphans.
func isZombie(pid int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(text), ") Z ")
}

func credentialOf(t *testing.T, name string) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
