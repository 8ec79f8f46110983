package store

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/rowansearch/rowan/store/sqltext"
)

// HoldConnections takes every connection of the pool for writes until release is called.
func (s *Store) HoldConnections(ctx context.Context) (release func(), err error) {
	var held []interface{ Release() }
	release = func() {
		for _, c := range held {
			c.Release()
		}
	}
	for range s.pool.Config().MaxConns {
		c, err := s.pool.Acquire(ctx)
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, c)
	}
	return release, nil
}

// TakeWrite takes a connection of the pool for writes.
func (s *Store) TakeWrite(ctx context.Context) (release func(), err error) {
	return takeConn(ctx, s.pool)
}

// TakeRead takes a connection of the pool for searches.
func (s *Store) TakeRead(ctx context.Context) (release func(), err error) {
	return takeConn(ctx, s.reads)
}

// TakeReadAmongOthers waits for a connection like searches do, for less time than connections for writes may be idle.
func (s *Store) TakeReadAmongOthers(ctx context.Context) (release func(), err error) {
	return onPool(ctx, s.reads, func() (func(), error) { return s.TakeRead(ctx) })
}

func takeConn(ctx context.Context, pool *pgxpool.Pool) (release func(), err error) {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return c.Release, nil
}

// PlanOf asks PostgreSQL for the plan of a statement.
func (s *Store) PlanOf(ctx context.Context, sql string) (string, error) { return s.planOf(ctx, sql) }

// HistoryOfRead returns the history of a connection of the pool for searches.
func (s *Store) HistoryOfRead(ctx context.Context) (int64, error) {
	c, err := s.reads.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Release()
	return int64(historyOf(ctx, c.Conn())), nil
}

// PlanCacheMode returns the plan_cache_mode of search statements, prepared or not.
func (s *Store) PlanCacheMode(ctx context.Context, prepared bool) (mode string, err error) {
	err = s.ask(ctx, sqltext.Statement{SQL: "SELECT current_setting('plan_cache_mode')", Args: nil, Prepared: prepared}, func(rows pgx.Rows) error {
		mode, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
		return err
	})
	return mode, err
}

// OfSearches collects what a statement selects on each idle connection of the pool for searches.
func (s *Store) OfSearches(ctx context.Context, sql string) (list []string, err error) {
	for _, conn := range s.reads.AcquireAllIdle(ctx) {
		rows, _ := conn.Query(ctx, sql, pgx.QueryExecModeExec)
		some, of := pgx.CollectRows(rows, pgx.RowTo[string])
		list, err = append(list, some...), cmp.Or(err, of)
		conn.Release()
	}
	return list, err
}
