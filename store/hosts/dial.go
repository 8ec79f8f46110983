package hosts

import (
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Data sent to a machine that has lost power, or is cut off from the network, is never answered, not even with a refusal. The kernel retransmits it
// for a quarter of an hour, and meanwhile the connection keeps its place in the pool: on a busy server all connections end up this way, and it cannot
// use the primary that has replaced the dead one.

// Dialing returns a function that connects, and gives up a connection if its other end has not acknowledged anything, or has not accepted data, for
// the time given. PostgreSQL accepts nothing while a statement works or waits for a lock, so that time must be longer than statements may take.
func Dialing(silence time.Duration) pgconn.DialFunc {
	d := &net.Dialer{
		Control: giveUpAfter(silence),
		// For a connection that only waits for an answer.
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
	}
	return d.DialContext
}
