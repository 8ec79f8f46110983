package store

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/table"
)

// nextPostings are the postings of a table that a rebuild has filled. They come into use with the table: otherwise the plain statement would have to
// answer searches for common words until the builder has built them, which takes a minute for a million documents.
type nextPostings struct {
	builder *postingsBuilder
	chosen  *accelerator
	counts  blockCounts
	last    int64
}

// buildNext builds the postings of a filled table; the result is nil if the table is to have none.
func (s *Store) buildNext(ctx context.Context, conn *pgx.Conn, next *service.Index, sh table.Shape) (*nextPostings, error) {
	sh.Relations = sh.WithPostings(table.PostingsOfNext)
	sh.Table = sh.Next
	b := &postingsBuilder{store: s, conn: conn, ix: next, sh: sh, limits: s.limits, afterBlock: restAWhile}
	n := &nextPostings{builder: b}
	if err := conn.QueryRow(ctx, "SELECT last_value FROM "+sh.Sequence).Scan(&n.last); err != nil {
		return nil, err
	}
	enough, err := b.enough(ctx, n.last)
	if !enough || err != nil {
		return nil, err
	}
	if n.chosen, err = b.choose(ctx, service.SearchedFields(next), n.last); err != nil {
		return nil, err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		return execAll(ctx, tx, slices.Concat(sh.DropNextPostings(), sh.CreateLog(), sh.CreatePostings()))
	})
	if err != nil {
		return nil, err
	}
	err = b.buildBlocks(ctx, n.chosen)
	if errors.Is(err, posting.ErrPatterns) { // the builder will find that out, too
		return nil, execAll(ctx, conn, sh.DropNextPostings())
	}
	if err != nil {
		return nil, err
	}
	n.counts, err = b.countBlocks(ctx, n.chosen)
	return n, err
}

// use makes an index use the new table's postings, if there are any, once its table has been exchanged.
func (n *nextPostings) use(ctx context.Context, tx pgx.Tx, index int64) error {
	if _, err := tx.Exec(ctx, "DELETE FROM rowan.accelerators WHERE index_id = $1", index); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE rowan.indices SET accelerated = $2 WHERE id = $1", index, n != nil); err != nil || n == nil {
		return err
	}
	b := n.builder
	if err := execAll(ctx, tx, b.sh.WithPostings(table.PostingsInUse).TakePostings(table.PostingsOfNext)); err != nil {
		return err
	}
	if err := b.insert(ctx, tx, n.chosen, n.last); err != nil {
		return err
	}
	return b.use(ctx, tx, n.chosen, n.counts)
}
