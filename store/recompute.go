package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// A document's generated columns also depend on PostgreSQL: on its stemmers, and on the Unicode version that it was built with. pg_upgrade keeps the
// columns, but words of queries are stemmed by the new version: if it stems a word differently, documents with the word are not found by it until
// they are written again. So the documents of an index that another version has computed (rowan.indices.computed_by) are compared in the background
// with what this version computes, and those that differ are written again, like rows that others write. A migration that changes what is computed of a
// few documents asks for this by setting computed_by to null.

// recomputeLockClass is the class of the advisory lock held while comparing the documents of an index.
const recomputeLockClass = "1919907701"

const (
	// comparedAtOnce is how many documents one transaction compares: at about a millisecond each, and as much again, with a lock, for those that differ.
	comparedAtOnce = 100
	// maxRefused is how many documents may be refused by a trigger or constraint of somebody else until the rest is left, too: probably it refuses all.
	maxRefused = 100
	// majorSQL selects the major version of the server.
	majorSQL = "current_setting('server_version_num')::int / 10000"
)

// computedOtherwise returns the condition that the documents of an index, a parameter, may have been computed by another version.
func computedOtherwise(index string) string {
	return "EXISTS (SELECT FROM rowan.indices WHERE id = " + index + " AND computed_by IS DISTINCT FROM " + majorSQL + ")"
}

// comparison is the progress of comparing the documents of an index.
type comparison struct {
	version        int64 // of the index
	last           int64 // number of the last document compared
	compared, anew int64 // numbers of documents
	singly         int   // how many of the next documents are compared one by one, because one of them is refused
	refused        int   // documents that cannot be computed or written
	refusal        error // of the last of them
}

// recompute compares the documents of an index if another version of PostgreSQL may have computed them, and writes those again that differ. After an
// error, it continues where it was.
func (s *Store) recompute(ctx context.Context, j job) (again bool, err error) {
	ix := j.ix
	_, err = s.alone(ctx, recomputeLockClass, ix, backgroundLocks, func(conn *pgx.Conn) error {
		var otherwise bool
		if err := conn.QueryRow(ctx, "SELECT "+computedOtherwise("$1"), ix.ID).Scan(&otherwise); err != nil || !otherwise {
			return err
		}
		c, begun := s.comparisons.Get(ix.ID)
		if !begun || c.version != ix.Version {
			c = comparison{version: ix.Version}
			s.log.Info("the documents of an index may have been computed by another version of PostgreSQL, or of Rowan's functions: they are compared with what is computed now, and computed anew where they differ",
				"application", ix.Application, "index", ix.Name)
		}
		for more := true; more && err == nil && c.refused < maxRefused; s.comparisons.Put(ix.ID, c) {
			began := time.Now()
			if more, err = c.next(ctx, conn, ix); refusesDocument(err) {
				more, err = c.passRefused(ctx, conn, ix, err)
			}
			if more && err == nil {
				err = pause(ctx, time.Since(began)) // leaves half a processor to searches
			}
		}
		switch {
		case state(err) == stateDenied:
			s.log.Warn("the service lacks the right to compute documents anew that may have been computed by another version of PostgreSQL, or of Rowan's functions, so they may not be found by all of their words: have the owner of the table run the statement",
				"application", ix.Application, "index", ix.Name, "statement", rewriteSQL(ix), "error", err)
		case errors.Is(err, service.ErrStale):
			s.comparisons.Remove(ix.ID)
			return err
		case err != nil: // also if somebody has removed the table: work continues at the same place once it is back
			return err
		case c.refused > 0:
			s.log.Warn("documents that may have been computed by another version of PostgreSQL, or of Rowan's functions, cannot be computed anew, so they may not be found by all of their words: remove what the error names, and run the statement",
				"application", ix.Application, "index", ix.Name, "refused", c.refused, "computed_anew", c.anew, "all_compared", c.refused < maxRefused, "statement", rewriteSQL(ix), "error", namingFunction(c.refusal))
		default:
			s.log.Info("the documents of an index are as they are computed now", "application", ix.Application, "index", ix.Name, "documents", c.compared, "computed_anew", c.anew)
		}
		s.comparisons.Remove(ix.ID)
		if c.anew > 0 {
			// The documents have other lexemes now: those with postings, and those that are counted, are chosen anew.
			if _, err := conn.Exec(ctx, "UPDATE rowan.accelerators SET numbered_to = 0 WHERE index_id = $1", ix.ID); err != nil {
				return err
			}
		}
		_, err = conn.Exec(ctx, "UPDATE rowan.indices SET computed_by = "+majorSQL+" WHERE id = $1", ix.ID)
		return err
	})
	if state(err) == stateLockNotAvailable || repeatable(err) {
		return true, nil // somebody is writing these documents
	}
	return false, err
}

// rewriteSQL computes all documents of an index anew.
func rewriteSQL(ix *service.Index) string {
	return "UPDATE " + table.ShapeOf(ix).Table + " SET _body = _body"
}

// refusesDocument reports whether an error is due to one of the documents.
func refusesDocument(err error) bool {
	return refusedByOthers(err) || state(err) == stateProgramLimit || strings.HasPrefix(state(err), classData)
}

// passRefused goes on after the next documents could not be compared with err: one by one and, if it was one, with the document behind it.
func (c *comparison) passRefused(ctx context.Context, conn *pgx.Conn, ix *service.Index, err error) (more bool, _ error) {
	if c.singly == 0 {
		c.singly = comparedAtOnce
		return true, nil
	}
	var refused *int64 // null if it has been deleted meanwhile
	if err := conn.QueryRow(ctx, "SELECT min(_seq) FROM "+table.ShapeOf(ix).Table+" WHERE _seq > $1", c.last).Scan(&refused); err != nil || refused == nil {
		return false, err
	}
	c.last, c.singly, c.refused, c.refusal = *refused, c.singly-1, c.refused+1, err
	return true, nil
}

// next compares the next documents, in a transaction that writes those again that differ. It reports whether there may be more. The error is ErrStale
// if the index has changed.
func (c *comparison) next(ctx context.Context, conn *pgx.Conn, ix *service.Index) (more bool, err error) {
	sh := table.ShapeOf(ix)
	limit := comparedAtOnce
	if c.singly > 0 {
		limit = 1
	}
	var last *int64
	var n int64
	var different []string
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		sql, arg := lockIndex(ix.ID, false) // like a writer: whatever exchanges or drops the table waits
		batch.Queue(sql, arg)
		var version int64
		batch.Queue("SELECT version FROM rowan.indices WHERE id = $1", ix.ID).QueryRow(func(row pgx.Row) error { return row.Scan(&version) })
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if version != ix.Version {
			return service.ErrStale
		}
		if err := tx.QueryRow(ctx, comparedSQL(sh), c.last, limit).Scan(&last, &n, &different); err != nil || len(different) == 0 {
			return err
		}
		batch = &pgx.Batch{}
		// In the order in which writers lock them.
		batch.Queue("SELECT FROM "+sh.Table+" WHERE _id = ANY($1) ORDER BY _id FOR NO KEY UPDATE", different)
		batch.Queue("UPDATE "+sh.Table+" SET _body = _body WHERE _id = ANY($1)", different)
		return tx.SendBatch(ctx, batch).Close()
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = service.ErrStale // the index is gone
	}
	if err != nil || last == nil {
		return false, err
	}
	c.last, c.compared, c.anew, c.singly = *last, c.compared+n, c.anew+int64(len(different)), max(c.singly-1, 0)
	return n == int64(limit), nil
}

// comparedSQL selects, for the next $2 documents after number $1, the last number, how many they are, and the ids of those whose generated columns
// differ from what their expressions yield now.
func comparedSQL(sh table.Shape) string {
	var stored, computed []string
	values, vectors := sh.Generated()
	for _, d := range slices.Concat([]table.Definition{table.BoostColumn}, values, vectors) {
		stored = append(stored, sqltext.Quote(d.Name))
		expression := "(" + d.Expression + ")"
		if strings.HasPrefix(d.SQLType, "text") {
			expression += ` COLLATE "C"` // columns that are compared as text have it, but the value of a function does not
		}
		computed = append(computed, expression)
	}
	return fmt.Sprintf(`SELECT max(_seq), count(*), array_agg(_id) FILTER (WHERE different)
		FROM (SELECT _seq, _id, ROW(%s) IS DISTINCT FROM ROW(%s) AS different FROM (SELECT * FROM %s WHERE _seq > $1 ORDER BY _seq LIMIT $2) t) c`,
		strings.Join(stored, ", "), strings.Join(computed, ", "), sh.Table)
}
