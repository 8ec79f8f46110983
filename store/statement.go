package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowansearch/rowan/store/sqltext"
)

// queryOn runs a statement.
func queryOn(ctx context.Context, db querier, st sqltext.Statement) (pgx.Rows, error) {
	mode := pgx.QueryExecModeExec
	if st.Prepared {
		mode = pgx.QueryExecModeCacheStatement
	}
	return db.Query(ctx, st.SQL, append([]any{mode}, st.Args...)...)
}

// planAnew makes PostgreSQL plan what follows in a transaction of a search for its own parameters (forReads).
const planAnew = "SET LOCAL plan_cache_mode = force_custom_plan"

// ask runs a single statement on a connection for searches, and calls read with its rows.
func (s *Store) ask(ctx context.Context, st sqltext.Statement, read func(rows pgx.Rows) error) error {
	if st.Prepared {
		rows, err := queryOn(ctx, s.readPool(ctx), st)
		if err != nil {
			return err
		}
		return read(rows)
	}
	return s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "BEGIN; "+planAnew); err != nil {
			return err
		}
		rows, err := queryOn(ctx, conn, st)
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

// execAll runs DDL statements in order.
func execAll(ctx context.Context, db executor, statements []string) error {
	for _, sql := range statements {
		if _, err := db.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%w in %.200s", err, sql)
		}
	}
	return nil
}
