package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// sweepLogs finds indices with work that no server remembers. An index that cannot be checked does not prevent checking others.
func (s *Store) sweepLogs(ctx context.Context) error {
	rows, err := s.pool.Query(ctx, selectListed)
	if err != nil {
		return err
	}
	list, err := pgx.CollectRows(rows, scanIndex)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(list, sweptAtOnce) {
		if err := s.hastily(ctx, func(conn *pgx.Conn) error { return s.sweepLogsOf(ctx, conn, some) }); err != nil {
			return err
		}
	}
	return nil
}

// sweptAtOnce is how many indices are checked on one connection before it may be replaced, because it meets the tables of all of them.
const sweptAtOnce = 100

// sweepLogsOf is sweepLogs for some indices.
func (s *Store) sweepLogsOf(ctx context.Context, conn *pgx.Conn, list []*service.Index) error {
	for _, ix := range list {
		following, postings, otherwise, err := s.mayHaveWork(ctx, conn, ix)
		switch {
		case connectionLost(err), err != nil && ctx.Err() != nil:
			return err
		case state(err) == stateLockNotAvailable: // the next round checks it again
		case err != nil:
			s.failures.warn(s.log, "the background worker could not look for unfinished work of an index", err, "application", ix.Application, "index", ix.Name)
		}
		if following {
			s.derives.add(ix, 0)
			s.cleans.add(ix, 0)
		}
		if postings {
			s.accelerates.add(ix, 0)
		}
		if otherwise {
			s.recomputes.add(ix, 0)
		}
	}
	return nil
}

// mayHaveWork reports whether there may be work on what follows the documents of an index, on its postings, and on the documents themselves, which
// another version of PostgreSQL may have computed differently. This takes one round trip: every server asks it for every index, twice a minute.
func (s *Store) mayHaveWork(ctx context.Context, conn *pgx.Conn, ix *service.Index) (following, postings, otherwise bool, err error) {
	r := table.RelationsOf(ix.Application, ix.Name)
	err = conn.QueryRow(ctx, `SELECT bool_or(counted_to IS NOT NULL) IS NOT FALSE OR EXISTS (SELECT FROM `+r.Changes+`) OR `+r.OutdatedWords()+`,
			(SELECT last_value FROM `+r.Sequence+`) >= $1 OR EXISTS (SELECT FROM rowan.accelerators WHERE index_id = $2)
			OR EXISTS (SELECT FROM rowan.indices WHERE id = $2 AND accelerated),
			`+computedOtherwise("$2")+`
		FROM `+r.Progress(), s.limits.documents, ix.ID).Scan(&following, &postings, &otherwise)
	if gone(err) {
		return true, true, false, nil
	}
	return following, postings, otherwise, err
}
