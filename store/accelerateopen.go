package store

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/rowansearch/rowan/service"
)

// errRebuilt tells that the postings are others than those that the search was prepared for.
var errRebuilt = errors.New("store: the postings have been built anew")

// open begins the transaction of a search and reads in the same round trip what its answer is made of: whether the
// plan still holds, the documents that are not as their blocks have them, and the postings. t is nil where the plain
// statement has to answer. tx is to be ended by the caller, unless it is nil.
func (a *accelerated) open(ctx context.Context, conn *pgx.Conn, cache *valuesCache) (tx pgx.Tx, t *blockTally, err error) {
	batch := &pgx.Batch{}
	batch.BeginTx(pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	batch.Queue(`SELECT a.version, (SELECT x.generation FROM rowan.accelerators x WHERE x.index_id = $2::bigint AND x.ready)
		FROM rowan.applications a WHERE a.id = $1::text`, a.plan.Index.Application, a.plan.Index.ID)
	changed := a.changedSQL()
	batch.Queue(changed.sql, changed.args...)
	postings := a.postingsSQL()
	batch.Queue(postings.sql, postings.args...)
	if len(a.valued) > 0 {
		batch.Queue("SELECT field, block, xmin FROM "+a.sh.values()+" WHERE field = ANY((SELECT $1::text[])::text[])", a.valued)
	}
	results := conn.SendBatch(ctx, batch)
	tx = results.Tx()
	defer func() { err = cmp.Or(err, results.Close()) }()
	if _, err := results.Exec(); err != nil {
		return tx, nil, err
	}
	if err := a.check(results.QueryRow()); err != nil {
		return tx, nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return tx, nil, err
	}
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(numbers) > a.limits.changed {
		return tx, nil, err
	}
	t = newBlockTally(a, numbers)
	if rows, err = results.Query(); err != nil {
		return tx, nil, err
	}
	if err := t.take(rows); err != nil {
		return tx, nil, err
	}
	if len(a.valued) > 0 {
		if rows, err = results.Query(); err != nil {
			return tx, nil, err
		}
		if t.values, err = cache.known(rows, a); err != nil {
			return tx, nil, err
		}
	}
	return tx, t, nil
}

// postingsSQL selects the postings of all lexemes. It is prepared, and so comes in binary form; as text it is twice as
// large.
func (a *accelerated) postingsSQL() statement {
	return statement{"SELECT lexeme, block, documents, top, postings FROM " + a.sh.postings() + " WHERE lexeme = ANY((SELECT $1::text[])::text[]) ORDER BY block",
		[]any{a.lexemes}, true}
}

// endSnapshot ends the transaction of a search, if it is not at its end, and gives its connection back. Nothing was
// written, so nobody need wait for that.
func (s *Store) endSnapshot(ctx context.Context, conn *pgxpool.Conn, tx pgx.Tx) {
	if tx == nil || conn.Conn().PgConn().TxStatus() == 'I' { // what is begun otherwise is thrown away
		conn.Release()
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.SearchTimeout)
		defer cancel()
		_ = tx.Rollback(ctx) // a connection that cannot is thrown away
		conn.Release()
	}()
}

// checkVersion tells whether the catalog of the snapshot is still that of the plan.
func checkVersion(row pgx.Row, want int64) error {
	var version int64
	err := row.Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && version != want {
		return service.ErrStale
	}
	return err
}

// check tells whether the plan and the postings are those of the snapshot.
func (a *accelerated) check(row pgx.Row) error {
	var version int64
	var generation *int64
	err := row.Scan(&version, &generation)
	switch {
	case errors.Is(err, pgx.ErrNoRows) || err == nil && version != a.plan.Version:
		return service.ErrStale
	case err != nil:
		return err
	case generation == nil || *generation != a.generation:
		return errRebuilt
	}
	return nil
}
