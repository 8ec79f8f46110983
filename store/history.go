package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// While it runs, PostgreSQL does not give the number of a transaction to another one, for billions of them. But a crash loses what
// was not on disk yet, and a standby that takes the place of the primary may lack what that wrote last. Either gives the numbers of
// the transactions that were lost to new ones. So whatever is remembered by such numbers is remembered with the run of the primary
// that they are of.

// history is a run of the primary, from one start or crash to the next.
type history int64

// historySQL selects the history of a server. A crash of one of its processes loses what is not on disk, too, though the server
// has not been started anew; then its statistics have.
const historySQL = "SELECT hashtextextended(concat_ws(' ', pg_postmaster_start_time(), (SELECT stats_reset FROM pg_stat_wal)), 0)"

// historyKey is the place of the history in what pgx keeps with a connection.
const historyKey = "rowan history"

// readHistory notes the history of a new connection to the primary with it: the connection has no other until it ends.
func (s *Store) readHistory(ctx context.Context, conn *pgconn.PgConn) error {
	results, err := conn.Exec(ctx, historySQL).ReadAll()
	if strings.HasPrefix(state(err), classAccess) {
		// Nobody can tell, so the connection believes only what itself has read.
		conn.CustomData()[historyKey] = history(rand.Int64())
		s.primaries.silent.Do(func() {
			s.log.Warn("PostgreSQL does not let this role see when it was started, so each connection remembers only what it has read itself, and searches take longer. "+
				"Grant the role EXECUTE on pg_postmaster_start_time and SELECT on pg_stat_wal", "error", err)
		})
		return nil
	}
	if err != nil {
		return err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return errors.New("PostgreSQL does not tell when it was started")
	}
	h, err := strconv.ParseInt(string(results[0].Rows[0][0]), 10, 64)
	if err != nil {
		return fmt.Errorf("PostgreSQL does not tell when it was started: %w", err)
	}
	conn.CustomData()[historyKey] = history(h)
	if s.primaries.reached(history(h)) {
		s.forgetLexemes() // it may be of another version
		s.log.Info("the database server was restarted, or is a different one")
	}
	return nil
}

// historyOf is the history of what a search or read sees on a connection. A standby shows what the primary has written.
func historyOf(ctx context.Context, conn *pgx.Conn) history {
	if r, ok := ctx.Value(replicaKey{}).(chosenReplica); ok {
		return r.history
	}
	h, _ := conn.PgConn().CustomData()[historyKey].(history)
	return h
}
