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

// executor and querier are what connections, transactions and pools have in common.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}
