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

// Write runs a write transaction. It locks the documents in the order of their ids, so that transactions that touch the same ones queue rather than
// deadlock. If PostgreSQL rolls it back all the same, it is run again; the last attempts exclude other writers of the index, because documents that
// others constantly store and delete could interfere every time.
func (s *Store) Write(ctx context.Context, w service.Write) (map[string]service.Document, error) {
	var t *writing
	tries := 0
	giveUp := service.Held(ctx)
	err := retry(ctx, func() error {
		tries++
		giveUp()
		err := s.inBatches(ctx, func(conn *pgx.Conn) error {
			t = newWriting(conn, w, &s.seenByWrites)
			t.alone = tries > maxAttempts/2
			return t.run(ctx)
		})
		if refused := refusal(err); refused != nil {
			return refused
		}
		return err
	})
	if errors.Is(err, service.ErrStale) || gone(err) {
		s.seenByWrites.logging.note(w.Index.ID, false)
		s.forget(w.Index.Application)
		if gone(err) {
			s.dirty(w.Index) // a derived table may be gone, which the background work creates again
		}
		return nil, stale(err)
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

// errLeftOut says that somebody else's trigger has returned NULL for a row, which PostgreSQL then silently skips.
var errLeftOut = errors.New("a trigger on the table skipped documents")

// seenByWrites is what the last write of this process has seen of each index: a guess for the next write, which verifies it.
type seenByWrites struct {
	logging  noted // indices whose writes log for postings
	changing noted // indices in which the last document stored alone already existed
}

func (s *seenByWrites) forget(id int64) {
	s.logging.note(id, false)
	s.changing.note(id, false)
}

// noted is a set of index ids.
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

// writing is the state of one write transaction.
type writing struct {
	service.Write
	table.Relations
	conn   *pgx.Conn
	seen   *seenByWrites
	alone  bool // nobody else may write to the index in the meantime
	docs   map[string]service.Document
	counts written

	// What the catalog said about the index after the lock on it was granted.
	version                 int64
	rebuilding, accelerated bool
	// The existing documents.
	numbers map[string]int64
	current map[string]json.RawMessage
	// What the transaction changes.
	changed []service.Change
}

func newWriting(conn *pgx.Conn, w service.Write, seen *seenByWrites) *writing {
	return &writing{Write: w, Relations: table.RelationsOf(w.Index.Application, w.Index.Name), conn: conn, seen: seen,
		docs: map[string]service.Document{}, numbers: map[string]int64{}, current: map[string]json.RawMessage{}}
}

// run begins the transaction and writes: in one round trip if the write does not depend on existing documents, otherwise in two.
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
		// The document already exists, the index is being rebuilt, or it has gained or lost postings.
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

// enter takes the index's lock. That is a separate statement, so that the statements after it see what was committed before the lock was granted.
func (t *writing) enter(batch *pgx.Batch) {
	lockSQL, lockArg := lockIndex(t.Index.ID, t.alone)
	batch.Queue(lockSQL, lockArg)
	batch.Queue("SELECT version, rebuilding, accelerated FROM rowan.indices WHERE id = $1", t.Index.ID).QueryRow(func(row pgx.Row) error {
		return row.Scan(&t.version, &t.rebuilding, &t.accelerated)
	})
	batch.Queue(keepPlans+", set_config($1, $2, true)", loggedSetting, fmt.Sprint(t.Index.ID))
}

// entered sends a batch that begins with enter. The error is ErrStale if the index has changed or is gone.
func (t *writing) entered(ctx context.Context, batch *pgx.Batch) error {
	err := t.conn.SendBatch(ctx, batch).Close()
	if errors.Is(err, pgx.ErrNoRows) || err == nil && t.version != t.Index.Version {
		return service.ErrStale
	}
	return err
}

// keepPlans precedes statements that write documents in a transaction. By default, connections plan each execution anew (poolConfig), including, for
// each document, the queries in functions of generated columns: with plans that are kept, an array of numbers or dates takes a third of the time.
const keepPlans = "SELECT set_config('plan_cache_mode', 'auto', true)"

// look locks and reads the existing documents. The lock lets foreign keys of others be checked, whose transactions may last.
func (t *writing) look(ctx context.Context, batch *pgx.Batch) {
	body := "NULL::jsonb"
	if t.Bodies {
		body = "_body"
	}
	batch.Queue("SELECT _id, _seq, "+body+" FROM "+t.Table+" WHERE _id = ANY($1) ORDER BY _id FOR NO KEY UPDATE", t.IDs).Query(func(rows pgx.Rows) error {
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

// apply writes changes in chunks, because each change exists in memory several times until it is sent.
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
	if written, want := t.counts.total(), int64(len(changes)); written != want { // what is removed exists, and is locked
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

// alike is the condition that document t is already exactly as it is to be stored. Such a document is not written: clients that send all their
// documents every night change few of them.
const alike = "record_image_eq(ROW(t._body), ROW(%s))"

// upsertAtOnce writes the document. It writes nothing if the index is not as this process last saw it, if the stored document is already the same, or
// if others store or delete it concurrently. Nor does it change an existing document if the previous document stored alone was new: preparing for
// that costs a tenth of the time for storing one. An INSERT with ON CONFLICT DO UPDATE would compute the columns of an existing document twice.
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

// insert writes documents that did not exist; if one exists by now, the statement fails and the transaction is repeated. Only new documents draw
// numbers, so that numbers stay dense.
func (t *writing) insert(batch *pgx.Batch, rows documentRows) {
	t.write(batch, "written", fmt.Sprintf(`
written AS (
  INSERT INTO %[1]s AS t (_id, _seq, _body)
  SELECT u.id, nextval(%[2]s), u.body FROM unnest($1::text[], $2::jsonb[]) AS u(id, body) ORDER BY u.id COLLATE "C"
  ON CONFLICT (_id) DO UPDATE SET _body = rowan.appeared()
  RETURNING %[3]s)`, t.Table, sqltext.Literal(t.Sequence), t.returned("true")), t.accelerated, rows.ids, rows.bodies)
}

// update writes documents that exist and are locked.
func (t *writing) update(batch *pgx.Batch, rows documentRows) {
	t.write(batch, "(SELECT * FROM written UNION ALL SELECT * FROM alike) AS documents", fmt.Sprintf(`
given AS (SELECT * FROM unnest($1::text[], $2::jsonb[]) AS u(id, body)),
alike AS MATERIALIZED (SELECT %[2]s FROM %[1]s t JOIN given u ON t._id = u.id WHERE %[3]s),
written AS (
  UPDATE %[1]s t SET _body = u.body, _updated_at = now() FROM given u WHERE t._id = u.id AND u.id NOT IN (SELECT _id FROM alike)
  RETURNING %[2]s)`, t.Table, t.returned("false"), fmt.Sprintf(alike, "u.body")), t.accelerated, rows.ids, rows.bodies)
}

// returned returns the columns of a document t that a write returns.
func (t *writing) returned(inserted string) string {
	document := "NULL::jsonb AS _body, NULL::text[] AS _autocomplete"
	if t.Return {
		document = "t._body, t._autocomplete"
	}
	return "t._id, t._seq, " + inserted + " AS inserted, " + document
}

// write queues a statement that writes documents and logs them. written are the parts of its WITH clause that write, of which the last is named
// written; documents selects all documents that are then as they should be.
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

// logTouched returns the part of a statement that logs the numbers in another part for the postings, if there are any.
func logTouched(r table.Relations, accelerated bool, from string) string {
	if !accelerated {
		return ""
	}
	return ", touched AS (INSERT INTO " + r.Touched() + " (_seq) SELECT _seq FROM " + from + ")"
}
