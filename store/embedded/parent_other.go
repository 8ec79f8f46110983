//go:build !linux

package embedded

import "syscall"

// endWithParent does nothing on systems without such a signal: a server whose parent was killed runs on until the
// next start in its data folder stops it (stopLeftover).
func endWithParent(*syscall.SysProcAttr) {}
