//go:build !linux

package hosts

import (
	"syscall"
	"time"
)

// giveUpAfter returns nil on systems without such a limit.
func giveUpAfter(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
