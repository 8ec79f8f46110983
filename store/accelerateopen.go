package store

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// errRebuilt tells that the postings are others than those that the search was prepared for.
var errRebuilt = errors.New("store: the postings have been built anew")

// open begins the transaction of a search and reads in the same round trip what its answer is made of: whether the
// plan still holds, the documents that are not as their blocks have them, and the postings. t is nil where the plain
// statement has to answer.
func (a *accelerated) open(ctx context.Context, conn *pgx.Conn, cache *acceleratorCache) (t *blockTally, err error) {
	batch := a.beginSQL()
	changed := a.changedSQL()
	batch.Queue(changed.sql, changed.args...)
	postings := a.postingsSQL()
	batch.Queue(postings.sql, postings.args...)
	if len(a.valued) > 0 {
		batch.Queue("SELECT field, block, xmin FROM "+a.sh.values()+" WHERE field = ANY((SELECT $1::text[])::text[])", a.valued)
	}
	if len(a.phrases) > 0 {
		batch.Queue("SELECT block, xmin FROM "+a.sh.postings()+" WHERE lexeme = $1", everyDocument)
	}
	results := conn.SendBatch(ctx, batch)
	t, writers, err := a.read(results, &cache.valuesCache)
	if err = cmp.Or(err, results.Close()); err != nil || t == nil {
		return nil, err
	}
	if len(a.phrases) > 0 {
		if err := t.findPhrases(ctx, conn, &cache.phraseCache, writers); err != nil {
			return nil, err
		}
	}
	t.find()
	return t, nil
}

// read reads the results of the queries of open.
func (a *accelerated) read(results pgx.BatchResults, cache *valuesCache) (t *blockTally, writers map[int64]uint32, err error) {
	if err := a.begun(results); err != nil {
		return nil, nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, nil, err
	}
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(numbers) > a.limits.changed {
		return nil, nil, err
	}
	t = newBlockTally(a, numbers)
	if rows, err = results.Query(); err != nil {
		return nil, nil, err
	}
	if err := t.take(rows); err != nil {
		return nil, nil, err
	}
	if len(a.valued) > 0 {
		if rows, err = results.Query(); err != nil {
			return nil, nil, err
		}
		if t.values, err = cache.known(rows, a); err != nil {
			return nil, nil, err
		}
	}
	if len(a.phrases) > 0 {
		if rows, err = results.Query(); err != nil {
			return nil, nil, err
		}
		if writers, err = blockWriters(rows); err != nil {
			return nil, nil, err
		}
	}
	return t, writers, nil
}

// postingsSQL selects the postings of all lexemes. It is prepared, and so comes in binary form; as text it is twice as
// large.
func (a *accelerated) postingsSQL() statement {
	return statement{"SELECT lexeme, block, documents, top, postings FROM " + a.sh.postings() + " WHERE lexeme = ANY((SELECT $1::text[])::text[]) ORDER BY block",
		[]any{a.lexemes}, true}
}

// inSnapshot has f begin a transaction and read in it. Whether f has ended it or not, nobody waits for its end: nothing
// was written.
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
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.SearchTimeout)
			defer cancel()
			_, _ = conn.Exec(ctx, "rollback") // a connection that cannot is thrown away
			conn.Release()
		}()
	}()
	return f(conn.Conn())
}

// checkVersion tells whether the catalog of the snapshot, whose version row begins with, is still that of the plan. The
// rest of the row is scanned into more.
func checkVersion(row pgx.Row, want int64, more ...any) error {
	var version int64
	err := row.Scan(append([]any{&version}, more...)...)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && version != want {
		return service.ErrStale
	}
	return err
}

// beginSQL begins a transaction and asks what its snapshot is of.
func (a *accelerated) beginSQL() *pgx.Batch {
	batch := &pgx.Batch{}
	batch.BeginTx(pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	batch.Queue(`SELECT a.version, (SELECT x.generation FROM rowan.accelerators x WHERE x.index_id = $2::bigint AND x.ready)
		FROM rowan.applications a WHERE a.id = $1::text`, a.plan.Index.Application, a.plan.Index.ID)
	return batch
}

// begun reads the answers to beginSQL, and tells whether the plan and the postings are those of the snapshot.
func (a *accelerated) begun(results pgx.BatchResults) error {
	if _, err := results.Exec(); err != nil {
		return err
	}
	var generation *int64
	if err := checkVersion(results.QueryRow(), a.plan.Version, &generation); err != nil {
		return err
	}
	if generation == nil || *generation != a.generation {
		return errRebuilt
	}
	return nil
}
