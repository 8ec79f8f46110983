package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/rowansearch/rowan/store/embedded"
)

// settings are those of a server whose data is dispensable. synchronous_commit stays on: off would change what a commit promises and hide mistakes.
var settings = map[string]string{
	"fsync":            "off",
	"full_page_writes": "off",
	"shared_buffers":   "128MB",
	"max_wal_size":     "512MB",
	"max_connections":  "200",
	"jit":              "off",
}

func settingNames() []string { return slices.Sorted(maps.Keys(settings)) }

const dirPrefix = "rowan-test-"

// startEmbedded starts a server for this process; it ends with the process.
//
// Each test process has its own server. Sharing one would save 0.8 s per process, but would require counting users across processes that may be
// killed.
func startEmbedded(ctx context.Context) (string, error) {
	sweepDirs(os.TempDir(), time.Now())
	dir, err := os.MkdirTemp("", dirPrefix)
	if err != nil {
		return "", err
	}
	// Root's server runs as another user, who must be able to enter.
	if err := os.Chmod(dir, 0o711); err != nil {
		return "", err
	}
	s, err := embedded.Start(ctx, embedded.Options{DataDir: dir, Settings: settings})
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	if err := watch(s.Cluster(), s.DataDir()); err != nil {
		return "", errors.Join(err, s.Stop(ctx), os.RemoveAll(s.Cluster()), os.RemoveAll(s.DataDir()))
	}
	return s.URL(), nil
}

// watch starts a process that waits for the end of this one, however it ends, and then ends the server and removes its data. A test binary has no
// hook for that: only a TestMain in every package, and nothing at all when it is killed.
//
// The process waits for the end of its standard input, a pipe whose other end only this process has.
func watch(cluster, dataDir string) error {
	const script = `
cat >/dev/null
pid=$(head -n 1 "$1/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
	kill -QUIT "$pid"
	for _ in 0 1 2 3 4 5 6 7 8 9; do
		for _ in 0 1 2 3 4 5 6 7 8 9; do
			# The file goes when the server ends; a killed one leaves it.
			[ -e "$1/postmaster.pid" ] && kill -0 "$pid" || break 2
			sleep 0.1
		done
	done
fi
rm -rf "$1" "$2"
rmdir "${1%/*}" # where the cluster could not be in the data folder
`
	input, output, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command("/bin/sh", "-c", script, "rowan-test-watch", cluster, dataDir)
	cmd.Dir = "/"
	cmd.Stdin = input
	// Not our outputs: go test waits until nobody has them open. Not our process group: Ctrl-C must not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("cannot watch over the server: %w", err), input.Close(), output.Close())
	}
	pipes.Lock()
	defer pipes.Unlock()
	pipes.kept = append(pipes.kept, output)
	return input.Close()
}

// pipes keeps the pipes from the garbage collector, which would close them.
var pipes struct {
	sync.Mutex
	kept []*os.File
}

// sweepDirs removes servers whose watcher has also been killed, for example by a crash of the machine.
func sweepDirs(parent string, now time.Time) {
	dirs, _ := filepath.Glob(filepath.Join(parent, dirPrefix+"*")) // fails only for a malformed pattern
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || now.Sub(info.ModTime()) < time.Hour {
			continue
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(stat.Uid) != os.Geteuid() || inUse(dir) {
			continue
		}
		_ = os.RemoveAll(dir)
	}
}

// inUse reports whether a running process has a server in a folder.
func inUse(dir string) bool {
	file, err := os.Open(filepath.Join(dir, "rowan.lock"))
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}
