package table

import (
	"fmt"

	"github.com/rowansearch/rowan/store/sqltext"
)

// createWords returns the DDL of a vocabulary.
func (s Shape) createWords(table string) []string {
	return append(s.WordsTable(table), WordsIndex(table))
}

// WordsTable returns the DDL of a vocabulary without its index.
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

// WordsIndex returns the DDL of the index on the keys of a vocabulary. It has no pending list: since the keys of words are mostly distinct, one would
// save only a tenth of the work, and every search for a misspelled word would have to read it, for 18 ms after 5,000 documents had been written.
func WordsIndex(table string) string {
	return "CREATE INDEX ON " + table + " USING gin (keys) WITH (fastupdate = off)"
}

// KeysForm increases whenever the keys of words change.
const KeysForm = 4

// keysComment describes, in each vocabulary, the keys of its words and their form.
var keysComment = fmt.Sprintf("Hashes (form %d) of what is left of the first letters after deletions, each behind the first two letters of that: words close to each other have one in common. Pairs of letters have that of the last; Korean words also those of each two syllables but the first two.", KeysForm)
