package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// Write runs one write transaction. It locks the documents in the order of their ids, so that transactions
// that touch the same ones wait for each other rather than block each other; what PostgreSQL rolls back all
// the same is run again, in the end while nobody else writes to the index: documents that others store and delete all the
// time might come in between as often.
func (s *Store) Write(ctx context.Context, w service.Write) (map[string]service.Document, error) {
	var t *writing
	tries := 0
	giveUp := service.Held(ctx)
	err := retry(ctx, func() error {
		tries++
		giveUp()
		return s.inBatches(ctx, func(conn *pgx.Conn) error {
			t = newWriting(conn, w, &s.seenByWrites)
			t.alone = tries > maxAttempts/2
			return t.run(ctx)
		})
	})
	if errors.Is(err, service.ErrStale) || gone(err) {
		s.seenByWrites.logging.note(w.Index.ID, false)
		s.forget(w.Index.Application)
		if gone(err) {
			s.dirty(w.Index) // it may be what the background work makes anew
		}
		return nil, stale(err)
	}
	if err := refusal(err); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, s.namingUnfit(ctx, t, err)
	}
	if w.Upsert != nil {
		s.seenByWrites.changing.note(w.Index.ID, t.counts.updated > 0)
	}
	s.counted.add(t.counts)
	s.wrote(w.Index, t.counts.total())
	return t.docs, nil
}

// errLeftOut tells that a trigger of somebody else has returned NULL for a row: PostgreSQL passes over it, and says nothing.
var errLeftOut = errors.New("a trigger on the table skipped documents")

// seenByWrites is what the last write of this process has seen of each index, by its id: a guess for the next one, which finds out.
type seenByWrites struct {
	logging  noted // that log which documents their postings are behind with
	changing noted // of which a document that was stored alone was there before
}

func (s *seenByWrites) forget(id int64) {
	s.logging.note(id, false)
	s.changing.note(id, false)
}

// noted are ids of indices.
type noted struct{ sync.Map }

func (n *noted) has(id int64) bool {
	_, ok := n.Load(id)
	return ok
}

func (n *noted) note(id int64, has bool) {
	switch {
	case has == n.has(id):
	case has:
		n.Store(id, struct{}{})
	default:
		n.Delete(id)
	}
}

// writing is one write transaction.
type writing struct {
	service.Write
	table.Relations
	conn   *pgx.Conn
	seen   *seenByWrites
	alone  bool // nobody else may write to the index meanwhile
	docs   map[string]service.Document
	counts written

	// What the catalog says of the index since the lock on it was granted.
	version                 int64
	rebuilding, accelerated bool
	// The documents that there are.
	numbers map[string]int64
	current map[string]json.RawMessage
	// What it changes.
	changed []service.Change
}

func newWriting(conn *pgx.Conn, w service.Write, seen *seenByWrites) *writing {
	return &writing{Write: w, Relations: table.RelationsOf(w.Index.Application, w.Index.Name), conn: conn, seen: seen,
		docs: map[string]service.Document{}, numbers: map[string]int64{}, current: map[string]json.RawMessage{}}
}

// run begins the transaction and writes: what does not depend on the documents that there are in one round trip, else in
// two.
func (t *writing) run(ctx context.Context) error {
	batch := &pgx.Batch{}
	t.begin(batch)
	decide := t.Decide
	if t.Upsert != nil {
		t.changed = []service.Change{*t.Upsert}
		t.IDs, decide = []string{t.Upsert.ID}, func(map[string]json.RawMessage) ([]service.Change, error) { return t.changed, nil }
		t.upsertAtOnce(batch)
	} else {
		t.look(ctx, batch)
	}
	if err := t.entered(ctx, batch); err != nil {
		return err
	}
	t.seen.logging.note(t.Index.ID, t.accelerated)
	if t.Upsert != nil {
		if t.counts.total() > 0 {
			return nil
		}
		// The document is there already, or the index is being rebuilt, or has got postings, or has them no more.
		batch = &pgx.Batch{}
		t.look(ctx, batch)
		if err := t.conn.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
	}
	changes, err := decide(t.current)
	if err != nil || len(changes) == 0 {
		return err
	}
	return t.apply(ctx, changes)
}

// begin begins the transaction.
func (t *writing) begin(batch *pgx.Batch) {
	batch.BeginTx(pgx.TxOptions{})
	t.enter(batch)
}

// enter takes the index's lock. That stands alone, so that the statements after it see what was committed before it
// was granted.
func (t *writing) enter(batch *pgx.Batch) {
	lockSQL, lockArg := lockIndex(t.Index.ID, t.alone)
	batch.Queue(lockSQL, lockArg)
	batch.Queue("SELECT version, rebuilding, accelerated FROM rowan.indices WHERE id = $1", t.Index.ID).QueryRow(func(row pgx.Row) error {
		return row.Scan(&t.version, &t.rebuilding, &t.accelerated)
	})
	batch.Queue(keepPlans+", set_config($1, $2, true)", loggedSetting, fmt.Sprint(t.Index.ID))
}

// entered sends what begins with enter. ErrStale says that the index is another one by now, or gone.
func (t *writing) entered(ctx context.Context, batch *pgx.Batch) error {
	err := t.conn.SendBatch(ctx, batch).Close()
	if errors.Is(err, pgx.ErrNoRows) || err == nil && t.version != t.Index.Version {
		return service.ErrStale
	}
	return err
}

// keepPlans goes before what writes documents in a transaction. The connections plan each execution anew (poolConfig),
// and with it, for each document, the queries in functions of generated columns: an array of numbers or dates costs a
// third with plans that are kept.
const keepPlans = "SELECT set_config('plan_cache_mode', 'auto', true)"

// look locks the documents that there are, and reads them.
func (t *writing) look(ctx context.Context, batch *pgx.Batch) {
	body := "NULL::jsonb"
	if t.Bodies {
		body = "_body"
	}
	batch.Queue("SELECT _id, _seq, "+body+" FROM "+t.Table+" WHERE _id = ANY($1) ORDER BY _id FOR UPDATE", t.IDs).Query(func(rows pgx.Rows) error {
		var id string
		var seq int64
		var body json.RawMessage
		_, err := pgx.ForEachRow(rows, []any{&id, &seq, &body}, func() error {
			t.numbers[id], t.current[id] = seq, body
			size := len(body)
			body = nil
			return service.Hold(ctx, size)
		})
		return err
	})
}

// apply writes changes, one chunk at a time: each is kept in memory several times until it is sent.
func (t *writing) apply(ctx context.Context, changes []service.Change) error {
	slices.SortFunc(changes, func(a, b service.Change) int { return strings.Compare(a.ID, b.ID) })
	t.changed = changes
	batch := &pgx.Batch{}
	for chunk := range chunked(changes) {
		if batch.Len() > 0 {
			if err := t.conn.SendBatch(ctx, batch).Close(); err != nil {
				return err
			}
			batch = &pgx.Batch{}
		}
		var removed []string
		var fresh, known documentRows
		for _, c := range chunk {
			switch _, there := t.numbers[c.ID]; {
			case c.Body == nil:
				removed = append(removed, c.ID)
			case there:
				known.add(c)
			default:
				fresh.add(c)
			}
		}
		if len(removed) > 0 {
			batch.Queue("WITH gone AS (DELETE FROM "+t.Table+" WHERE _id = ANY($1) RETURNING _seq)"+logTouched(t.Relations, t.accelerated, "gone")+
				" INSERT INTO "+t.Changes+" (_seq) SELECT _seq FROM gone", removed).Exec(func(logged pgconn.CommandTag) error {
				t.counts.deleted += logged.RowsAffected()
				return nil
			})
		}
		if len(known.ids) > 0 {
			t.update(batch, known)
		}
		if len(fresh.ids) > 0 {
			t.insert(batch, fresh)
		}
	}
	if t.rebuilding {
		touched := make([]string, len(changes))
		for i, c := range changes {
			touched[i] = c.ID
		}
		batch.Queue("INSERT INTO "+t.RebuildLog+" (_id) SELECT unnest($1::text[])", touched)
	}
	if err := t.conn.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if written, want := t.counts.total(), int64(len(changes)); written != want { // what is removed is there, and locked
		return fmt.Errorf("%w: %d of %d", errLeftOut, want-written, want)
	}
	return nil
}

// documentRows are documents in the order of their ids.
type documentRows struct {
	ids    []string
	bodies []json.RawMessage
}

func (r *documentRows) add(c service.Change) {
	r.ids, r.bodies = append(r.ids, c.ID), append(r.bodies, c.Body)
}

// alike is the condition that a document t is, to the last digit, as it is to be. Such a document is not written: whoever sends all of
// their documents every night changes few of them.
const alike = "record_image_eq(ROW(t._body), ROW(%s))"

// upsertAtOnce writes the document; nothing if the index is not as this process has seen it last, the document is stored just so, or others store or
// delete it meanwhile. Nor does it change a document where the last one was new: to be ready for that takes a tenth of the time of storing one. An
// INSERT with ON CONFLICT DO UPDATE would compute the columns of a document that is there twice.
func (t *writing) upsertAtOnce(batch *pgx.Batch) {
	logged := t.seen.logging.has(t.Index.ID)
	updated, written := "", "SELECT * FROM inserted"
	if t.seen.changing.has(t.Index.ID) {
		updated = fmt.Sprintf(`
updated AS (
  UPDATE %s t SET _body = u.body, _updated_at = now() FROM given u WHERE t._id = u.id AND NOT %s
  RETURNING %s),`, t.Table, fmt.Sprintf(alike, "u.body"), t.returned("false"))
		written = "SELECT * FROM updated UNION ALL " + written
	}
	t.write(batch, "written", fmt.Sprintf(`
given AS (
  SELECT $1::text AS id, $2::jsonb AS body
  WHERE EXISTS (SELECT FROM rowan.indices WHERE id = $3 AND version = $4 AND NOT rebuilding AND accelerated = $5)),%[3]s
inserted AS (
  INSERT INTO %[1]s AS t (_id, _seq, _body)
  SELECT u.id, nextval(%[2]s), u.body FROM given u WHERE NOT EXISTS (SELECT FROM %[1]s o WHERE o._id = u.id)
  ON CONFLICT (_id) DO NOTHING
  RETURNING %[4]s),
written AS (%[5]s)`, t.Table, sqltext.Literal(t.Sequence), updated, t.returned("true"), written),
		logged, t.Upsert.ID, t.Upsert.Body, t.Index.ID, t.Index.Version, logged)
}

// insert writes documents that were not there; one that is there by now fails, and the transaction is repeated. Numbers are drawn only for new
// documents, so that they stay dense.
func (t *writing) insert(batch *pgx.Batch, rows documentRows) {
	t.write(batch, "written", fmt.Sprintf(`
written AS (
  INSERT INTO %[1]s AS t (_id, _seq, _body)
  SELECT u.id, nextval(%[2]s), u.body FROM unnest($1::text[], $2::jsonb[]) AS u(id, body) ORDER BY u.id COLLATE "C"
  ON CONFLICT (_id) DO UPDATE SET _body = rowan.appeared()
  RETURNING %[3]s)`, t.Table, sqltext.Literal(t.Sequence), t.returned("true")), t.accelerated, rows.ids, rows.bodies)
}

// update writes documents that are there, and locked.
func (t *writing) update(batch *pgx.Batch, rows documentRows) {
	t.write(batch, "(SELECT * FROM written UNION ALL SELECT * FROM alike) AS documents", fmt.Sprintf(`
given AS (SELECT * FROM unnest($1::text[], $2::jsonb[]) AS u(id, body)),
alike AS MATERIALIZED (SELECT %[2]s FROM %[1]s t JOIN given u ON t._id = u.id WHERE %[3]s),
written AS (
  UPDATE %[1]s t SET _body = u.body, _updated_at = now() FROM given u WHERE t._id = u.id AND u.id NOT IN (SELECT _id FROM alike)
  RETURNING %[2]s)`, t.Table, t.returned("false"), fmt.Sprintf(alike, "u.body")), t.accelerated, rows.ids, rows.bodies)
}

// returned are the columns of a document t that a write returns.
func (t *writing) returned(inserted string) string {
	document := "NULL::jsonb AS _body, NULL::text[] AS _autocomplete"
	if t.Return {
		document = "t._body, t._autocomplete"
	}
	return "t._id, t._seq, " + inserted + " AS inserted, " + document
}

// write queues a statement that writes documents, and logs them. written are the parts of its WITH that do so, the last of that name; documents is
// what selects all that are then as they are to be.
func (t *writing) write(batch *pgx.Batch, documents, written string, accelerated bool, args ...any) {
	sql := "WITH" + written + ", log AS (INSERT INTO " + t.Changes + " (_seq) SELECT _seq FROM written)" + logTouched(t.Relations, accelerated, "written") +
		" SELECT _id, inserted, _body, _autocomplete FROM " + documents
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		var d service.Document
		var inserted bool
		_, err := pgx.ForEachRow(rows, []any{&d.ID, &inserted, &d.Body, &d.Autocomplete}, func() error {
			if inserted {
				t.counts.created++
			} else {
				t.counts.updated++
			}
			if t.Return {
				t.docs[d.ID] = d
			}
			d = service.Document{}
			return nil
		})
		return err
	})
}

// logTouched is the part of a statement that logs the numbers in a part of it for the postings, if there are any.
func logTouched(r table.Relations, accelerated bool, from string) string {
	if !accelerated {
		return ""
	}
	return ", touched AS (INSERT INTO " + r.Touched() + " (_seq) SELECT _seq FROM " + from + ")"
}
