package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// recountAfter is how old the counts may become while blocks are being rebuilt.
const recountAfter = time.Minute

// recount counts anew, if blocks have been rebuilt since, on whichever server.
func (b *postingsBuilder) recount(ctx context.Context, generation int64) error {
	var due bool
	err := b.conn.QueryRow(ctx, "SELECT rebuilt_at > counted_at AND counted_at < now() - $2::interval FROM rowan.accelerators WHERE index_id = $1", b.ix.ID, recountAfter).Scan(&due)
	if err != nil || !due {
		return err
	}
	x, err := b.lexemes(ctx, generation)
	if err != nil {
		return err
	}
	return b.count(ctx, x)
}

// changedBlock is the block of which most rows are in the log: changed of all.
type changedBlock struct{ block, changed, all int64 }

func (b *postingsBuilder) mostChanged(ctx context.Context) (c changedBlock, err error) {
	err = b.conn.QueryRow(ctx, "SELECT _seq / $1::int, count(*), sum(count(*)) OVER ()::bigint FROM "+b.sh.Touched()+" GROUP BY 1 ORDER BY 2 DESC LIMIT 1", b.limits.blockSize).
		Scan(&c.block, &c.changed, &c.all)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return c, err
}

// rebuildWorst rebuilds the block of which most documents have changed, if enough have altogether.
func (b *postingsBuilder) rebuildWorst(ctx context.Context, generation int64) (again bool, err error) {
	c, err := b.mostChanged(ctx)
	if err != nil {
		return false, err
	}
	if c.all < int64(b.limits.rebuild) && !b.store.logs.resting(b.ix.ID, c.all, b.limits) {
		return false, b.recount(ctx, generation)
	}
	err = b.rebuildChanged(ctx, generation, c)
	return err == nil, err
}

// rebuildChanged rebuilds a block, unless there is too much in the log for searches, and more to come, maybe faster than blocks can be built:
// then with rests.
func (b *postingsBuilder) rebuildChanged(ctx context.Context, generation int64, c changedBlock) error {
	if b.written && c.all > int64(b.limits.changed) && c.changed < int64(b.limits.blockSize)/2 {
		if rested, err := b.rested(ctx); !rested || err != nil {
			return err
		}
	}
	if err := b.rebuildBlock(ctx, generation, c.block); err != nil {
		return err
	}
	b.store.logs.shortened(b.ix.ID, c.changed)
	return nil
}

// rested tells that since a block of the index was last built anew, on whichever server, limits.rest times as long has passed as the last one
// has taken on this server.
func (b *postingsBuilder) rested(ctx context.Context) (rested bool, err error) {
	took, known := b.store.blockTimes.Get(b.ix.ID)
	if !known {
		return true, nil
	}
	err = b.conn.QueryRow(ctx, "SELECT rebuilt_at <= now() - $2::interval FROM rowan.accelerators WHERE index_id = $1", b.ix.ID, time.Duration(b.limits.rest)*took).Scan(&rested)
	if errors.Is(err, pgx.ErrNoRows) {
		err = service.ErrStale
	}
	return rested, err
}

// rebuildBlock builds a block anew.
func (b *postingsBuilder) rebuildBlock(ctx context.Context, generation, block int64) error {
	x, err := b.lexemes(ctx, generation)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := newBlockBuilder(b, x).build(ctx, block); err != nil {
		return err
	}
	b.store.blockTimes.Put(b.ix.ID, time.Since(began))
	if _, err := b.conn.Exec(ctx, "UPDATE rowan.accelerators SET rebuilt_at = now() WHERE index_id = $1 AND generation = $2", b.ix.ID, x.generation); err != nil {
		return err
	}
	// Searches read the log: what was deleted from it shall not be in their way.
	_, err = b.conn.Exec(ctx, "VACUUM (SKIP_LOCKED) "+b.sh.Touched())
	return err
}
