package hosts

import (
	"math"
	"strings"
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not have.
const tcpUserTimeout = 0x12

// giveUpAfter sets how long the other end of a TCP connection may be silent before the kernel considers the connection broken.
func giveUpAfter(silence time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		var err error
		if controlErr := c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(min(silence.Milliseconds(), math.MaxInt32)))
		}); controlErr != nil {
			return controlErr
		}
		return err
	}
}
