package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
)

// Document numbers are not reused. So where documents are deleted one by one, more and more blocks have few left, yet each block adds a step to every
// search, and rows for every lexeme. If there are several such blocks, their documents get new numbers in the background, as if each had been deleted
// and stored again; the blocks disappear when they are rebuilt. At least seven documents have been deleted for each one moved, so this adds little to
// what deleting them has cost.

const (
	// movedAtOnce is how many documents one transaction moves: a writer of one of them waits for the whole transaction.
	movedAtOnce = 100
	// movedAStep is how many documents are moved before blocks are rebuilt: each has two rows in the log, which must not grow beyond what searches
	// examine (accelerationLimits.changed).
	movedAStep = 1000
)

// gather moves the documents of blocks that have few, if there are several such blocks, and removes blocks that have none left. again says that there
// may be more to do.
func (b *postingsBuilder) gather(ctx context.Context, st builtState) (again bool, err error) {
	// The block of the last number is still being filled.
	rows, _ := b.conn.Query(ctx, "SELECT block FROM "+b.sh.Postings()+" WHERE lexeme = '' AND documents <= $1 AND block < $2 ORDER BY block",
		st.blockSize/b.limits.sparse, st.last/int64(st.blockSize))
	sparse, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(sparse) < b.limits.sparseBlocks {
		return false, err
	}
	if loading, err := b.loading(ctx, st.last); loading || err != nil {
		return true, err
	}
	for moved, i := 0, 0; moved < movedAStep && i < len(sparse); {
		n, err := b.move(ctx, sparse[i]*int64(st.blockSize), (sparse[i]+1)*int64(st.blockSize))
		if state(err) == stateLockNotAvailable || repeatable(err) {
			return true, nil // somebody is writing these documents
		}
		if err != nil {
			return false, err
		}
		if moved += n; n < movedAtOnce {
			if err := b.rebuildBlock(ctx, st.generation, sparse[i]); err != nil {
				return false, err
			}
			i++
		}
	}
	return true, nil
}

// move gives new numbers to the first documents with numbers in a range, in one transaction, and returns how many it has found.
func (b *postingsBuilder) move(ctx context.Context, from, to int64) (found int, err error) {
	rows, _ := b.conn.Query(ctx, "SELECT _id FROM "+b.sh.Table+" WHERE _seq >= $1 AND _seq < $2 ORDER BY _seq LIMIT $3", from, to, movedAtOnce)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error {
		t := newWriting(b.conn, service.Write{Index: b.ix, IDs: ids}, &b.store.seenByWrites)
		batch := &pgx.Batch{}
		t.enter(batch)
		t.look(ctx, batch)
		if err := t.entered(ctx, batch); err != nil {
			return err
		}
		if !t.accelerated || t.rebuilding {
			return service.ErrStale // an index that is being rebuilt is left alone
		}
		var numbers []int64
		ids = ids[:0]
		for id, number := range t.numbers {
			if number >= from && number < to { // otherwise it was deleted and stored again in the meantime
				ids, numbers = append(ids, id), append(numbers, number)
			}
		}
		_, err := tx.Exec(ctx, "WITH moved AS (UPDATE "+t.Table+" SET _seq = nextval("+sqltext.Literal(t.Sequence)+") WHERE _id = ANY($1) RETURNING _seq), numbers AS (SELECT _seq FROM moved UNION ALL SELECT unnest($2::bigint[]))"+
			logTouched(t.Relations, true, "numbers")+" INSERT INTO "+t.Changes+" (_seq) SELECT _seq FROM numbers", ids, numbers)
		return err
	})
}
