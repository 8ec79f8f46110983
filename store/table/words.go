package table

import (
	"fmt"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/sqltext"
)

// createWords returns the DDL of a vocabulary.
func (s Shape) createWords(table string) []string {
	return append(s.WordsTable(table), s.WordsIndexes(table)...)
}

// WordsTable returns the DDL of a vocabulary without its indexes.
func (s Shape) WordsTable(table string) []string {
	return []string{
		// Half of each page is reserved for new counts: an updated row then stays on its page, and so needs no new index entries. With 15 % reserved, every
		// second update did.
		"CREATE TABLE " + table + ` (
  word text COLLATE "C" PRIMARY KEY,
  documents integer NOT NULL,
  keys integer[]
) WITH (fillfactor = 50)`,
		"COMMENT ON TABLE " + table + " IS " + sqltext.Literal("Words of the documents of "+s.Name+", folded but not stemmed."),
		"COMMENT ON COLUMN " + table + ".documents IS 'Number of documents with the word, about.'",
		"COMMENT ON COLUMN " + table + ".keys IS " + sqltext.Literal(keysComment),
	}
}

// WordsIndexes returns the DDL of the indexes of a vocabulary. That on the keys has no pending list: since the keys of words are mostly distinct, one
// would save only a tenth of the work, and every search for a misspelled word would have to read it, for 18 ms after 5,000 documents had been written.
// Where compounds are looked for by their last part, there is one on the words read backwards.
func (s Shape) WordsIndexes(table string) []string {
	list := []string{"CREATE INDEX ON " + table + " USING gin (keys) WITH (fastupdate = off)"}
	if analysis.CompoundingOf(s.language) != nil {
		list = append(list, "CREATE INDEX ON "+table+" (reverse(word))")
	}
	return list
}

// wordsForm increases whenever the keys of words or the indexes change.
const wordsForm = 5

// keysComment describes, in each vocabulary, the keys of its words and its form.
var keysComment = fmt.Sprintf("Hashes (form %d) of what is left of the first letters after deletions, each behind the first two letters of that: words close to each other have one in common. Pairs of letters have that of the last; Korean words also those of each two syllables but the first two.", wordsForm)

// OutdatedWords returns an expression for whether the vocabulary has an earlier form, and so must be made anew. Those of a later form are left to the
// servers that made them.
func (r Relations) OutdatedWords() string {
	return fmt.Sprintf("coalesce(substring(col_description(to_regclass(%s), 3) FROM '\\(form (\\d+)\\)')::int, 0) < %d", sqltext.Literal(r.Words()), wordsForm)
}
