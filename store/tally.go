package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/sqltext"
)

// The vocabulary of an index holds the words of its documents, folded but not stemmed, with the number of documents that have each. New documents add
// to it; a document that changes or is deleted leaves its old words behind, until so many have that all documents are counted again. Nobody knows which
// of the words that a changed document has now it had before, except that it had none of those that the vocabulary does not have.

// tally counts words.
type tally struct {
	words    map[string]*wordCount
	document int32
	step     int32
}

type wordCount struct {
	documents int32
	added     int32 // of the documents, those that were not counted before in another state
	last      int32 // the last document that has it
}

func newTally() *tally { return &tally{words: map[string]*wordCount{}} }

// begin begins a document. If it was counted before, in another state (added is false), only words that are new to the vocabulary count.
func (t *tally) begin(added bool) {
	t.document++
	t.step = 0
	if added {
		t.step = 1
	}
}

func (t *tally) add(word []byte) {
	c, ok := t.words[string(word)]
	if !ok {
		c = &wordCount{}
		t.words[string(word)] = c
	}
	if c.last != t.document {
		c.last = t.document
		c.documents++
		c.added += t.step
	}
}

// write adds the tally to a vocabulary. It queues the insertion of new words in last, except for very many of them. Only one transaction at a time
// writes there.
func (t *tally) write(ctx context.Context, tx pgx.Tx, table string, last *pgx.Batch) error {
	if len(t.words) == 0 {
		return nil
	}
	words := slices.Sorted(maps.Keys(t.words))
	counts := make([]int32, len(words))
	for i, w := range words {
		counts[i] = t.words[w].added
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`
WITH given AS MATERIALIZED (SELECT g.word COLLATE "C" AS word, g.documents FROM unnest($1::text[], $2::int[]) AS g(word, documents)),
added AS (UPDATE %[1]s AS w SET documents = w.documents + g.documents FROM given g WHERE w.word = g.word AND g.documents > 0)
SELECT g.word FROM given g WHERE NOT EXISTS (SELECT FROM %[1]s AS w WHERE w.word = g.word)`, table), words, counts)
	if err != nil {
		return err
	}
	unknown, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(unknown) == 0 {
		return err
	}
	slices.Sort(unknown)
	for len(unknown) > wordsAtOnce {
		sql, args := t.insert(table, unknown[:wordsAtOnce])
		if _, err := tx.Exec(ctx, sql, args...); err != nil {
			return err
		}
		unknown = unknown[wordsAtOnce:]
	}
	sql, args := t.insert(table, unknown)
	last.Queue(sql, args...)
	return nil
}

// wordsAtOnce is how many new words one statement inserts: with their keys, as text, and while being encoded, each takes half a kilobyte.
const wordsAtOnce = 5000

// insert returns the statement that adds words to a vocabulary.
func (t *tally) insert(table string, words []string) (sql string, args []any) {
	counts := make([]int32, len(words))
	keys := make([]*string, len(words))
	for i, w := range words {
		counts[i] = t.words[w].documents
		if k := spelling.IndexKeys(w); k != nil {
			text := sqltext.Integers(k)
			keys[i] = &text
		}
	}
	return "INSERT INTO " + table + " (word, documents, keys) SELECT w, d, k::int[] FROM unnest($1::text[], $2::int[], $3::text[]) AS g(w, d, k)", []any{words, counts, keys}
}
