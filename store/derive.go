package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/bodywords"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/suggestions"
	"github.com/rowansearch/rowan/store/table"
)

// What is derived from an index's documents for its searches, the vocabulary and the suggestions, follows the documents by means of the change log:
// each write also logs the numbers of the documents that it touches. A step reads log rows, brings the derived tables up to date and deletes these
// rows, all in one transaction and under a lock of the index: whatever happens to a server, nothing is lost and nothing is counted twice. Everything
// derived can be dropped at any time and is then built again from the documents.

// deriveLockClass is the class of the advisory lock held during a step for an index.
const deriveLockClass = "1919907696"

const (
	// stepRows bounds the number of log rows, or documents, of one step; stepBytes bounds the text that it reads.
	stepRows  = 20000
	stepBytes = 64 << 20
	// readChunk is how many documents one statement reads.
	readChunk = 2000
)

// progress is the row of the progress table.
type progress struct {
	documents, drift int64
	countedTo        *int64
	beside           bool
	outdated         bool // the keys of the words have an earlier form
	lost             bool // the vocabulary that is being counted beside is gone
}

// errBusy says that another server or another search is already taking a step. errKept is the one that says that somebody has kept a lock on the index
// or on a table that the step exchanges.
var (
	errBusy = errors.New("another server is at work on this index")
	errKept = fmt.Errorf("somebody keeps a lock on this index or its tables: %w", errBusy)
)

// patience is how long a search waits for another's step.
const patience = 100 * time.Millisecond

// outcome is the result of a step.
type outcome struct {
	rows int  // number of log rows and documents dealt with
	more bool // there is more to do
}

// step does a bounded part of what is to be derived. wait makes it only process the log and wait for the lock, as long as a search may; otherwise it
// does everything, but returns errBusy if the lock is held. The error is ErrStale if ix is not, or no longer, what the catalog has.
func (s *Store) step(ctx context.Context, ix *service.Index, limit int, wait bool) (outcome, error) {
	var out outcome
	before := s.pending.of(ix.ID)
	var options pgx.TxOptions
	if len(s.replicas.list) == 0 {
		// A crash that loses what was derived also brings the log rows back, so nobody needs to wait for the disk. With standbys it must reach the disk,
		// because searches ask for what has.
		options.BeginQuery = "BEGIN; SET LOCAL synchronous_commit = off"
	}
	err := pgx.BeginTxFunc(ctx, s.pool, options, func(tx pgx.Tx) (err error) {
		there, err := lockStep(ctx, tx, ix, wait)
		if err != nil {
			return err
		}
		sh := table.ShapeOf(ix)
		d := newDerivation(tx, ix, sh)
		if there {
			err = d.readProgress(ctx)
		}
		switch lost := !there || errors.Is(err, pgx.ErrNoRows); { // a dump may omit the rows of derived tables
		case wait && (lost || d.progress.lost):
			return errBusy
		case lost:
			out.more = true
			return restore(ctx, tx, sh)
		case err != nil:
			return err
		case d.progress.lost:
			out.more = true
			if err := d.beginRecount(ctx); err != nil {
				return err
			}
			return d.write(ctx, 0)
		}
		if d.progress.outdated && d.progress.countedTo == nil && !wait {
			free, err := d.exchangeable(ctx)
			if err != nil {
				return err
			}
			if !free {
				return errKept
			}
			out.more = true
			return d.rekey(ctx)
		}
		out, err = d.run(ctx, limit, !wait)
		return err
	})
	if state(err) == stateLockNotAvailable {
		err = errKept
	}
	if err == nil {
		s.pending.settled(ix.ID, before, int64(out.rows), !out.more)
	}
	return out, err
}

// lockStep takes the locks and reports whether the tables beside the documents exist. It takes the index's lock as writers do: whatever exchanges or
// drops the tables waits for the step, and the step for it.
func lockStep(ctx context.Context, tx pgx.Tx, ix *service.Index, wait bool) (there bool, err error) {
	got := true
	batch := &pgx.Batch{}
	if wait {
		batch.Queue(lockTimeoutSQL(patience))
		batch.Queue("SELECT pg_advisory_xact_lock("+deriveLockClass+", $1::int)", ix.ID)
	} else {
		batch.Queue(lockTimeoutSQL(backgroundLocks))
		batch.Queue("SELECT pg_try_advisory_xact_lock("+deriveLockClass+", $1::int)", ix.ID).QueryRow(func(row pgx.Row) error {
			return row.Scan(&got)
		})
	}
	sql, arg := lockIndex(ix.ID, false)
	batch.Queue(sql, arg)
	var version int64
	batch.Queue("SELECT version FROM rowan.indices WHERE id = $1", ix.ID).QueryRow(func(row pgx.Row) error { return row.Scan(&version) })
	batch.Queue(areThereSQL, table.RelationsOf(ix.Application, ix.Name).Beside()).QueryRow(func(row pgx.Row) error { return row.Scan(&there) })
	err = tx.SendBatch(ctx, batch).Close()
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, service.ErrStale
	case err != nil:
		return false, err
	case !got:
		return false, errBusy
	case version != ix.Version:
		return false, service.ErrStale
	}
	return there, nil
}

// derivation is the state of a step.
type derivation struct {
	tx       pgx.Tx
	shape    table.Shape
	progress progress
	words    *tally // of the vocabulary in use
	recount  *tally // of the one that is being counted beside it; nil if none is
	finder   *bodywords.Finder
	toWords  bool
	toCount  bool
	// gives has, for each document that was read, its suggestions.
	gives map[int64][]string
	bytes int
}

func newDerivation(tx pgx.Tx, ix *service.Index, sh table.Shape) *derivation {
	d := &derivation{tx: tx, shape: sh, words: newTally(), gives: map[int64][]string{}}
	d.finder = bodywords.NewFinder(ix.Mappings, func(word []byte) {
		if d.toWords {
			d.words.add(word)
		}
		if d.toCount {
			d.recount.add(word)
		}
	})
	return d
}

func (d *derivation) readProgress(ctx context.Context) error {
	p := &d.progress
	err := d.tx.QueryRow(ctx, "SELECT documents, drift, counted_to, beside, "+d.shape.OutdatedWords()+", beside AND to_regclass("+sqltext.Literal(d.shape.Recount())+") IS NULL FROM "+d.shape.Progress()).
		Scan(&p.documents, &p.drift, &p.countedTo, &p.beside, &p.outdated, &p.lost)
	if p.beside {
		d.recount = newTally()
	}
	return err
}

// run does up to limit of what there is to do. all says whether it does more than the log.
func (d *derivation) run(ctx context.Context, limit int, all bool) (outcome, error) {
	var out outcome
	if to := d.progress.countedTo; to != nil && !d.progress.beside {
		// The count will reach these documents.
		tag, err := d.tx.Exec(ctx, "DELETE FROM "+d.shape.Changes+" WHERE _seq > $1", *to)
		if err != nil {
			return out, err
		}
		out.rows += int(tag.RowsAffected())
	}
	logged, err := d.readLog(ctx, limit)
	if err != nil {
		return out, err
	}
	out.rows += logged
	out.more = logged == limit || d.bytes > stepBytes
	if all && d.progress.countedTo != nil && logged < limit && d.bytes <= stepBytes {
		n, err := d.count(ctx, limit-logged)
		if err != nil {
			return out, err
		}
		out.rows += n
		out.more = true
	}
	if out.rows == 0 && !out.more {
		return out, nil
	}
	if all && d.progress.drifted() {
		if err := d.beginRecount(ctx); err != nil {
			return out, err
		}
		out.more = true
	}
	return out, d.write(ctx, out.rows)
}

// readLog takes up to limit rows off the log and reads their documents.
func (d *derivation) readLog(ctx context.Context, limit int) (int, error) {
	// No other transaction deletes from the log, because of the lock.
	rows, err := d.tx.Query(ctx, "DELETE FROM "+d.shape.Changes+" WHERE ctid = ANY(ARRAY(SELECT ctid FROM "+d.shape.Changes+" LIMIT $1)) RETURNING _seq", limit)
	if err != nil {
		return 0, err
	}
	seqs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return 0, err
	}
	n := len(seqs)
	slices.Sort(seqs)
	seqs = slices.Compact(seqs)
	if to := d.progress.countedTo; to != nil && !d.progress.beside {
		// The count will also reach those that were written since.
		seqs = slices.DeleteFunc(seqs, func(seq int64) bool { return seq > *to })
	}
	for len(seqs) > 0 {
		if d.bytes > stepBytes {
			// The rest is put back for the next step.
			_, err := d.tx.Exec(ctx, "INSERT INTO "+d.shape.Changes+" (_seq) SELECT unnest($1::bigint[])", seqs)
			return n, err
		}
		chunk := seqs[:min(readChunk, len(seqs))]
		seqs = seqs[len(chunk):]
		found := 0
		err := d.readDocuments(ctx, d.documentsSQL("true")+" WHERE _seq = ANY($1)", []any{chunk}, func(seq int64, unchanged, _ bool) {
			found++
			d.beginLogged(unchanged)
			if d.toCount = d.progress.beside && seq <= *d.progress.countedTo; d.toCount {
				d.recount.begin(unchanged)
			}
		})
		if err != nil {
			return n, err
		}
		if len(d.shape.Suggested) > 0 {
			for _, seq := range chunk {
				if _, there := d.gives[seq]; !there {
					d.gives[seq] = nil
				}
			}
		}
		gone := int64(len(chunk) - found)
		d.progress.documents -= gone
		d.progress.drift += gone
	}
	return n, nil
}

// beginLogged begins a document of the log, for the vocabulary in use.
func (d *derivation) beginLogged(unchanged bool) {
	d.words.begin(unchanged)
	d.toWords = true
	if unchanged {
		d.progress.documents++
	} else {
		d.progress.drift++
	}
}

// count counts the next documents in a count of all documents. A document that was stored after the step read the log would be counted again by way
// of the log; so the log rows of the documents counted here are dealt with in the same statement, which sees both.
func (d *derivation) count(ctx context.Context, limit int) (int, error) {
	n := 0
	last := *d.progress.countedTo
	for n < limit && d.bytes <= stepBytes {
		ask := min(readChunk, limit-n)
		found := 0
		page := d.documentsSQL("false") + " WHERE _seq > $1 ORDER BY _seq LIMIT $2"
		sql := "WITH page AS MATERIALIZED (" + page + "), known AS (DELETE FROM " + d.shape.Changes + " WHERE _seq > $1 AND _seq <= (SELECT max(_seq) FROM page)) SELECT * FROM page"
		if d.progress.beside { // the vocabulary in use still needs the log rows of documents that are gone
			sql = "WITH page AS MATERIALIZED (" + page + "), known AS (DELETE FROM " + d.shape.Changes + " AS c USING page AS p WHERE c._seq = p._seq RETURNING c._seq) " +
				"SELECT _seq, unchanged, suggestions, body, _seq IN (SELECT _seq FROM known) FROM page"
		}
		err := d.readDocuments(ctx, sql, []any{last, ask}, func(seq int64, unchanged, logged bool) {
			found++
			last = max(last, seq)
			d.toWords, d.toCount = !d.progress.beside, d.progress.beside
			if !d.toCount {
				d.words.begin(true)
				d.progress.documents++
				return
			}
			if logged {
				d.beginLogged(unchanged)
			}
			d.recount.begin(true)
		})
		if err != nil {
			return n, err
		}
		n += found
		d.progress.countedTo = &last
		if found < ask {
			return n, d.endCount(ctx)
		}
	}
	return n, nil
}

// documentsSQL returns the SELECT for readDocuments; logged is the SQL condition that the log names the document.
func (d *derivation) documentsSQL(logged string) string {
	suggestions := "NULL::text[]"
	if len(d.shape.Suggested) > 0 {
		suggestions = "_autocomplete"
	}
	return "SELECT _seq, _created_at = _updated_at AS unchanged, " + suggestions + " AS suggestions, _body::text AS body, " + logged + " AS logged FROM " + d.shape.Table
}

// readDocuments reads documents. It calls begin before it finds the words of each; unchanged says that the document has not changed since it was
// inserted, logged that the log names it.
func (d *derivation) readDocuments(ctx context.Context, sql string, args []any, begin func(seq int64, unchanged, logged bool)) error {
	suggested := len(d.shape.Suggested) > 0
	rows, err := d.tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	var seq int64
	var unchanged, logged bool
	var gives []string
	var body pgtype.DriverBytes
	_, err = pgx.ForEachRow(rows, []any{&seq, &unchanged, &gives, &body, &logged}, func() error {
		if suggested {
			d.gives[seq] = suggestions.Distinct(gives)
			gives = nil
		}
		begin(seq, unchanged, logged)
		d.finder.Find(body)
		d.bytes += len(body)
		return nil
	})
	return err
}

// beginRecount starts to count all documents again, beside the vocabulary that stays in use until the count is complete.
func (d *derivation) beginRecount(ctx context.Context) error {
	d.progress.countedTo, d.progress.beside = new(int64), true
	// Drift from here on belongs to the new count.
	d.progress.drift = 0
	return execAll(ctx, d.tx, d.shape.RecountWords())
}

// endCount completes a count. If it was beside the vocabulary in use, its vocabulary replaces that.
func (d *derivation) endCount(ctx context.Context) error {
	if d.progress.beside {
		var batch pgx.Batch
		if err := d.recount.write(ctx, d.tx, d.shape.Recount(), &batch); err != nil {
			return err
		}
		if err := d.tx.SendBatch(ctx, &batch).Close(); err != nil {
			return err
		}
		// Both have what the log said in this step.
		d.words, d.recount = newTally(), nil
		if err := d.exchangeWords(ctx); err != nil {
			return err
		}
	}
	d.progress.countedTo, d.progress.beside = nil, false
	return nil
}

// write brings the tables up to date; dealtWith is the number of log rows and documents dealt with.
func (d *derivation) write(ctx context.Context, dealtWith int) error {
	// Statements whose results are not needed are sent in one round trip: a search may be waiting.
	var last pgx.Batch
	if err := d.words.write(ctx, d.tx, d.shape.Words(), &last); err != nil {
		return err
	}
	if d.recount != nil {
		if err := d.recount.write(ctx, d.tx, d.shape.Recount(), &last); err != nil {
			return err
		}
	}
	if err := d.writeSuggestions(ctx, &last); err != nil {
		return err
	}
	p := d.progress
	last.Queue("UPDATE "+d.shape.Progress()+" SET documents = $1, drift = $2, counted_to = $3, beside = $4, dealt_with = dealt_with + $5",
		max(p.documents, 0), p.drift, p.countedTo, p.beside, max(dealtWith, 1))
	return d.tx.SendBatch(ctx, &last).Close()
}
