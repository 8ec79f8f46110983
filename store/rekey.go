package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// keysComment says in each vocabulary what the keys of its words are, and so whether they are those of this version.
const keysComment = "Hashes of what is left of the first letters after deletions, each behind the first two letters of that: words close to each other have one in common."

// outdatedKeysSQL tells whether the keys of a vocabulary, $1, are other than these, $2.
const outdatedKeysSQL = "coalesce(col_description(to_regclass($1::text), 3), '') <> $2::text"

// rekeyed is how many words are read and written at once.
const rekeyed = 20000

// rekey makes the keys of all words anew, in a table that takes the place of the vocabulary. Until then, for some seconds, no
// word is found by a misspelled one.
func (d *derivation) rekey(ctx context.Context) error {
	words, beside := d.shape.words(), d.shape.recount()
	if err := execAll(ctx, d.tx, append([]string{"DROP TABLE IF EXISTS " + beside}, d.shape.wordsTable(beside)...)); err != nil {
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
		_, err = d.tx.CopyFrom(ctx, pgx.Identifier{d.shape.derived, fit(d.shape.name, "_recount")}, []string{"word", "documents", "keys"},
			pgx.CopyFromSlice(n, func(i int) ([]any, error) {
				return []any{list[i].Word, list[i].Documents, indexKeys(list[i].Word)}, nil
			}))
		if err != nil {
			return err
		}
	}
	if _, err := d.tx.Exec(ctx, wordsIndex(beside)); err != nil {
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
	return execAll(ctx, d.tx, []string{"DROP TABLE " + d.shape.words(),
		"ALTER TABLE " + d.shape.recount() + " RENAME TO " + quote(fit(d.shape.name, "_words"))})
}
