package store

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
)

// errRebuilt says that the postings are no longer those that the search was prepared for.
var errRebuilt = errors.New("store: the postings have been built anew")

// open begins the transaction of a search and reads in the same round trip everything that its answer needs: whether the plan is still valid, the
// changed documents, and the postings. t is nil if the plain statement has to answer.
func (a *accelerated) open(ctx context.Context, conn *pgx.Conn) (t *blockTally, err error) {
	a.history = historyOf(ctx, conn)
	batch := a.beginSQL()
	changed := a.changedSQL()
	batch.Queue(changed.SQL, changed.Args...)
	postings := a.queueBlocks(batch)
	space := blockvalues.NewSpace(a.blockSize)
	ahead := a.ahead(postings, space)
	ahead.queue(batch)
	results := conn.SendBatch(ctx, batch)
	t, err = a.read(results, postings, space)
	if err == nil && t != nil {
		err = ahead.take(ctx, results)
	}
	t = ahead.settle(t)
	if t == nil {
		space.Release()
	}
	if err = cmp.Or(err, results.Close()); err != nil || t == nil || t.ahead != nil {
		return t, err
	}
	if err := postings.finish(ctx, conn, t); err != nil || t.tooMany() {
		return nil, err
	}
	if len(a.phrases) > 0 {
		if err := t.findPhrases(ctx, conn, &a.cache.phraseCache); err != nil {
			return nil, err
		}
	}
	t.find()
	return t, nil
}

// read reads the results of the queries of open.
func (a *accelerated) read(results pgx.BatchResults, postings *postingsQuery, space *blockvalues.Space) (t *blockTally, err error) {
	if err := a.begun(results); err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	changed, err := a.takeChanged(rows, &a.cache.logged)
	if err != nil || len(changed.all) > a.mostLogged {
		return nil, err
	}
	a.unknown = changed.unknown // if there are too many, they must be remembered
	if len(changed.looked) > a.mostLooked {
		return nil, nil
	}
	t = newBlockTally(a, space, changed)
	if err := a.readBlocks(results, postings, t); err != nil {
		return nil, err
	}
	return t, nil
}

// queueBlocks requests the blocks, except for what is remembered of them.
func (a *accelerated) queueBlocks(batch *pgx.Batch) *postingsQuery {
	postings := a.cache.postingsCache.query(a, true)
	postings.queue(batch)
	if len(a.valued) > 0 {
		batch.Queue("SELECT field, block, xmin FROM "+a.sh.Values()+" WHERE field = ANY((SELECT $1::text[])::text[])", a.valued)
	}
	return postings
}

// readBlocks reads the results of queueBlocks.
func (a *accelerated) readBlocks(results pgx.BatchResults, postings *postingsQuery, t *blockTally) error {
	err := postings.read(results, t)
	if err != nil || len(a.valued) == 0 {
		return err
	}
	rows, err := results.Query()
	if err == nil {
		t.values, err = a.cache.valuesCache.known(rows, a)
	}
	return err
}

// inSnapshot calls f, which begins a transaction and reads in it. If f has not ended the transaction, it is rolled back in the background: nothing
// was written, so nobody needs to wait for that.
func (s *Store) inSnapshot(ctx context.Context, f func(conn *pgx.Conn) error) error {
	conn, err := s.readPool(ctx).Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if conn.Conn().PgConn().TxStatus() == 'I' {
			conn.Release()
			return
		}
		go func() {
			ctx, done := s.outliving(ctx)
			defer done()
			_, _ = conn.Exec(ctx, "rollback") // if this fails, the connection is discarded
			conn.Release()
		}()
	}()
	return f(conn.Conn())
}

// checkVersion returns service.ErrStale if a row of catalogSQL shows that the plan is out of date. Further columns of the row are scanned into more.
func checkVersion(row pgx.Row, p *service.Plan, h history, more ...any) error {
	var version int64
	var seen string
	columns := append([]any{&version}, more...)
	if p.Words != nil {
		columns = append(columns, &seen)
	}
	err := row.Scan(columns...)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return service.ErrStale
	case err != nil:
		return err
	case !service.MadeBy(p.Version, version) || p.Words != nil && seenIn(h, seen) != p.Words.State:
		return service.ErrStale
	}
	if p.Words != nil {
		p.Words.Current = true
	}
	return nil
}

// beginSnapshot begins a transaction that reads some tables as of one moment. It locks them first: a statement that waits while a table is exchanged,
// as in a rebuild, would read the new table, whose rows its older snapshot cannot see. The first statement other than LOCK TABLE takes the snapshot.
func beginSnapshot(tables ...string) *pgx.Batch {
	batch := &pgx.Batch{}
	batch.BeginTx(pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	batch.Queue("LOCK TABLE " + strings.Join(tables, ", ") + " IN ACCESS SHARE MODE")
	return batch
}

// begunSnapshot reads the results of the statements that beginSnapshot queued.
func begunSnapshot(results pgx.BatchResults) error {
	_, err := results.Exec()
	if err == nil {
		_, err = results.Exec()
	}
	return err
}

// beginSQL begins a transaction and reads the versions that its snapshot has. Of the tables of postings, the log is the first to be locked in an
// exchange.
func (a *accelerated) beginSQL() *pgx.Batch {
	batch := beginSnapshot(a.sh.Table, a.sh.Touched())
	batch.Queue(catalogSQL(a.plan, "(SELECT x.generation FROM rowan.accelerators x WHERE x.index_id = $2::bigint AND x.ready)"), a.plan.Index.Application, a.plan.Index.ID)
	return batch
}

// begun reads the results of beginSQL and returns an error if the plan or the postings are not those of the snapshot.
func (a *accelerated) begun(results pgx.BatchResults) error {
	if err := begunSnapshot(results); err != nil {
		return err
	}
	var generation *int64
	if err := checkVersion(results.QueryRow(), a.plan, a.history, &generation); err != nil {
		return err
	}
	if generation == nil || *generation != a.generation {
		return errRebuilt
	}
	return nil
}
