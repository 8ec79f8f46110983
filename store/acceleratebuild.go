package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// accelerateLockClass is the class of the advisory lock held while building the postings of an index.
const accelerateLockClass = "1919907699"

const (
	// accelerateDelay is the time between a write and the check for blocks to rebuild.
	accelerateDelay = 2 * time.Second
	// sampledDocuments is the number of documents from which the lexemes are chosen.
	sampledDocuments = 40000
	// outgrown is the factor by which document numbers may grow before the lexemes are chosen anew.
	outgrown = 1.5
	// loadingRate is the number of new documents per second from which an index counts as being loaded: blocks built then would have to be built again.
	loadingRate = 200
	// quiet is the time without writes after which an index is at rest.
	quiet = time.Second
)

// rebuildPostings does one step for an index: it begins to accelerate it, or rebuilds the block that has changed most. again says that there is more
// to do.
func (s *Store) rebuildPostings(ctx context.Context, j job) (again bool, err error) {
	free, err := s.alone(ctx, accelerateLockClass, j.ix, backgroundLocks, func(conn *pgx.Conn) (err error) {
		b := &postingsBuilder{store: s, conn: conn, ix: j.ix, sh: table.ShapeOf(j.ix), limits: s.limits, written: time.Since(j.last) < quiet, afterBlock: restAWhile}
		again, err = b.step(ctx)
		return err
	})
	return again || !free, err
}

type postingsBuilder struct {
	store  *Store
	conn   *pgx.Conn
	ix     *service.Index
	sh     table.Shape
	limits accelerationLimits
	// written says that the index is not at rest.
	written bool
	// afterBlock is called after each block with the time that it took.
	afterBlock func(ctx context.Context, took time.Duration) error
	// renewal is the state of building blocks beside those in use.
	renewal *renewal
}

// builtState is the state of an index's postings before a step.
type builtState struct {
	last       int64 // number of the last document compared
	built      *formula
	blockSize  int
	numbered   int64 // last, when the lexemes were chosen
	generation int64
	ready      bool
	lost       bool // somebody has dropped or emptied a table
}

// readState reads the state without the lexemes, which only building needs: each server takes a step for every index with postings twice a minute,
// and there are thousands of lexemes.
func (b *postingsBuilder) readState(ctx context.Context) (st builtState, err error) {
	var version int64
	err = b.conn.QueryRow(ctx, `SELECT i.version, s.last_value, x.formula, coalesce(x.block_size, 0), coalesce(x.numbered_to, 0), coalesce(x.generation, 0), coalesce(x.ready, false), i.accelerated AND NOT (`+areThereSQL+`)
		FROM `+b.sh.Sequence+" s, rowan.indices i LEFT JOIN rowan.accelerators x ON x.index_id = i.id WHERE i.id = $2", b.sh.Accelerator(), b.ix.ID).
		Scan(&version, &st.last, &st.built, &st.blockSize, &st.numbered, &st.generation, &st.ready, &st.lost)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && version != b.ix.Version {
		return st, service.ErrStale
	}
	if err != nil || !st.ready || st.lost || st.built.newer() {
		return st, err
	}
	var there bool
	err = b.conn.QueryRow(ctx, hasPostingsSQL(b.sh.Relations)).Scan(&there)
	st.lost = !there
	return st, err
}

func (b *postingsBuilder) step(ctx context.Context) (again bool, err error) {
	st, err := b.readState(ctx)
	if err != nil {
		return false, err
	}
	switch {
	case st.built != nil && st.built.newer():
		return false, nil
	case st.lost: // Without the log, writes fail; without the other tables, searches have no postings.
		return true, b.stop(ctx)
	case st.built == nil && b.store.unfit(b.ix):
		return false, nil
	}
	fields := service.SearchedFields(b.ix)
	mine := formulaOf(fields)
	due := float64(st.last) > outgrown*float64(st.numbered) || st.built != nil && *st.built != mine
	if st.built != nil && (!st.built.readable(mine) || due && !st.ready || st.blockSize != b.limits.blockSize) {
		if ready, err := b.quiet(ctx, st.last); !ready || err != nil {
			return true, err
		}
		return true, b.stop(ctx)
	}
	if st.ready && due {
		loading, err := b.loading(ctx, st.last)
		if err != nil {
			return false, err
		}
		due = !loading
	}
	switch {
	case st.ready && due:
		again, err = true, b.renew(ctx, st.generation, fields, st.last)
	case st.ready:
		if again, err = b.rebuildWorst(ctx, st.generation); err == nil && !again {
			again, err = b.gather(ctx, st)
		}
	default:
		again, err = b.buildFirst(ctx, st, fields)
	}
	if errors.Is(err, posting.ErrPatterns) {
		b.store.setUnfit(b.ix)
		return false, errors.Join(err, b.stop(ctx))
	}
	return again, err
}

// buildFirst begins to accelerate an index if it has not begun yet, and builds all of its blocks.
func (b *postingsBuilder) buildFirst(ctx context.Context, st builtState, fields []service.Field) (again bool, err error) {
	var x *accelerator
	if st.built != nil {
		x, err = b.lexemes(ctx, st.generation)
	} else {
		// Numbers are not reused, so there may be fewer documents than numbers; and waiting for writers holds up other indices.
		if enough, err := b.enough(ctx, st.last); !enough || err != nil {
			return false, err
		}
		if ready, err := b.quiet(ctx, st.last); !ready || err != nil {
			return true, err
		}
		x, err = b.begin(ctx, fields, st.last)
	}
	if err != nil {
		return false, err
	}
	return true, b.buildAll(ctx, x)
}

// lexemes reads the accelerator of an index whose acceleration has begun. It returns service.ErrStale if its generation is not the one that the step
// found: after a change of mappings it belongs to another table, whose blocks would lack what this builder does not know about.
func (b *postingsBuilder) lexemes(ctx context.Context, generation int64) (*accelerator, error) {
	x, err := readAccelerator(ctx, b.conn, b.ix.ID)
	if err == nil && (x == nil || x.generation != generation) {
		err = service.ErrStale
	}
	if err != nil {
		return nil, err
	}
	return x, x.readFields(ctx, b.conn, b.sh.Relations, true)
}

// quiet reports whether it is time to begin or to stop: not while many documents are being added, and not during a long write transaction, because
// all other writers would queue behind whoever waits for that one.
func (b *postingsBuilder) quiet(ctx context.Context, last int64) (bool, error) {
	if loading, err := b.loading(ctx, last); loading || err != nil {
		return false, err
	}
	return awaitWriters(ctx, b.conn, b.sh.Table, time.Second)
}

// loading reports whether many documents are being added.
func (b *postingsBuilder) loading(ctx context.Context, last int64) (bool, error) {
	if !b.written {
		return false, nil
	}
	if err := pause(ctx, time.Second); err != nil {
		return false, err
	}
	var now int64
	err := b.conn.QueryRow(ctx, "SELECT last_value FROM "+b.sh.Sequence).Scan(&now)
	return now-last > loadingRate, err
}

// enough reports whether an index whose last document has the given number has enough documents to be accelerated.
func (b *postingsBuilder) enough(ctx context.Context, last int64) (bool, error) {
	if last < int64(b.limits.documents) {
		return false, nil
	}
	var documents int
	err := b.conn.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s LIMIT %d) AS first", b.sh.Table, b.limits.documents)).Scan(&documents)
	return documents >= b.limits.documents, err
}

// begin chooses the lexemes and makes writers log what they touch from now on.
func (b *postingsBuilder) begin(ctx context.Context, fields []service.Field, last int64) (*accelerator, error) {
	x, err := b.choose(ctx, fields, last)
	if err != nil {
		return nil, err
	}
	return x, b.exchange(ctx, true, func(tx pgx.Tx) error {
		statements := append(b.sh.DropAccelerator(), b.sh.CreateLog()...)
		if err := execAll(ctx, tx, append(statements, b.sh.CreatePostings()...)); err != nil {
			return err
		}
		return b.insert(ctx, tx, x, last)
	})
}

// insert records the choice in the catalog and sets its generation.
func (b *postingsBuilder) insert(ctx context.Context, tx pgx.Tx, x *accelerator, last int64) error {
	lexemes, frequencies := inOrder(x.frequencies)
	return tx.QueryRow(ctx, `INSERT INTO rowan.accelerators (index_id, generation, block_size, numbered_to, average_length, formula, lexemes, frequencies, counted, counts)
		VALUES ($1, `+sqltext.Moment+`, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING generation`,
		b.ix.ID, x.blockSize, last, x.averageLength, x.formula, lexemes, frequencies, x.rarer.All(), x.rarer.Documents).Scan(&x.generation)
}

// stop removes the postings and everything that belongs to them.
func (b *postingsBuilder) stop(ctx context.Context) error {
	defer b.store.forgetAccelerator(b.ix.ID)
	return b.exchange(ctx, false, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM rowan.accelerators WHERE index_id = $1", b.ix.ID); err != nil {
			return err
		}
		return execAll(ctx, tx, b.sh.DropAccelerator())
	})
}

// exchange sets whether writers log what they touch. Writers that still did otherwise have ended when it returns.
func (b *postingsBuilder) exchange(ctx context.Context, accelerated bool, f func(tx pgx.Tx) error) error {
	return b.store.withTable(ctx, func(lockTimeout string) error {
		return pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error {
			if err := takeIndex(ctx, tx, b.ix.ID, lockTimeout); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, "UPDATE rowan.indices SET accelerated = $3 WHERE id = $1 AND version = $2", b.ix.ID, b.ix.Version, accelerated)
			if err != nil {
				return err
			}
			if tag.RowsAffected() == 0 {
				return service.ErrStale
			}
			return f(tx)
		})
	})
}

// buildAll builds every block, and then makes searches use them.
func (b *postingsBuilder) buildAll(ctx context.Context, x *accelerator) error {
	// Transactions that were already writing when the log was created may not know about it.
	if ended, err := awaitWriters(ctx, b.conn, b.sh.Table, time.Second); !ended || err != nil {
		return err // it is tried again
	}
	if err := b.buildBlocks(ctx, x); err != nil {
		return err
	}
	return b.count(ctx, x)
}

// buildBlocks builds every block that has documents.
func (b *postingsBuilder) buildBlocks(ctx context.Context, x *accelerator) error {
	blocks, err := b.occupied(ctx, x.blockSize)
	if err != nil {
		return err
	}
	bb := newBlockBuilder(b, x)
	if err := bb.buildEach(ctx, blocks); err != nil {
		return err
	}
	again, _ := slices.BinarySearch(blocks, bb.withoutOrder())
	if err := bb.buildEach(ctx, blocks[:again]); err != nil {
		return err
	}
	if err := bb.catchUp(ctx); err != nil {
		return err
	}
	_, err = b.conn.Exec(ctx, "ANALYZE "+b.sh.Postings()+", "+b.sh.Values())
	return err
}

// occupied returns the numbers of the blocks that have documents or are already built, in order. Numbers are not reused, so where documents come and
// go most blocks are empty: the query asks the index on numbers for the first document of each occupied block.
func (b *postingsBuilder) occupied(ctx context.Context, blockSize int) ([]int64, error) {
	rows, _ := b.conn.Query(ctx, fmt.Sprintf(`WITH RECURSIVE occupied (block) AS (
			SELECT min(_seq) / %[2]d FROM %[1]s
			UNION ALL SELECT (SELECT min(_seq) FROM %[1]s WHERE _seq >= (o.block + 1) * %[2]d) / %[2]d FROM occupied o WHERE o.block IS NOT NULL)
		SELECT block FROM occupied WHERE block IS NOT NULL UNION SELECT block FROM %[3]s WHERE lexeme = '' ORDER BY block`,
		b.sh.Table, blockSize, b.sh.Postings()))
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// buildEach builds blocks, one at a time.
func (bb *blockBuilder) buildEach(ctx context.Context, blocks []int64) error {
	for _, block := range blocks {
		start := time.Now()
		if err := bb.build(ctx, block); err != nil {
			return err
		}
		if err := bb.afterBlock(ctx, time.Since(start)); err != nil {
			return err
		}
		if err := bb.renewal.keepUp(ctx); err != nil {
			return err
		}
	}
	return nil
}

// restAWhile leaves the machine to searches for half the time that a block took.
func restAWhile(ctx context.Context, took time.Duration) error { return pause(ctx, took/2) }

// blockCounts holds document counts over all blocks: the total, the counts of each lexeme with postings, in the order of inOrder, and those of each
// of the rarer lexemes.
type blockCounts struct {
	documents          int64
	frequencies, rarer []int64
}

// count counts the documents of all blocks, in total and for each lexeme, and makes searches use the blocks.
func (b *postingsBuilder) count(ctx context.Context, x *accelerator) error {
	counts, err := b.countBlocks(ctx, x)
	if err != nil {
		return err
	}
	defer b.store.forgetAccelerator(b.ix.ID)
	return b.use(ctx, b.conn, x, counts)
}

func (b *postingsBuilder) countBlocks(ctx context.Context, x *accelerator) (c blockCounts, err error) {
	if c.rarer, err = b.countRarer(ctx, x); err != nil {
		return c, err
	}
	lexemes, _ := inOrder(x.frequencies)
	err = b.conn.QueryRow(ctx, `WITH counted AS MATERIALIZED (SELECT lexeme, sum(documents)::bigint AS n FROM `+b.sh.Postings()+` GROUP BY lexeme)
		SELECT coalesce((SELECT n FROM counted WHERE lexeme = ''), 0), (
			SELECT coalesce(array_agg(coalesce(n, 0) ORDER BY place), '{}') FROM unnest($1::text[]) WITH ORDINALITY AS l(lexeme, place) LEFT JOIN counted USING (lexeme))`,
		lexemes).Scan(&c.documents, &c.frequencies)
	return c, err
}

// use makes searches use the blocks, and stores their counts.
func (b *postingsBuilder) use(ctx context.Context, db executor, x *accelerator, c blockCounts) error {
	_, err := db.Exec(ctx, "UPDATE rowan.accelerators SET ready = true, counted_at = now(), documents = $3, frequencies = $4, counts = $5 WHERE index_id = $1 AND generation = $2",
		b.ix.ID, x.generation, c.documents, c.frequencies, c.rarer)
	return err
}

// countRarer adds up the counts of all blocks.
func (b *postingsBuilder) countRarer(ctx context.Context, x *accelerator) ([]int64, error) {
	counts := make([]int64, len(x.rarer.Documents))
	rows, err := b.conn.Query(ctx, "SELECT documents FROM "+b.sh.Counts())
	if err != nil {
		return nil, err
	}
	var block []int32
	_, err = pgx.ForEachRow(rows, []any{&block}, func() error {
		if len(block) != len(counts) {
			return errRebuilt // by a server that chose other lexemes
		}
		for i, n := range block {
			counts[i] += int64(n)
		}
		return nil
	})
	return counts, err
}
