//go:build !linux

package hosts

import (
	"syscall"
	"time"
)

// giveUpAfter does nothing where the kernel has no such limit.
func giveUpAfter(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
