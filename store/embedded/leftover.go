package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const pidFile = "postmaster.pid"

// stopLeftover stops a server of this cluster that has outlived the process that started it. The caller holds the
// lock of the data folder, so no running Rowan uses that server.
func stopLeftover(ctx context.Context, dir string, logger *slog.Logger) error {
	path := filepath.Join(dir, pidFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(first)))
	if err != nil || pid <= 0 || !alive(pid) {
		return nil // PostgreSQL itself removes a stale file
	}
	if !isPostmaster(ctx, pid, dir) {
		// Another process has received the number of a server that was killed. PostgreSQL would not start, assuming that
		// it is a server. The file must stay, since its later lines identify memory that may be in use.
		return overwrite(path, append([]byte(strconv.Itoa(unusedPID)+"\n"), rest...))
	}
	logger.Info("stopping a PostgreSQL server that a killed process left running", "pid", pid, "cluster", dir)
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGINT, stopGrace}, {syscall.SIGQUIT, 10 * time.Second}} {
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("a PostgreSQL server (process %d) runs in %s and cannot be stopped: %w", pid, dir, err)
		}
		deadline := time.Now().Add(step.wait)
		for time.Now().Before(deadline) {
			if !isPostmaster(ctx, pid, dir) {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return fmt.Errorf("a PostgreSQL server (process %d) runs in %s and does not stop: stop it and start again", pid, dir)
}

// unusedPID is above the highest process number of every system.
const unusedPID = 1<<31 - 2

// overwrite keeps the owner of the file and does not follow links: this process may be root.
func overwrite(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// isPostmaster reports whether a process is a server of the cluster: however it was started, it has the cluster's
// folder in its command line or as its current folder. A process that has ended but whose parent has not collected
// its status has neither.
func isPostmaster(ctx context.Context, pid int, dir string) bool {
	if runtime.GOOS == "linux" {
		base := filepath.Join("/proc", strconv.Itoa(pid))
		if cwd, err := os.Readlink(filepath.Join(base, "cwd")); err == nil {
			return cwd == dir
		}
		command, err := os.ReadFile(filepath.Join(base, "cmdline"))
		return err == nil && bytes.Contains(command, []byte(dir))
	}
	command, err := output(ctx, "ps", "-o", "command=", "-p", strconv.Itoa(pid))
	return err == nil && strings.Contains(command, dir)
}
