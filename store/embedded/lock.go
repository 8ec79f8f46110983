package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const lockFile = "rowan.lock"

// folderLock is held by the process that runs the server of a data folder. It is a kernel lock (flock), which ends
// with the process however that ends; the content of the file only names the holder. PostgreSQL's own
// postmaster.pid cannot serve as this lock: it names the server, not the process that started it.
type folderLock struct{ file *os.File }

func lockFolder(dataDir string) (*folderLock, error) {
	file, err := os.OpenFile(filepath.Join(dataDir, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cannot write to the data folder: %w: choose another folder, or start as its owner", err)
	}
	if err := flock(file, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer closeQuietly(file)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			text := make([]byte, 32)
			n, _ := file.ReadAt(text, 0)
			pid, _ := strconv.Atoi(strings.TrimSpace(string(text[:n])))
			return nil, &InUseError{DataDir: dataDir, PID: pid}
		}
		return nil, fmt.Errorf("cannot lock %s: %w", file.Name(), err)
	}
	l := &folderLock{file: file}
	err = file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// release leaves the file in place: removing it would let a third process lock a new file of the same name while a
// second one waits for, or has, the old one. It unlocks explicitly, because a program that is just being started
// shares the open file until it runs, so closing the file would not end the lock.
func (l *folderLock) release() {
	_ = l.file.Truncate(0)
	_ = flock(l.file, syscall.LOCK_UN)
	closeQuietly(l.file)
}

// flock retries when a signal interrupts it, as the Go runtime's own signals do.
func flock(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
