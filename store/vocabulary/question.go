// Package vocabulary determines what the words of a query may mean in an index: words that they misspell or begin, words that documents write
// together or apart, and other forms. It makes the statements that query the vocabulary of an index, which has the words of its documents as written,
// with the number of documents of each, and evaluates their rows. It runs no statement and knows no dictionary: the caller has the stems of words.
package vocabulary

import (
	"fmt"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// Question asks what words of a query may mean. No document has the words in Gone.
type Question struct {
	service.AskedWords
	// Common is the number of documents from which a lexeme surely has postings, Surely that from which a word is known to be frequent.
	Common, Surely int64
	// ManyBegun is the number of documents, added up over the words with the prefix, up to which all of these words are searched for, however many
	// they are.
	ManyBegun int64
}

// wrong returns the prefix if it may have a typo, otherwise "".
func (q *Question) wrong() string {
	if spelling.MayBeBegunWrong(q.Prefix) {
		return q.Prefix
	}
	return ""
}

// Statement returns the statement that asks the vocabulary. Its rows have the columns of Row. While the vocabulary is being counted again in place,
// it reports a change log longer than mostLogged rows.
func (q *Question) Statement(r table.Relations, mostLogged int) sqltext.Statement {
	var c candidates
	for _, w := range q.Words {
		c.add(w)
	}
	from, to := "", ""
	if q.Prefix != "" {
		from, to = analysis.BegunRange(q.Prefix)
	}
	after, before := begunPair(q.Pairs)
	return sqltext.Statement{SQL: statementSQL(r, mostLogged), Args: []any{c.words, c.keys, c.shortest, c.longest, c.others, from, to, q.Limit, sqltext.NotNil(q.Gone), q.wrong(),
		wordsOfPairs(q.Pairs), after, before, sqltext.NotNil(q.Forms), joinedWords(q.Pairs), sqltext.NotNil(q.Letters), endKeys(q.Letters), sqltext.NotNil(q.Nouns), withinKeys(q.Nouns)}, Prepared: true}
}

// The kinds of the rows of statementSQL.
const (
	rowVocabulary = iota // the number of documents and the state (StateSQL), as the word
	rowAsked             // an asked word with its documents
	rowNear              // a word that may be close to one asked word
	rowAnyNear           // a word that may be close to any of them
	rowBegun             // a word with the prefix, and the documents of all such words
	rowPrefix            // the prefix as a word, unless it ends in an unfinished syllable
	rowOfPair            // a word of a pair, or the pair as one word: writtenSQL
	rowPart              // the first part of an asked word, with its documents and those of the rest: writtenSQL
	rowPartShared        // like rowPart, with a rest that begins with the last letter of the first part: writtenSQL
	rowGoing             // a longer word that begins with a pair as one word: writtenSQL
	rowPartGoing         // a longer word that begins with the rest of the prefix after its first letters, and their number: writtenSQL
	rowForm              // an asked form that documents have
	rowPairForm          // a longer word that begins with a pair as one word, and may be another form of it: writtenSQL
	rowAround            // a word that begins with an asked letter, or may be a pair that ends with it: aroundSQL
	rowCompound          // a word that contains an asked noun: compoundsSQL
)

// statementSQL returns the statement of a question. The planner does not see the parameters: as for searches, one plan serves all.
func statementSQL(r table.Relations, mostLogged int) string {
	return fmt.Sprintf(`
WITH asked AS MATERIALIZED (
  SELECT a.place, a.word, a.keys::int[] AS keys, a.shortest, a.longest, coalesce(w.documents, 0) AS documents, greatest(1, %[3]d * coalesce(w.documents, 0)::bigint) AS least
  FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::int[]), (SELECT $4::int[])) WITH ORDINALITY AS a(word, keys, shortest, longest, place)
  LEFT JOIN %[1]s w ON w.word = a.word AND a.word <> ALL((SELECT $9::text[])::text[])),
begun AS MATERIALIZED (
  SELECT word, documents, sum(documents) OVER () AS sum FROM %[1]s WHERE word > (SELECT $6::text) AND word < (SELECT $7::text) ORDER BY documents DESC, word LIMIT (SELECT $8::int))
SELECT %[8]d AS kind, 0 AS place, %[7]s AS word, documents, 0::bigint AS sum, CASE WHEN counted_to IS NOT NULL AND NOT beside THEN %[5]d ELSE 0 END AS logged FROM %[4]s
UNION ALL SELECT %[9]d, place, word, documents, 0, 0 FROM asked
UNION ALL SELECT %[10]d, a.place, n.word, n.documents, 0, 0 FROM asked a CROSS JOIN LATERAL (SELECT w.word, w.documents FROM %[1]s w WHERE w.keys && a.keys
  AND w.documents >= a.least AND char_length(w.word) >= a.shortest
  AND (char_length(w.word) <= a.longest OR a.word = (SELECT $10::text) AND w.documents >= %[3]d * (SELECT coalesce(max(sum), 0) FROM begun)) ORDER BY w.documents DESC LIMIT %[2]d) n WHERE a.least <= (SELECT documents + drift FROM %[4]s)
UNION ALL SELECT %[11]d, 0, word, documents, 0, 0 FROM %[1]s WHERE word = ANY((SELECT $5::text[])::text[])
UNION ALL SELECT %[12]d, 0, word, documents, sum, 0 FROM begun
UNION ALL SELECT %[13]d, 0, word, documents, 0, 0 FROM %[1]s WHERE word = (SELECT $6::text)
UNION ALL SELECT %[14]d, 0, word, documents, 0, 0 FROM %[1]s WHERE word = ANY((SELECT $14::text[])::text[]) AND word <> ALL((SELECT $9::text[])::text[])
UNION ALL %[6]s
UNION ALL %[15]s
UNION ALL %[16]s`,
		r.Words(), maxCandidates, nearRarer, r.Progress(), mostLogged+1, writtenSQL(r), StateSQL(r),
		rowVocabulary, rowAsked, rowNear, rowAnyNear, rowBegun, rowPrefix, rowForm, aroundSQL(r), compoundsSQL(r))
}

// StateSQL returns an expression for the state of a vocabulary: a number that grows with whatever changes it or is taken from the log; "" while the
// log has rows or all documents are being counted again.
func StateSQL(r table.Relations) string {
	return fmt.Sprintf("coalesce((SELECT CASE WHEN counted_to IS NULL AND NOT EXISTS (SELECT FROM %s) THEN dealt_with::text END FROM %s), '')", r.Changes, r.Progress())
}

// candidates are the parameters for finding words close to the asked ones.
type candidates struct {
	words, keys, others []string
	shortest, longest   []int32 // in letters
}

func (c *candidates) add(word string) {
	limit := spelling.Limit(word)
	keys, others := spelling.QueryKeys(word, limit)
	n := int32(utf8.RuneCountInString(word))
	others = append(others, withoutEndings(word)...)
	c.words, c.keys, c.others = append(c.words, word), append(c.keys, sqltext.Integers(keys)), append(c.others, others...)
	c.shortest, c.longest = append(c.shortest, n-int32(limit)), append(c.longest, n+int32(limit))
}
