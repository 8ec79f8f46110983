package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// The lexemes of an index that has grown are chosen anew, and with them all blocks are others: those of one choice cannot be
// mixed with those of another. So the new ones are built in tables beside those in use, which searches go on with, and exchanged
// for them in one transaction. Meanwhile no block in use is rebuilt: there is one log, and a row of it is needed until the blocks of
// both have what was written.

// loggedRows are rows of the log of an index: of each the document and the transaction that wrote it. All rows of a
// transaction are seen at once, so this tells which were seen, wherever a VACUUM FULL puts them.
type loggedRows struct {
	documents []int64
	writers   []uint32
}

// renew builds all blocks beside those of a generation, with lexemes chosen anew, and exchanges them.
func (b *postingsBuilder) renew(ctx context.Context, generation int64, fields []service.Field, last int64) error {
	beside := *b
	beside.sh.relations = b.sh.withPostings(postingsRenewed)
	beside.logged = &loggedRows{}
	x, err := beside.choose(ctx, fields, last)
	if err != nil {
		return err
	}
	// There are some where a server has ended while it built them.
	err = pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error {
		return execAll(ctx, tx, append(beside.sh.dropPostings(), beside.sh.createPostings()...))
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
	defer b.store.forgetAccelerator(b.ix.ID)
	err = b.exchange(ctx, true, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "DELETE FROM rowan.accelerators WHERE index_id = $1 AND generation = $2", b.ix.ID, generation)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return service.ErrStale
		}
		// Searches have locked the log before they took their snapshots: none that is too old for the new blocks finds them.
		if _, err := tx.Exec(ctx, "LOCK TABLE "+b.sh.touched()+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM "+b.sh.touched()+" l USING unnest($1::bigint[], $2::xid[]) AS seen(_seq, writer) WHERE l._seq = seen._seq AND l.xmin = seen.writer",
			beside.logged.documents, beside.logged.writers)
		if err != nil {
			return err
		}
		if err := execAll(ctx, tx, append(b.sh.dropPostings(), b.sh.takePostings(postingsRenewed)...)); err != nil {
			return err
		}
		if err := b.insert(ctx, tx, x, last); err != nil {
			return err
		}
		return b.use(ctx, tx, x, counts)
	})
	if err != nil {
		return err
	}
	_, err = b.conn.Exec(ctx, "VACUUM (SKIP_LOCKED) "+b.sh.touched())
	return err
}

// dropPostings is the DDL that removes the tables of the postings, but not the log.
func (r relations) dropPostings() []string {
	var out []string
	for _, kind := range kindsOfPostings {
		out = append(out, "DROP TABLE IF EXISTS "+r.tableOfPostings(kind))
	}
	return out
}

// takePostings is the DDL that gives tables of postings the names of those in use, which are gone.
func (r relations) takePostings(set postingsSet) []string {
	of := r.withPostings(set)
	var out []string
	for _, kind := range kindsOfPostings {
		table := of.tableOfPostings(kind)
		out = append(out, "ALTER TABLE "+table+" RENAME CONSTRAINT "+quote(of.nameOfKey(kind))+" TO "+quote(r.nameOfKey(kind)),
			"ALTER TABLE "+table+" RENAME TO "+quote(r.ofPostings(kind)))
	}
	if of.touched() != r.touched() {
		out = append(out, "ALTER TABLE "+of.touched()+" RENAME TO "+quote(r.ofPostings(logKind)))
	}
	return out
}
