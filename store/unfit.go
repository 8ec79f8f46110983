package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/store/table"
)

// PostgreSQL refuses a row that is too large, and does not say which of a statement's it is. Only then, the documents are written once
// more, in a transaction that is taken back, and counted by a sequence on their way: what a sequence has counted stays known when the
// statement fails. The rows before the one that failed fit, and the next statement goes on behind it.

const (
	// searchUnfit is how long that is done at the most, besides the statement that is under way then.
	searchUnfit = 10 * time.Second
	// unfitAtOnce is how many documents one statement writes: where one does not fit, those behind it are sent again.
	unfitAtOnce = 100
	// mostStoredUnfit is how many stored documents a conflict with new mappings names.
	mostStoredUnfit = 10
)

const (
	countUnfit = "CREATE TEMPORARY SEQUENCE rowan_counted"
	// isCounted is a condition of a statement's rows that counts them.
	isCounted = "nextval('pg_temp.rowan_counted') > 0"
)

// unfitSearch looks for documents that do not fit, in a transaction that has the sequence.
type unfitSearch[T any] struct {
	conn *pgx.Conn
	// try writes documents in their order, and counts each.
	try   func(documents []T) error
	most  int // to be found
	until time.Time
	found []T
}

func (u *unfitSearch[T]) over() bool { return len(u.found) >= u.most || time.Now().After(u.until) }

// among looks at some documents.
func (u *unfitSearch[T]) among(ctx context.Context, documents []T) error {
	for len(documents) > 0 && !u.over() {
		if _, err := u.conn.Exec(ctx, "SAVEPOINT fits; SELECT setval('pg_temp.rowan_counted', 1)"); err != nil {
			return err
		}
		part := documents[:min(len(documents), unfitAtOnce)]
		tried := u.try(part)
		if tried != nil && state(tried) != stateProgramLimit {
			return tried
		}
		if _, err := u.conn.Exec(ctx, "ROLLBACK TO fits; RELEASE fits"); err != nil {
			return err
		}
		if tried == nil {
			documents = documents[len(part):]
			continue
		}
		var counted int
		if err := u.conn.QueryRow(ctx, "SELECT currval('pg_temp.rowan_counted') - 1").Scan(&counted); err != nil {
			return err
		}
		if counted < 1 || counted > len(part) {
			return tried // something else than a row is too large
		}
		u.found = append(u.found, part[counted-1])
		documents = documents[counted:]
	}
	return nil
}

// errTakenBack ends a transaction of which nothing is to stay.
var errTakenBack = errors.New("this was only tried")

// namingUnfit is the error of a write, with the documents that do not fit where it is for these that PostgreSQL has refused it.
func (s *Store) namingUnfit(ctx context.Context, t *writing, err error) error {
	if state(err) != stateProgramLimit {
		return err
	}
	stored := slices.DeleteFunc(slices.Clone(t.changed), func(c service.Change) bool { return c.Body == nil })
	if len(stored) > 1 {
		failed := s.inBatches(ctx, func(conn *pgx.Conn) error {
			found, err := newWriting(conn, t.Write, &s.seenByWrites).unfit(ctx, stored)
			stored = found
			return cmp.Or(err, errTakenBack)
		})
		if !errors.Is(failed, errTakenBack) {
			s.log.Warn("could not find out which documents of a write do not fit", "index", t.Index.Name, "error", failed)
			return err
		}
	}
	unfit := &service.UnfitError{Err: err}
	for _, c := range stored {
		unfit.IDs = append(unfit.IDs, c.ID)
	}
	return unfit
}

// unfit begins a transaction and finds the changes that do not fit.
func (t *writing) unfit(ctx context.Context, changes []service.Change) ([]service.Change, error) {
	batch := &pgx.Batch{}
	t.begin(batch)
	batch.Queue(countUnfit)
	if err := t.conn.SendBatch(ctx, batch).Close(); err != nil {
		return nil, err
	}
	if t.version != t.Index.Version {
		return nil, service.ErrStale
	}
	// Numbers that no document has, nor another search for what does not fit: those of documents are drawn, which leaves gaps.
	number := -1 - rand.Int64N(1<<62)
	u := unfitSearch[service.Change]{conn: t.conn, most: document.MaxProblems, until: time.Now().Add(searchUnfit), try: func(changes []service.Change) error {
		ids, bodies, numbers := make([]string, len(changes)), make([]json.RawMessage, len(changes)), make([]int64, len(changes))
		for i, c := range changes {
			ids[i], bodies[i], numbers[i] = c.ID, c.Body, number-int64(i)
		}
		_, err := t.conn.Exec(ctx, "INSERT INTO "+t.Table+` (_id, _seq, _body)
			SELECT u.id, u.number, u.body FROM unnest($1::text[], $2::bigint[], $3::jsonb[]) AS u(id, number, body) WHERE `+isCounted+`
			ON CONFLICT (_id) DO UPDATE SET _body = excluded._body`, ids, numbers, bodies)
		return err
	}}
	// The largest first, among which they are most likely; in a statement in the order in which others lock them.
	slices.SortStableFunc(changes, func(a, b service.Change) int { return cmp.Compare(len(b.Body), len(a.Body)) })
	for part := range slices.Chunk(changes, unfitAtOnce) {
		slices.SortFunc(part, func(a, b service.Change) int { return strings.Compare(a.ID, b.ID) })
		for chunk := range chunked(part) {
			if err := u.among(ctx, chunk); err != nil {
				return nil, err
			}
		}
	}
	return u.found, nil
}

// namingStoredUnfit is the error of a rebuild, which names stored documents that do not fit the new table where it is for these that
// PostgreSQL has refused it. Looked at are those that it does not have yet as they are.
func (s *Store) namingStoredUnfit(ctx context.Context, conn *pgx.Conn, old, sh table.Shape, err error) error {
	if state(err) != stateProgramLimit {
		return err
	}
	conflict := service.Errorf(service.CodeMappingConflict, "Stored documents have values for more of the newly mapped properties than fit into a PostgreSQL row; nothing was changed. Map fewer properties, or make these documents smaller.").Because(err)
	failed := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: "BEGIN; " + keepPlans + "; " + countUnfit}, func(pgx.Tx) error {
		found, err := unfitStored(ctx, conn, old, sh)
		for _, id := range found {
			conflict.With(service.FieldError{Location: "document " + id, Message: service.UnfitMessage})
		}
		return cmp.Or(err, errTakenBack)
	})
	if !errors.Is(failed, errTakenBack) {
		s.log.Warn("could not find out which documents do not fit new mappings", "index", sh.Name, "error", failed)
	}
	if len(conflict.Fields) == 0 {
		return err
	}
	return conflict
}

// unfitStored finds documents of the old table that do not fit the new one, in the transaction of conn.
func unfitStored(ctx context.Context, conn *pgx.Conn, old, sh table.Shape) ([]string, error) {
	u := unfitSearch[string]{conn: conn, most: mostStoredUnfit, until: time.Now().Add(searchUnfit), try: func(ids []string) error {
		if _, err := conn.Exec(ctx, "DELETE FROM "+sh.Next+" WHERE _id = ANY($1)", ids); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, fmt.Sprintf(`INSERT INTO %s (_id, _seq, _body, _created_at, _updated_at)
			SELECT * FROM (SELECT _id, _seq, _body, _created_at, _updated_at FROM %s WHERE _id = ANY($1) ORDER BY _seq OFFSET 0) o WHERE %s`,
			sh.Next, old.Table, isCounted), ids)
		return err
	}}
	for last := int64(-1); !u.over(); {
		rows, _ := conn.Query(ctx, fmt.Sprintf(`SELECT o._id, o._seq FROM %s o WHERE o._seq > $1
			AND NOT EXISTS (SELECT FROM %s n WHERE n._id = o._id AND n._body = o._body) ORDER BY o._seq LIMIT %d`, old.Table, sh.Next, copyChunk), last)
		var ids []string
		var id string
		if _, err := pgx.ForEachRow(rows, []any{&id, &last}, func() error { ids = append(ids, id); return nil }); err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			break
		}
		if err := u.among(ctx, ids); err != nil {
			return u.found, err
		}
	}
	return u.found, nil
}
