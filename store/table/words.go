package table

import (
	"fmt"

	"github.com/rowansearch/rowan/store/sqltext"
)

// createWords is the DDL of a vocabulary.
func (s Shape) createWords(table string) []string {
	return append(s.WordsTable(table), WordsIndex(table))
}

// WordsTable is the DDL of a vocabulary without its index.
func (s Shape) WordsTable(table string) []string {
	return []string{
		// Half of each page is for new counts: none of them then leaves its page, and so none enters the indexes again.
		// With 15 % every second did.
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

// WordsIndex is the DDL of the index on the keys of a vocabulary. The keys of words are mostly different: to put them off saves a tenth of the
// work, and every search for a misspelled word would read them all, for 18 ms where 5,000 documents had just been written.
func WordsIndex(table string) string {
	return "CREATE INDEX ON " + table + " USING gin (keys) WITH (fastupdate = off)"
}

// KeysForm rises with what the keys of words are.
const KeysForm = 4

// keysComment says in each vocabulary what the keys of its words are, and their form.
var keysComment = fmt.Sprintf("Hashes (form %d) of what is left of the first letters after deletions, each behind the first two letters of that: words close to each other have one in common. Pairs of letters have that of the last; Korean words also those of each two syllables but the first two.", KeysForm)
