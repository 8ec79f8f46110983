package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a running postmaster, PostgreSQL's name for its first process.
type process struct {
	cmd    *exec.Cmd
	log    serverLog
	err    error // of the process; set before exited is closed
	exited chan struct{}
}

// launch starts the postmaster on a port of the loopback interface. It returns before it accepts connections.
func (c *cluster) launch(port int) (*process, error) {
	file, log, err := openLog(c.dataDir)
	if err != nil {
		return nil, err
	}
	defer closeQuietly(file)
	// The command line has the settings that must hold whatever postgresql.conf says.
	cmd := exec.Command(c.programs.postgres(), "-D", c.dir, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "logging_collector=off", "-c", "log_destination=stderr", "-c", "ssl=off")
	cmd.Dir = c.dir
	cmd.Env = environment()
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: c.owner.credential(),
		// A group of its own: Ctrl-C in a terminal reaches every process of the foreground group, and the server has to
		// outlive its users.
		Setpgid: true,
	}
	endWithParent(cmd.SysProcAttr)

	p := &process{cmd: cmd, log: log, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel sends the signal of endWithParent when the *thread* that started the server ends. This goroutine
		// keeps that thread for as long as the server runs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		if errors.Is(err, syscall.EPERM) && c.owner.switched {
			err = fmt.Errorf("%w: this process may not become the user %s: start as an ordinary user", err, c.owner.name)
		}
		return nil, err
	}
	return p, nil
}

// reason returns how the process ended. It must have ended.
func (p *process) reason() error {
	if p.err != nil {
		return p.err
	}
	return errors.New("exit status 0")
}

// stop ends the server with a fast shutdown; when ctx or the grace period is over, with one that leaves recovery
// to the next start; finally by force.
func (p *process) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	fast, immediate := os.Signal(syscall.SIGINT), os.Signal(syscall.SIGQUIT)
	for _, signal := range []os.Signal{fast, immediate, os.Kill} {
		select {
		case <-p.exited:
			return nil
		default:
		}
		if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		select {
		case <-p.exited:
			return nil
		case <-ctx.Done():
		}
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
	}
	<-p.exited // nothing survives a kill
	return nil
}

// freePort returns a port that nobody listens on at the moment.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

const (
	logFile    = "postgresql.log"
	maxLogFile = 16 << 20 // bytes; a log that is larger at a start is moved aside
)

// serverLog is the part of the log file written since one start.
type serverLog struct {
	path  string
	begin int64
}

func openLog(dataDir string) (*os.File, serverLog, error) {
	path := filepath.Join(dataDir, logFile)
	if info, err := os.Stat(path); err == nil && info.Size() > maxLogFile {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, serverLog{}, err
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, serverLog{}, err
	}
	info, err := file.Stat()
	if err != nil {
		closeQuietly(file)
		return nil, serverLog{}, err
	}
	return file, serverLog{path: path, begin: info.Size()}, nil
}

// tail returns the end of what was written since the start, at most 16 KB.
func (l serverLog) tail() string {
	file, err := os.Open(l.path)
	if err != nil {
		return ""
	}
	defer closeQuietly(file)
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	from := max(l.begin, info.Size()-16<<10)
	text := make([]byte, max(0, info.Size()-from))
	n, _ := file.ReadAt(text, from)
	return string(text[:n])
}

func (l serverLog) contains(any ...string) bool {
	text := l.tail()
	for _, s := range any {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// quote returns the last lines of the log, formatted as the end of an error message.
func (l serverLog) quote() string {
	lines := strings.Split(strings.TrimSpace(l.tail()), "\n")
	if len(lines) > 10 {
		lines = lines[len(lines)-10:]
	}
	return fmt.Sprintf("; the end of %s:\n  %s", l.path, strings.Join(lines, "\n  "))
}

// shellQuote quotes a word for a shell if necessary.
func shellQuote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
