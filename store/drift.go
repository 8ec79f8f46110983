package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// A changed document counts with words that are new to the vocabulary only, and what documents no longer have stays in it: nobody knows what a
// document was like when it was counted. This drift ends when all documents are counted again.

const (
	// maxDrift is the number of changed or deleted documents from which, if they are also more than half, all are counted again at once.
	maxDrift = 1000
	// restedDrift is the number from which, if they are also more than one in restedShare, all are counted again once the index is at rest. Of more
	// than maxRested documents, a tenth matters less, and counting takes longer.
	restedDrift, restedShare, maxRested = 20, 10, 20000
)

// drifted reports whether so many documents have changed that all are to be counted again.
func (p *progress) drifted() bool {
	return p.countedTo == nil && p.drift > maxDrift && p.drift > p.documents/2
}

// driftedAtRest reports the same for an index at rest.
func (p *progress) driftedAtRest() bool {
	return p.countedTo == nil && p.drift >= restedDrift && p.drift > p.documents/restedShare && p.documents <= maxRested
}

// rested reports whether nothing of an index was derived between the last sweep that asked for it and this one. dealtWith is that of the progress table.
func (w *worker) rested(index, dealtWith int64) bool {
	before, ok := w.dealtWith.Get(index)
	w.dealtWith.Put(index, dealtWith)
	return ok && before == dealtWith
}

// countAnew begins to count all documents of an index again, unless another server has.
func (s *Store) countAnew(ctx context.Context, conn *pgx.Conn, ix *service.Index) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		there, err := lockStep(ctx, tx, ix, false)
		if err != nil || !there {
			return err
		}
		d := newDerivation(tx, ix, table.ShapeOf(ix))
		if err := d.readProgress(ctx); err != nil || !d.progress.driftedAtRest() {
			return err
		}
		if err := d.beginRecount(ctx); err != nil {
			return err
		}
		return d.write(ctx, 0)
	})
	if err == nil {
		s.derives.add(ix, 0)
	}
	return err
}
