package store

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// The lexemes of an index that has grown are chosen anew, and with them all blocks are others: those of one choice cannot be
// mixed with those of another. So the new ones are built in tables beside those in use, which searches go on with, and exchanged
// for them in one transaction. There is one log: a row of it is needed until the blocks of both have what was written. So what the new
// blocks have seen stays in it until the exchange, and what blocks in use have taken off it meanwhile, but new ones have not seen, is
// logged again then.

// renewal is the building of blocks beside those in use.
type renewal struct {
	inUse      *postingsBuilder
	generation int64 // of those in use
	// documents and writers are the rows of the log that new blocks have seen: of each the document and the transaction that wrote it. All
	// rows of a transaction are seen at once, so this tells which were seen, wherever a VACUUM FULL puts them.
	documents []int64
	writers   []uint32
	// unseen are, for each block, the documents that the one in use has taken off the log since the new one was built, if it was.
	unseen map[int64][]int64
}

// see notes what a new block has seen of the log in the snapshot that it is built in.
func (r *renewal) see(block int64, documents []int64, writers []uint32) {
	r.documents, r.writers = append(r.documents, documents...), append(r.writers, writers...)
	delete(r.unseen, block)
}

// take notes what a block in use takes off the log.
func (r *renewal) take(block int64, documents []int64) {
	if r != nil {
		r.unseen[block] = append(r.unseen[block], documents...)
	}
}

// mostUnseen is the block that has seen least of what was written, and how many documents none has seen.
func (r *renewal) mostUnseen() (worst int64, all int) {
	for block, unseen := range r.unseen {
		all += len(unseen)
		if len(unseen) > len(r.unseen[worst]) {
			worst = block
		}
	}
	return worst, all
}

// keepUp rebuilds a block in use where the log has nearly become too long for searches. With shorter ones they are answered in the same way,
// and what is built now is soon replaced.
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

// catchUp builds new blocks again that have not seen most of what was written, until searches look at what is left, or there would be no
// end to it.
func (bb *blockBuilder) catchUp(ctx context.Context) error {
	r := bb.renewal
	if r == nil {
		return nil
	}
	for range len(r.unseen) {
		worst, all := r.mostUnseen()
		if all <= bb.limits.changed/4 { // the log has half, too
			return nil
		}
		if err := bb.buildEach(ctx, []int64{worst}); err != nil {
			return err
		}
	}
	return nil
}

// renew builds all blocks beside those of a generation, with lexemes chosen anew, and exchanges them.
func (b *postingsBuilder) renew(ctx context.Context, generation int64, fields []service.Field, last int64) error {
	r := &renewal{inUse: b, generation: generation, unseen: map[int64][]int64{}}
	b.renewal = r
	beside := *b
	beside.sh.Relations = b.sh.WithPostings(table.PostingsRenewed)
	x, err := beside.choose(ctx, fields, last)
	if err != nil {
		return err
	}
	// There are some where a server has ended while it built them.
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

// exchange has searches use the new blocks.
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
		// Searches have locked the log before they took their snapshots: none that is too old for the new blocks finds them.
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
