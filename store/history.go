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

// While PostgreSQL runs, it does not reuse transaction numbers for billions of transactions. But a crash loses what was not on disk yet, and a
// standby that replaces the primary may lack what that wrote last. In both cases, new transactions get the numbers of lost ones. So whatever is
// identified by such numbers is remembered together with the run of the primary to which they belong.

// history is a run of the primary, from one start or crash to the next.
type history int64

// historySQL selects the history of a server. A crash of one of its processes also loses what is not on disk although the server is not restarted;
// but then its statistics are reset.
const historySQL = "SELECT hashtextextended(concat_ws(' ', pg_postmaster_start_time(), (SELECT stats_reset FROM pg_stat_wal)), 0)"

// historyKey is the key of the history in pgx's custom data of a connection.
const historyKey = "rowan history"

// readHistory records the history of a new connection to the primary: it stays the same until the connection ends.
func (s *Store) readHistory(ctx context.Context, conn *pgconn.PgConn) error {
	results, err := conn.Exec(ctx, historySQL).ReadAll()
	if strings.HasPrefix(state(err), classAccess) {
		// The history is unknown, so the connection only trusts what it has read itself.
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
		s.forgetLexemes() // the server may be of another version
		s.log.Info("the database server was restarted, or is a different one")
	}
	return nil
}

// historyOf returns the history of what a search or read sees on a connection. A standby shows what the primary has written.
func historyOf(ctx context.Context, conn *pgx.Conn) history {
	if r, ok := ctx.Value(replicaKey{}).(chosenReplica); ok {
		return r.history
	}
	h, _ := conn.PgConn().CustomData()[historyKey].(history)
	return h
}
