package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// recountAfter is the maximum age of the counts while blocks are being rebuilt.
const recountAfter = time.Minute

// recount counts again if blocks have been rebuilt, by any server, since they were last counted.
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

// changedBlock is the block with the most rows in the log: changed of all rows.
type changedBlock struct{ block, changed, all int64 }

func (b *postingsBuilder) mostChanged(ctx context.Context) (c changedBlock, err error) {
	err = b.conn.QueryRow(ctx, "SELECT _seq / $1::int, count(*), sum(count(*)) OVER ()::bigint FROM "+b.sh.Touched()+" GROUP BY 1 ORDER BY 2 DESC LIMIT 1", b.limits.blockSize).
		Scan(&c.block, &c.changed, &c.all)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return c, err
}

// rebuildWorst rebuilds the block with the most changed documents, if enough documents have changed in total.
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

// rebuildChanged rebuilds a block. It pauses between blocks while the log is too long for searches and still growing, perhaps faster than blocks can
// be built.
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

// rested reports whether enough time has passed since any server last rebuilt a block of the index: limits.rest times as long as the last one took on
// this server.
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

// rebuildBlock rebuilds a block.
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
	// Searches read the log: rows deleted from it should not slow them down.
	_, err = b.conn.Exec(ctx, "VACUUM (SKIP_LOCKED) "+b.sh.Touched())
	return err
}
