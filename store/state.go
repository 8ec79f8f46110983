package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// State returns what the answers of an index depend on: its documents, and the words and suggestions that follow them. As long as two states are
// equal, so are the answers. Every write adds to the log in its transaction; whatever removes from the log, or changes what follows it, also
// increases a number that never decreases, in the same transaction.
//
// A database server that was restarted, or is another one, may have lost what its predecessor had; so its run is part of the state.
//
// The state is unknown, the zero State, while the log is long, or if nothing follows the documents. The error is ErrStale if version is no longer
// that of the application's catalog.
func (s *Store) State(ctx context.Context, ix *service.Index, version int64) (service.State, error) {
	r := table.RelationsOf(ix.Application, ix.Name)
	statistics, err := s.frequencies(ctx, ix)
	if gone(err) {
		return service.State{}, nil // the search itself reports what is gone
	}
	if err != nil {
		return service.State{}, s.searchError(err)
	}
	st := sqltext.Statement{SQL: fmt.Sprintf("SELECT a.version, p.dealt_with, (SELECT count(*) FROM (SELECT FROM %s LIMIT %d) l) FROM rowan.applications a LEFT JOIN %s p ON true WHERE a.id = $1",
		r.Changes, freshLog+1, r.Progress()), Args: []any{ix.Application}, Prepared: true}
	found, err := reading(ctx, s, func(ctx context.Context) (state service.State, err error) {
		conn, err := s.readPool(ctx).Acquire(ctx)
		if err != nil {
			return state, err
		}
		defer conn.Release()
		rows, err := queryOn(ctx, conn, st)
		if err != nil {
			return state, err
		}
		var now int64
		var dealtWith *int64
		_, err = pgx.ForEachRow(rows, []any{&now, &dealtWith, &state.Logged}, func() error { return nil })
		switch {
		case err != nil:
		case !service.MadeBy(version, now):
			err = service.ErrStale
		case dealtWith == nil || state.Logged > freshLog:
			state = service.State{}
		default:
			state.Server = int64(historyOf(ctx, conn.Conn()))
			state.DealtWith = *dealtWith
			state.Documents, state.AverageLength = statistics.documents, statistics.averageLength
			if statistics.rest {
				state.Counted = statistics.state
			}
		}
		return state, err
	})
	if gone(err) {
		return service.State{}, nil
	}
	if errors.Is(err, service.ErrStale) {
		s.forget(ix.Application)
		return service.State{}, service.ErrStale
	}
	return found, s.searchError(err)
}
