package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// rekeyed is how many words are read and written at once.
const rekeyed = 20000

// exchangeable reports whether the vocabulary can be locked exclusively, as its exchange requires: if somebody reads it for a long time, as a dump
// does, all the work would be in vain.
func (d *derivation) exchangeable(ctx context.Context) (bool, error) {
	probe, err := d.tx.Begin(ctx)
	if err != nil {
		return false, err
	}
	err = setLockTimeout(ctx, probe)
	if err == nil {
		_, err = probe.Exec(ctx, "LOCK TABLE "+d.shape.Words()+" IN ACCESS EXCLUSIVE MODE")
	}
	if ended := probe.Rollback(ctx); ended != nil { // releases the lock
		return false, ended
	}
	if state(err) == stateLockNotAvailable {
		return false, nil
	}
	return err == nil, err
}

// rekey recomputes the keys of all words in a table that then replaces the vocabulary. Until it is done, which takes seconds, no misspelled word
// finds the right one.
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
	if err := execAll(ctx, d.tx, d.shape.WordsIndexes(beside)); err != nil {
		return err
	}
	if err := d.exchangeWords(ctx); err != nil {
		return err
	}
	return d.write(ctx, 1)
}

// exchangeWords replaces the vocabulary in use by the one that was made beside it.
func (d *derivation) exchangeWords(ctx context.Context) error {
	// Searches that are reading the old table may finish: this waits only as long as setLockTimeout allows, and is tried again.
	if err := setLockTimeout(ctx, d.tx); err != nil {
		return err
	}
	return execAll(ctx, d.tx, []string{"DROP TABLE " + d.shape.Words(),
		"ALTER TABLE " + d.shape.Recount() + " RENAME TO " + sqltext.Quote(table.Fit(d.shape.Name, "_words"))})
}
