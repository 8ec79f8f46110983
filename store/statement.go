package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// statement is SQL with its parameters.
type statement struct {
	sql  string
	args []any
	// prepared tells that the text is that of many searches, and its best plan the same for all of them: a
	// connection that has prepared it need not read and plan it again, which takes longer than to run it for a
	// rare word.
	prepared bool
}

// query runs a statement.
func (st statement) query(ctx context.Context, db querier) (pgx.Rows, error) {
	mode := pgx.QueryExecModeExec
	if st.prepared {
		mode = pgx.QueryExecModeCacheStatement
	}
	return db.Query(ctx, st.sql, append([]any{mode}, st.args...)...)
}

// planAnew has what follows in a transaction of a search planned for its own parameters (forReads).
const planAnew = "SET LOCAL plan_cache_mode = force_custom_plan"

// ask runs a statement by itself on a connection of searches, and has its rows read.
func (s *Store) ask(ctx context.Context, st statement, read func(rows pgx.Rows) error) error {
	if st.prepared {
		rows, err := st.query(ctx, s.readPool(ctx))
		if err != nil {
			return err
		}
		return read(rows)
	}
	return s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "BEGIN; "+planAnew); err != nil {
			return err
		}
		rows, err := st.query(ctx, conn)
		if err != nil {
			return err
		}
		return read(rows)
	})
}

// executor and querier are what connections, transactions and pools have in common.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}
