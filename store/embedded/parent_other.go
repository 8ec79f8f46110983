//go:build !linux

package embedded

import "syscall"

// endWithParent does nothing where the kernel has no such thing: a server whose parent was killed runs on
// until the next start in its data folder stops it (stopLeftover).
func endWithParent(*syscall.SysProcAttr) {}
