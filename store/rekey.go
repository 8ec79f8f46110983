package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// outdatedKeysSQL tells whether the keys of a vocabulary, $1, are of an earlier form than $2. Those of a later one are left to
// the servers that made them.
const outdatedKeysSQL = "coalesce(substring(col_description(to_regclass($1::text), 3) FROM '\\(form (\\d+)\\)')::int, 0) < $2::int"

// rekeyed is how many words are read and written at once.
const rekeyed = 20000

// exchangeable tells whether the vocabulary can be had for itself, as its exchange needs: whoever reads it for long, as a dump
// does, would have all the work be in vain.
func (d *derivation) exchangeable(ctx context.Context) (bool, error) {
	probe, err := d.tx.Begin(ctx)
	if err != nil {
		return false, err
	}
	err = setLockTimeout(ctx, probe)
	if err == nil {
		_, err = probe.Exec(ctx, "LOCK TABLE "+d.shape.Words()+" IN ACCESS EXCLUSIVE MODE")
	}
	if ended := probe.Rollback(ctx); ended != nil { // which gives the lock back
		return false, ended
	}
	if state(err) == stateLockNotAvailable {
		return false, nil
	}
	return err == nil, err
}

// rekey makes the keys of all words anew, in a table that takes the place of the vocabulary. Until then, for some seconds, no
// word is found by a misspelled one.
func (d *derivation) rekey(ctx context.Context) error {
	words, beside := d.shape.Words(), d.shape.Recount()
	if err := execAll(ctx, d.tx, append([]string{"DROP TABLE IF EXISTS " + beside}, d.shape.WordsTable(beside)...)); err != nil {
		return err
	}
	for last, n := "", rekeyed; n == rekeyed; {
		rows, err := d.tx.Query(ctx, "SELECT word, documents FROM "+words+" WHERE word > $1 ORDER BY word LIMIT $2", last, rekeyed)
		if err != nil {
			return err
		}
		list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
			Word      string
			Documents int32
		}])
		if err != nil {
			return err
		}
		if n = len(list); n > 0 {
			last = list[n-1].Word
		}
		_, err = d.tx.CopyFrom(ctx, pgx.Identifier{d.shape.Derived, table.Fit(d.shape.Name, "_recount")}, []string{"word", "documents", "keys"},
			pgx.CopyFromSlice(n, func(i int) ([]any, error) {
				return []any{list[i].Word, list[i].Documents, spelling.IndexKeys(list[i].Word)}, nil
			}))
		if err != nil {
			return err
		}
	}
	if _, err := d.tx.Exec(ctx, table.WordsIndex(beside)); err != nil {
		return err
	}
	if err := d.exchangeWords(ctx); err != nil {
		return err
	}
	return d.write(ctx, 1)
}

// exchangeWords has the vocabulary that was made beside that in use take its place.
func (d *derivation) exchangeWords(ctx context.Context) error {
	// Searches that read the old table are let finish: this waits no longer than setLockTimeout says, and is tried again.
	if err := setLockTimeout(ctx, d.tx); err != nil {
		return err
	}
	return execAll(ctx, d.tx, []string{"DROP TABLE " + d.shape.Words(),
		"ALTER TABLE " + d.shape.Recount() + " RENAME TO " + sqltext.Quote(table.Fit(d.shape.Name, "_words"))})
}
