package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Locks of rebuilds, settings and prepared statements are of a session. A connection pooler may lend a session for a transaction
// or a statement only (PgBouncer: pool_mode = transaction or statement): then a lock is left to somebody else, and a write meets the
// settings of a search. So that is found out before anything is set.

var errSharedSessions = errors.New("the connection pooler in front of PostgreSQL lends sessions only for single transactions or statements, " +
	"but Rowan needs sessions of its own for locks and settings: use session pooling (PgBouncer: pool_mode = session), or connect to PostgreSQL directly")

// sessionRounds is how often the connections are asked for their sessions. Once is enough where nobody else uses the pooler. Others,
// who take and give back sessions meanwhile, may make a round look well by chance.
const sessionRounds = 10

// checkSessions tells whether a pooler stands before the server, and fails if it does not let each connection keep a session.
func checkSessions(ctx context.Context, config *pgx.ConnConfig) (pooled bool, err error) {
	one, first, err := openBare(ctx, config)
	if err != nil {
		return false, err
	}
	defer closeBare(ctx, one)
	// What a client would need to cancel a statement is made up by poolers, and not by what only forwards, as HAProxy.
	if one.PID() == first {
		return false, nil
	}
	two, second, err := openBare(ctx, config)
	if err != nil {
		return true, err
	}
	defer closeBare(ctx, two)
	if first == second {
		return true, errSharedSessions
	}
	// Of the sessions that nobody uses, a pooler lends the one that was used last, or the one that has rested longest. The first would be
	// that of the other connection, the second another one to the same connection.
	for range sessionRounds {
		for _, c := range []struct {
			conn *pgconn.PgConn
			had  uint32
		}{{one, first}, {one, first}, {two, second}, {two, second}} {
			has, err := sessionOf(ctx, c.conn)
			if err != nil {
				return true, err
			}
			if has != c.had {
				return true, errSharedSessions
			}
		}
	}
	return true, nil
}

// openBare opens a connection that sets nothing, and tells its session.
func openBare(ctx context.Context, config *pgx.ConnConfig) (*pgconn.PgConn, uint32, error) {
	bare := config.Config.Copy()
	bare.AfterConnect = nil
	conn, err := pgconn.ConnectConfig(ctx, bare) // which takes up to ConnectTimeout for each host
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, config.ConnectTimeout)
	defer cancel()
	session, err := sessionOf(ctx, conn)
	if err != nil {
		closeBare(ctx, conn)
		return nil, 0, err
	}
	return conn, session, nil
}

func closeBare(ctx context.Context, conn *pgconn.PgConn) { _ = conn.Close(ctx) } // it is gone all the same

// sessionOf is the number of the server's process that answers.
func sessionOf(ctx context.Context, conn *pgconn.PgConn) (uint32, error) {
	results, err := conn.Exec(ctx, "SELECT pg_backend_pid()").ReadAll()
	if err != nil {
		return 0, err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return 0, errors.New("the database server does not tell which session it is")
	}
	pid, err := strconv.ParseUint(string(results[0].Rows[0][0]), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("the database server does not tell which session it is: %w", err)
	}
	return uint32(pid), nil
}
