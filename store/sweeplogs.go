package store

import (
	"context"
	"errors"
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
		w, err := s.mayHaveWork(ctx, conn, ix)
		if err == nil && w.drifted && s.rested(ix.ID, w.dealtWith) {
			err = s.countAnew(ctx, conn, ix)
		}
		switch {
		case connectionLost(err), err != nil && ctx.Err() != nil:
			return err
		case state(err) == stateLockNotAvailable, errors.Is(err, errBusy), superseded(err): // the next round checks it again
		case err != nil:
			s.failures.warn(s.log, "the background worker could not look for unfinished work of an index", err, "application", ix.Application, "index", ix.Name)
		}
		if w.following {
			s.derives.add(ix, 0)
			s.cleans.add(ix, 0)
		}
		if w.postings {
			s.accelerates.add(ix, 0)
		}
		if w.otherwise {
			s.recomputes.add(ix, 0)
		}
	}
	return nil
}

// possibleWork says what work there may be for an index.
type possibleWork struct {
	following bool // on what follows the documents
	postings  bool
	otherwise bool // on the documents themselves, which another version of PostgreSQL may have computed differently
	drifted   bool // on the vocabulary, if the index is at rest
	dealtWith int64
}

// mayHaveWork reports what work there may be for an index. This takes one round trip: every server asks it for every index, twice a minute.
func (s *Store) mayHaveWork(ctx context.Context, conn *pgx.Conn, ix *service.Index) (w possibleWork, err error) {
	r := table.RelationsOf(ix.Application, ix.Name)
	var p progress
	// A dump may omit the row of the progress table.
	err = conn.QueryRow(ctx, `SELECT p.counted_to IS NOT NULL OR p.drift IS NULL OR EXISTS (SELECT FROM `+r.Changes+`) OR `+r.OutdatedWords()+`,
			(SELECT last_value FROM `+r.Sequence+`) >= $1 OR EXISTS (SELECT FROM rowan.accelerators WHERE index_id = $2)
			OR EXISTS (SELECT FROM rowan.indices WHERE id = $2 AND accelerated),
			`+computedOtherwise("$2")+`,
			p.counted_to, coalesce(p.documents, 0), coalesce(p.drift, 0), coalesce(p.dealt_with, 0)
		FROM (SELECT) AS one LEFT JOIN `+r.Progress()+` AS p ON true`, s.limits.documents, ix.ID).
		Scan(&w.following, &w.postings, &w.otherwise, &p.countedTo, &p.documents, &p.drift, &w.dealtWith)
	if gone(err) {
		return possibleWork{following: true, postings: true}, nil
	}
	w.drifted = p.driftedAtRest()
	return w, err
}
