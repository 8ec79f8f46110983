package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// GetDocuments returns the documents of ix that exist among ids.
func (s *Store) GetDocuments(ctx context.Context, ix *service.Index, ids []string) (map[string]service.Document, error) {
	docs, err := reading(ctx, s, func(ctx context.Context) (map[string]service.Document, error) {
		rows, err := s.readPool(ctx).Query(ctx, relationsOf(ix.Application, ix.Name).documentsSQL(), ids)
		return collectDocuments(ctx, rows, err, len(ids))
	})
	if gone(err) {
		s.forget(ix.Application)
		return nil, service.ErrStale
	}
	return docs, clientError(err)
}

// documentsSQL selects the documents with given ids.
func (r relations) documentsSQL() string {
	return "SELECT _id, _body, _autocomplete FROM " + r.table + " WHERE _id = ANY($1::text[])"
}

// collectDocuments reads what documentsSQL selects, at most n documents.
func collectDocuments(ctx context.Context, rows pgx.Rows, err error, n int) (map[string]service.Document, error) {
	if err != nil {
		return nil, err
	}
	docs := make(map[string]service.Document, n)
	var d service.Document
	_, err = pgx.ForEachRow(rows, []any{&d.ID, &d.Body, &d.Autocomplete}, func() error {
		docs[d.ID] = d
		size := len(d.Body)
		d = service.Document{}
		return service.Hold(ctx, size)
	})
	return docs, err
}

// Write runs one write transaction. It locks the documents in the order of their ids, so that transactions
// that touch the same ones wait for each other rather than block each other; what PostgreSQL rolls back all
// the same is run again.
func (s *Store) Write(ctx context.Context, w service.Write) (map[string]service.Document, error) {
	ids := slices.Clone(w.IDs)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var docs map[string]service.Document
	var counts written
	err := retry(ctx, func() error {
		service.HoldAnew(ctx)
		return s.inBatches(ctx, func(conn *pgx.Conn) (err error) {
			docs, counts, err = writeIn(ctx, conn, w, ids)
			return err
		})
	})
	if errors.Is(err, service.ErrStale) || gone(err) {
		s.forget(w.Index.Application)
		return nil, service.ErrStale
	}
	if err == nil {
		s.counted.add(counts)
		s.wrote(w.Index, counts.total())
	}
	return docs, err
}

// writeIn begins the transaction and writes.
func writeIn(ctx context.Context, conn *pgx.Conn, w service.Write, ids []string) (docs map[string]service.Document, counts written, err error) {
	r := relationsOf(w.Index.Application, w.Index.Name)
	lockSQL, lockArg := lockIndex(w.Index.ID, false)
	body := "NULL::jsonb"
	if w.Bodies {
		body = "_body"
	}
	var version int64
	var rebuilding, accelerated bool
	seqs := make(map[string]int64, len(ids))
	current := make(map[string]json.RawMessage, len(ids))

	// One round trip. The lock stands alone, so that the statements after it see what was committed before
	// it was granted.
	batch := &pgx.Batch{}
	batch.BeginTx(pgx.TxOptions{})
	batch.Queue(lockSQL, lockArg)
	batch.Queue("SELECT version, rebuilding, accelerated FROM rowan.indices WHERE id = $1", w.Index.ID).QueryRow(func(row pgx.Row) error {
		return row.Scan(&version, &rebuilding, &accelerated)
	})
	batch.Queue("SELECT _id, _seq, "+body+" FROM "+r.table+" WHERE _id = ANY($1) ORDER BY _id FOR UPDATE", ids).Query(func(rows pgx.Rows) error {
		var id string
		var seq int64
		var body json.RawMessage
		_, err := pgx.ForEachRow(rows, []any{&id, &seq, &body}, func() error {
			seqs[id], current[id] = seq, body
			size := len(body)
			body = nil
			return service.Hold(ctx, size)
		})
		return err
	})
	batch.Queue(keepPlans+", set_config($1, $2, true)", loggedSetting, fmt.Sprint(w.Index.ID))
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, counts, service.ErrStale
		}
		return nil, counts, err
	}
	if version != w.Index.Version {
		return nil, counts, service.ErrStale
	}

	changes, err := w.Decide(current)
	if err != nil || len(changes) == 0 {
		return nil, counts, err
	}
	slices.SortFunc(changes, func(a, b service.Change) int { return compare(a.ID, b.ID) })
	batch = &pgx.Batch{}
	docs = map[string]service.Document{}
	for chunk := range chunked(changes) {
		if batch.Len() > 0 { // one chunk at a time: each is kept in memory several times until it is sent
			if err := conn.SendBatch(ctx, batch).Close(); err != nil {
				return nil, counts, err
			}
			batch = &pgx.Batch{}
		}
		var stored, removed []string
		var numbers []*int64
		var bodies []json.RawMessage
		for _, c := range chunk {
			if c.Body == nil {
				removed = append(removed, c.ID)
				continue
			}
			var number *int64
			if seq, ok := seqs[c.ID]; ok {
				number = &seq
			}
			stored, numbers, bodies = append(stored, c.ID), append(numbers, number), append(bodies, c.Body)
		}
		if len(removed) > 0 {
			counts.deleted += int64(len(removed)) // they are there, and locked
			batch.Queue("WITH gone AS (DELETE FROM "+r.table+" WHERE _id = ANY($1) RETURNING _seq)"+r.logTouched(accelerated, "gone")+
				" INSERT INTO "+r.changes+" (_seq) SELECT _seq FROM gone", removed)
		}
		if len(stored) == 0 {
			continue
		}
		returned := "NULL::jsonb, NULL::text[]"
		if w.Return {
			returned = "_body, _autocomplete"
		}
		batch.Queue(fmt.Sprintf(upsertSQL, r.table, literal(r.sequence), returned, r.changes, r.logTouched(accelerated, "written")), stored, numbers, bodies).Query(func(rows pgx.Rows) error {
			var d service.Document
			var inserted bool
			_, err := pgx.ForEachRow(rows, []any{&d.ID, &inserted, &d.Body, &d.Autocomplete}, func() error {
				if inserted {
					counts.created++
				} else {
					counts.updated++
				}
				if w.Return {
					docs[d.ID] = d
				}
				d = service.Document{}
				return nil
			})
			return err
		})
	}
	if rebuilding {
		touched := make([]string, len(changes))
		for i, c := range changes {
			touched[i] = c.ID
		}
		batch.Queue("INSERT INTO "+r.rebuildLog+" (_id) SELECT unnest($1::text[])", touched)
	}
	err = conn.SendBatch(ctx, batch).Close()
	return docs, counts, err
}

// keepPlans goes before what writes documents in a transaction. The connections plan each execution anew (poolConfig),
// and with it, for each document, the queries in functions of generated columns: an array of numbers or dates costs a
// third with plans that are kept.
const keepPlans = "SELECT set_config('plan_cache_mode', 'auto', true)"

// upsertSQL writes documents in the order of their ids. A document keeps its number; a number is drawn only
// for a new one, so that the numbers stay dense. Where one was not there before, but is now, what was decided about it
// may be wrong: that fails, and is repeated.
const upsertSQL = `
WITH written AS (
  INSERT INTO %[1]s AS t (_id, _seq, _body)
  SELECT u.id, coalesce(u.seq, nextval(%[2]s)), u.body
  FROM unnest($1::text[], $2::bigint[], $3::jsonb[]) AS u(id, seq, body) ORDER BY u.id COLLATE "C"
  ON CONFLICT (_id) DO UPDATE SET _body = CASE WHEN t._seq = excluded._seq THEN excluded._body ELSE rowan.appeared() END, _updated_at = now()
  RETURNING _id, _seq, xmax = 0 AS inserted, %[3]s),
log AS (INSERT INTO %[4]s (_seq) SELECT _seq FROM written)%[5]s
SELECT _id, inserted, %[3]s FROM written`

// logTouched is the part of a statement that logs the numbers in a part of it for the postings, if there are any.
func (r relations) logTouched(accelerated bool, from string) string {
	if !accelerated {
		return ""
	}
	return ", touched AS (INSERT INTO " + r.touched() + " (_seq) SELECT _seq FROM " + from + ")"
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
