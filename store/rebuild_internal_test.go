package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// BeginRebuild leaves an index like a server that dies in the middle of a rebuild.
func (s *Store) BeginRebuild(ctx context.Context, ix *service.Index, mappings []mapping.Mapping) error {
	next := *ix
	next.Mappings = mappings
	_, err := s.beginRebuild(ctx, ix, table.ShapeOf(&next))
	return err
}

// SweepIndex removes what interrupted rebuilds of an index have left behind, as it was when Sweep read the list.
func (s *Store) SweepIndex(ctx context.Context, ix *service.Index) error { return s.sweep(ctx, ix) }

// Explain returns PostgreSQL's plan for a search; tables are only read without an index if there is no other way.
func (s *Store) Explain(ctx context.Context, p *service.Plan) (string, error) {
	st := searchsql.Search(table.ShapeOf(p.Index), p, searchsql.Ranking{AverageLength: 10})
	var text string
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = off"); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, "EXPLAIN "+st.SQL, st.Args...)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, line := range lines {
			text += line + "\n"
		}
		return err
	})
	return text, err
}
