package hosts

import (
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// What is sent to a machine that has lost its power, or that a network has cut off, is answered by nobody, not even with a refusal.
// The kernel sends it again for a quarter of an hour, and the connection keeps its place in the pool meanwhile: on a busy server
// all do, and it could not use the primary that has taken the place of the dead one.

// Dialing connects, and gives a connection up whose other end has not acknowledged anything for the time given, or has not taken
// what there is to send. PostgreSQL takes nothing while a statement waits for a lock or works: so it is longer than that may last.
func Dialing(silence time.Duration) pgconn.DialFunc {
	d := &net.Dialer{
		Control: giveUpAfter(silence),
		// For a connection on which only an answer is awaited.
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
	}
	return d.DialContext
}
