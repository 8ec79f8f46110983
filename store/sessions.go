package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Locks of rebuilds, settings and prepared statements belong to a session. A connection pooler may lend a session for a single transaction or
// statement (PgBouncer: pool_mode = transaction or statement): then somebody else would inherit a lock, and a write the settings of a search. So this
// is checked before anything is set.

var errSharedSessions = errors.New("the connection pooler in front of PostgreSQL lends sessions only for single transactions or statements, " +
	"but Rowan needs sessions of its own for locks and settings: use session pooling (PgBouncer: pool_mode = session), or connect to PostgreSQL directly")

// sessionRounds is how often the connections are asked for their sessions. Once would be enough if nobody else used the pooler. Others, who take and
// return sessions meanwhile, may make a round succeed by chance.
const sessionRounds = 10

// checkSessions reports whether there is a pooler in front of the server, and returns an error if it does not let each connection keep a session.
func checkSessions(ctx context.Context, config *pgx.ConnConfig) (pooled bool, err error) {
	one, first, err := openBare(ctx, config)
	if err != nil {
		return false, err
	}
	defer closeBare(ctx, one)
	// Poolers invent the process number that a client needs to cancel a statement; mere forwarders such as HAProxy do not.
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
	// Of its free sessions, a pooler lends either the most recently used or the one that has rested longest. In the first case, a connection would get
	// the other's session; in the second, two different ones in turn.
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

// openBare opens a connection without settings, and returns its session.
func openBare(ctx context.Context, config *pgx.ConnConfig) (*pgconn.PgConn, uint32, error) {
	bare := config.Config.Copy()
	bare.AfterConnect = nil
	conn, err := pgconn.ConnectConfig(ctx, bare) // takes up to ConnectTimeout for each host
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

func closeBare(ctx context.Context, conn *pgconn.PgConn) { _ = conn.Close(ctx) } // it is closed in any case

// sessionOf returns the process number of the server process that answers. The session may still have a search_path that finds other functions first,
// and transactions may be serializable by default, which no standby can do.
func sessionOf(ctx context.Context, conn *pgconn.PgConn) (uint32, error) {
	results, err := conn.Exec(ctx, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT pg_catalog.pg_backend_pid()").ReadAll()
	if err != nil {
		return 0, err
	}
	if len(results) != 2 || len(results[1].Rows) != 1 {
		return 0, errors.New("the database server does not tell which session it is")
	}
	pid, err := strconv.ParseUint(string(results[1].Rows[0][0]), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("the database server does not tell which session it is: %w", err)
	}
	return uint32(pid), nil
}
