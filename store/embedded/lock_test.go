package embedded

import (
	"syscall"
	"testing"
)

// A program that is just being started shares all open files of its parent until it runs.
func TestReleasedWhileAProgramStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := lockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	inherited, err := syscall.Dup(int(lock.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(inherited) }()
	lock.release()
	again, err := lockFolder(dir)
	if err != nil {
		t.Fatalf("the folder is not free: %v", err)
	}
	again.release()
}
