package store

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// When an index has grown, its lexemes are chosen anew, and with them all blocks change: blocks of different choices cannot be mixed. So the new ones
// are built in tables beside those in use, which searches go on using, and exchanged for them in one transaction. There is one log, whose rows are
// needed until the blocks of both sets have seen the write. So rows that the new blocks have seen stay in it until the exchange, and documents that
// blocks in use have meanwhile taken off it, but new ones have not seen, are then logged again.

// renewal is the state of building blocks beside those in use.
type renewal struct {
	inUse      *postingsBuilder
	generation int64 // of the postings in use
	// documents and writers identify the log rows that new blocks have seen by the document and the transaction that wrote the row. All rows of a
	// transaction become visible at once, so this is exact even if a VACUUM FULL moves rows.
	documents []int64
	writers   []uint32
	// unseen has, for each block, the documents that the block in use has taken off the log since the new one was built, if it has been.
	unseen map[int64][]int64
}

// see records which log rows a new block sees in the snapshot that it is built in.
func (r *renewal) see(block int64, documents []int64, writers []uint32) {
	r.documents, r.writers = append(r.documents, documents...), append(r.writers, writers...)
	delete(r.unseen, block)
}

// take records which documents a block in use takes off the log.
func (r *renewal) take(block int64, documents []int64) {
	if r != nil {
		r.unseen[block] = append(r.unseen[block], documents...)
	}
}

// mostUnseen returns the new block that lacks the most writes, and how many writes all new blocks lack.
func (r *renewal) mostUnseen() (worst int64, all int) {
	for block, unseen := range r.unseen {
		all += len(unseen)
		if len(unseen) > len(r.unseen[worst]) {
			worst = block
		}
	}
	return worst, all
}

// keepUp rebuilds a block in use when the log has nearly become too long for searches. While the log is shorter, rebuilding would not change how
// searches are answered, and the blocks in use are soon replaced.
func (r *renewal) keepUp(ctx context.Context) error {
	if r == nil {
		return nil
	}
	c, err := r.inUse.mostChanged(ctx)
	if err != nil || c.all <= int64(r.inUse.limits.changed)/2 {
		return err
	}
	return r.inUse.rebuildChanged(ctx, r.generation, c)
}

// catchUp rebuilds the new blocks that lack the most writes until searches can examine the rest. The number of attempts is limited, or this might
// never end.
func (bb *blockBuilder) catchUp(ctx context.Context) error {
	r := bb.renewal
	if r == nil {
		return nil
	}
	for range len(r.unseen) {
		worst, all := r.mostUnseen()
		if all <= bb.limits.changed/4 { // the log may have up to limits.changed/2 besides
			return nil
		}
		if err := bb.buildEach(ctx, []int64{worst}); err != nil {
			return err
		}
	}
	return nil
}

// renew builds all blocks, with lexemes chosen anew, beside those of the given generation, and exchanges them.
func (b *postingsBuilder) renew(ctx context.Context, generation int64, fields []service.Field, last int64) error {
	r := &renewal{inUse: b, generation: generation, unseen: map[int64][]int64{}}
	b.renewal = r
	beside := *b
	beside.sh.Relations = b.sh.WithPostings(table.PostingsRenewed)
	x, err := beside.choose(ctx, fields, last)
	if err != nil {
		return err
	}
	// Tables may be left from a server that ended while building.
	err = pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error {
		return execAll(ctx, tx, append(beside.sh.DropPostings(), beside.sh.CreatePostings()...))
	})
	if err != nil {
		return err
	}
	if err := beside.buildBlocks(ctx, x); err != nil {
		return err
	}
	counts, err := beside.countBlocks(ctx, x)
	if err != nil {
		return err
	}
	if err := r.exchange(ctx, x, counts, last); err != nil {
		return err
	}
	_, err = b.conn.Exec(ctx, "VACUUM (SKIP_LOCKED) "+b.sh.Touched())
	return err
}

// exchange makes searches use the new blocks.
func (r *renewal) exchange(ctx context.Context, x *accelerator, counts blockCounts, last int64) error {
	b := r.inUse
	defer b.store.forgetAccelerator(b.ix.ID)
	return b.exchange(ctx, true, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "DELETE FROM rowan.accelerators WHERE index_id = $1 AND generation = $2", b.ix.ID, r.generation)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return service.ErrStale
		}
		// Searches lock the log before they take their snapshots, so no search with a snapshot too old for the new blocks can find them.
		if _, err := tx.Exec(ctx, "LOCK TABLE "+b.sh.Touched()+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM "+b.sh.Touched()+" l USING unnest($1::bigint[], $2::xid[]) AS seen(_seq, writer) WHERE l._seq = seen._seq AND l.xmin = seen.writer",
			r.documents, r.writers)
		if err != nil {
			return err
		}
		unseen := slices.Concat(slices.Collect(maps.Values(r.unseen))...)
		if _, err := tx.Exec(ctx, "INSERT INTO "+b.sh.Touched()+" (_seq) SELECT DISTINCT unnest($1::bigint[])", unseen); err != nil {
			return err
		}
		if err := execAll(ctx, tx, append(b.sh.DropPostings(), b.sh.TakePostings(table.PostingsRenewed)...)); err != nil {
			return err
		}
		if err := b.insert(ctx, tx, x, last); err != nil {
			return err
		}
		return b.use(ctx, tx, x, counts)
	})
}
