package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/table"
)

// foundWords is what one statement finds of words that queries may mean.
type foundWords struct {
	documents []int64              // that have each of the asked words
	near      [][]service.NearWord // words close to each
	all       int64                // documents that there are
	// completions are the words that begin with the prefix; many tells that there are too many for all of them, enough
	// that they are all or too many.
	completions  []service.Completion
	many, enough bool
	whole        int64 // documents that have the prefix as a word
	joined       map[service.WordPair]int64
	pairForms    map[service.WordPair][]service.Completion // what may be other forms of pairs that are not joined
	parted       map[string][]service.WordPair
	going        []service.Completion
	seldom       map[string]bool
	forms        map[string]bool                 // those of the asked forms that there are
	around       map[string][]service.Completion // pairs of letters that each of the asked letters is in
	logged       int                             // length of the change log
	followed     bool                            // the words of all documents that it names are there
	state        string                          // of the vocabulary, as seenSQL has it
	peek         *peeked                         // what the log says
}

// wordLookup is a lookup of words that queries may mean, on its way from the rows to what is found.
type wordLookup struct {
	service.AskedWords
	wrong string // the prefix, if it may have an error
	// common is how many documents a lexeme has that surely has postings, surely from how many a word is known to be frequent.
	common, surely int64
	manyBegun      int64 // documents of words that begin with the prefix from which not all of these are searched for

	foundWords
	written *writtenWords
	// candidates are those for each of the words, from 1 on; before them those for all.
	candidates [][]service.NearWord
	begun      int64 // documents with words that begin with the prefix, each word counted for itself
}

// related looks words up, in one round trip. No document has those that are gone. From surely documents on a word is known to be
// frequent.
func (s *Store) related(ctx context.Context, ix *service.Index, r table.Relations, peek int, ask service.AskedWords, surely int64) (found *foundWords, err error) {
	l := &wordLookup{AskedWords: ask, surely: surely, manyBegun: s.words.manyBegun, foundWords: foundWords{seldom: map[string]bool{}, forms: map[string]bool{}, around: map[string][]service.Completion{}}}
	var c candidates
	for _, w := range ask.Words {
		c.add(w)
	}
	from, to := "", ""
	after, before := begunPair(ask.Pairs)
	if ask.Prefix != "" {
		if spelling.MayBeBegunWrong(ask.Prefix) {
			l.wrong = ask.Prefix
		}
		from, to = analysis.BegunRange(ask.Prefix)
		if l.common, err = s.surelyCommon(ctx, ix.ID); err != nil {
			return nil, err
		}
	}
	// The log first: what is taken over between the two is in both.
	batch := &pgx.Batch{}
	batch.Queue(peekSQL(r, peek))
	batch.Queue(relatedSQL(r), c.words, c.keys, c.shortest, c.longest, c.others, from, to, ask.Limit, notNil(ask.Gone), l.wrong, wordsOfPairs(ask.Pairs), after, before, notNil(ask.Forms), joinedWords(ask.Pairs), notNil(ask.Letters), endKeys(ask.Letters))
	// Whoever asks for words close to these will ask for their lexemes next.
	language := ix.Settings.Language
	unknown := s.unknownWords(language, append([]string{ask.Prefix}, ask.Words...)...)
	if len(unknown) > 0 {
		batch.Queue(lexemesSQL, language, unknown)
	}
	conn, err := s.readPool(ctx).Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	results := conn.SendBatch(ctx, batch)
	defer func() { err = cmp.Or(err, results.Close()) }()
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	if l.peek, err = readPeeked(ix, rows, peek); err != nil {
		return nil, err
	}
	if rows, err = results.Query(); err != nil {
		return nil, err
	}
	if err := l.read(rows); err != nil {
		return nil, err
	}
	if len(unknown) > 0 {
		if rows, err = results.Query(); err != nil {
			return nil, err
		}
		if err = s.takeLexemes(language, rows, map[string][]string{}); err != nil {
			return nil, err
		}
	}
	l.state = seenIn(historyOf(ctx, conn.Conn()), l.state)
	l.settle()
	return &l.foundWords, nil
}

// The kinds of the rows of relatedSQL.
const (
	rowVocabulary = iota // how far the vocabulary is, and as the word what it is like: seenSQL
	rowAsked             // an asked word with its documents
	rowNear              // a word that may be close to an asked one
	rowAnyNear           // a word that may be close to any of them
	rowBegun             // a word that begins with the prefix, with the documents of all that do
	rowPrefix            // the prefix as a word, unless it is the beginning of a syllable
	rowOfPair            // a word of a pair, or the pair as one word: writtenSQL
	rowPart              // the first part of an asked word, with its documents and those of the rest: writtenSQL
	rowPartShared        // the same of a rest that begins with the last letter of the first part: writtenSQL
	rowGoing             // a word that begins with a pair as one word and goes on: writtenSQL
	rowPartGoing         // a word that begins with the rest of the prefix behind its first letters, with their number: writtenSQL
	rowForm              // an asked form that there is
	rowPairForm          // a word that begins with a pair as one word, and may be another form of it: writtenSQL
	rowAround            // a word that begins with an asked letter, or may be a pair that ends with it: aroundSQL
)

// relatedSQL is the statement of related. The planner does not see the parameters: as in searches, one plan does for all.
func relatedSQL(r table.Relations) string {
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
UNION ALL %[15]s`,
		r.Words(), maxCandidates, nearRarer, r.Progress(), freshLog+1, writtenSQL(r), seenSQL(r),
		rowVocabulary, rowAsked, rowNear, rowAnyNear, rowBegun, rowPrefix, rowForm, aroundSQL(r))
}

// read takes the rows of relatedSQL.
func (l *wordLookup) read(rows pgx.Rows) error {
	l.documents, l.near = make([]int64, len(l.Words)), make([][]service.NearWord, len(l.Words))
	l.candidates, l.written = make([][]service.NearWord, len(l.Words)+1), newWrittenWords(l.peek)
	var kind, place, n int
	var word string
	var documents, besides int64
	_, err := pgx.ForEachRow(rows, []any{&kind, &place, &word, &documents, &besides, &n}, func() error {
		switch kind {
		case rowVocabulary:
			l.logged, l.all, l.state = max(n, l.peek.logged), documents, word
		case rowAsked:
			l.documents[place-1] = documents
		case rowNear, rowAnyNear:
			l.candidates[place] = append(l.candidates[place], service.NearWord{Word: word, Documents: documents})
		case rowBegun:
			l.completions = append(l.completions, service.Completion{Word: word, Documents: documents})
			l.begun = besides
		case rowPrefix:
			l.whole = documents
		case rowOfPair:
			l.written.documents[word] = documents
		case rowPart:
			l.written.part(l.Words[place-1], word, documents, besides)
		case rowPartShared:
			l.written.partShared(l.Words[place-1], word, documents, besides)
		case rowPairForm:
			l.written.addForm(l.Pairs[place-1], word, documents)
		case rowForm:
			l.forms[word] = documents > 0
		case rowAround:
			l.addAround(l.Letters[place-1], word, documents)
		case rowGoing:
			l.going = append(l.going, service.Completion{Word: word, Documents: documents})
		case rowPartGoing:
			l.written.partGoing(n, word, documents)
		}
		return nil
	})
	return err
}

// settle adds what the log has, and decides what each word may mean.
func (l *wordLookup) settle() {
	l.followed = l.peek.whole && l.logged == l.peek.logged
	if l.Prefix != "" {
		var more int64
		l.completions, more = l.peek.addBegun(l.Prefix, l.completions, l.Limit)
		l.begun += more
		l.whole += l.peek.words[l.Prefix]
	}
	l.many = l.begun > l.manyBegun
	if l.many {
		l.completions = frequentAmong(l.completions, l.begun, l.common)
	}
	l.enough = l.many || len(l.completions) < l.Limit
	for _, w := range l.Forms {
		if _, logged := l.peek.words[w]; logged { // of a document that has changed, it counts none
			l.forms[w] = true
		}
	}
	for i, w := range l.Words {
		l.documents[i] += l.peek.words[w]
		list := l.peek.addNear(w, w == l.wrong, slices.Concat(l.candidates[i+1], l.candidates[0]))
		l.near[i] = nearest(w, l.documents[i], l.all, list)
		// A word that there is has no error: else finishing it would find less.
		if w == l.wrong && l.documents[i] == 0 {
			l.near[i] = append(l.near[i], beginningNear(w, l.begun, list)...)
		}
		if l.documents[i] == 0 {
			l.near[i] = append(l.near[i], l.nearWithoutEnding(w)...)
		}
		var begun int64
		if w == l.Prefix {
			begun = l.begun
		}
		l.written.settle(w, l.documents[i], begun, w == l.Prefix)
		if writtenAs(l.documents[i], begun) < nearDocuments {
			l.seldom[w] = true
		}
	}
	l.settleAround()
	l.joined, l.parted = l.joinedPairs(), l.written.parted(l.Gone)
	l.pairForms = l.formsOfPairs()
	l.going = l.goingOn()
}

// candidates are the parameters of a lookup of words that are close to some words.
type candidates struct {
	words, keys, others []string
	shortest, longest   []int32 // in letters
}

func (c *candidates) add(word string) {
	limit := spelling.Limit(word)
	keys, others := spelling.QueryKeys(word, limit)
	n := int32(utf8.RuneCountInString(word))
	others = append(others, withoutEndings(word)...)
	c.words, c.keys, c.others = append(c.words, word), append(c.keys, arrayLiteral(keys)), append(c.others, others...)
	c.shortest, c.longest = append(c.shortest, n-int32(limit)), append(c.longest, n+int32(limit))
}
