package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/bodywords"
	"github.com/rowansearch/rowan/store/spelling"
)

// Words of a query stand for other words of the index, too: for those that they misspell, or begin. The vocabulary tells which.

const (
	// nearRarer is how many times rarer than a word close to it a known word must be to be taken for a typo.
	nearRarer = 20
	// maxNear bounds the words that one word is searched as.
	maxNear = 5
	// maxCandidates bounds the words that one is compared with; those in the most documents are.
	maxCandidates = 3000
	// maxNearWords bounds the words of one query that are searched with typos.
	maxNearWords = 16
)

// Related returns, for each of the asked words, up to five words of the index that it may be a misspelling of, nearest
// first, then in most documents: at distance 1, for words of eight letters and more at distance 2, where a
// transposition counts 1 and a wrong first letter 2. Words of fewer than four letters or more than 26, or with digits, have none, nor have words
// of 50 documents and more; another one that the index knows, in whatever form, has only such that are in at least 20 times as many,
// and its other forms. The prefix,
// from five letters on, also has up to five words that begin with something at distance 1 from it, if the index does not know
// it, and words that begin with it are in no more than a twentieth of theirs. Of a long query the first 16 such words are looked up.
//
// It also returns the words that begin with the prefix, those in the most documents first, and which of the words are written
// together or apart in documents (writtentogether.go), which of the asked forms the index has, and which of the asked lexemes.
func (s *Store) Related(ctx context.Context, ix *service.Index, ask service.AskedWords) (*service.RelatedWords, error) {
	q := &relatedQuestion{store: s, ix: ix, AskedWords: ask, prefix: ask.Prefix,
		answer: &service.RelatedWords{Near: map[string][]service.NearWord{}, Known: map[string]bool{}, Lexemes: map[string]bool{}, Joined: map[service.WordPair]int64{}, JoinedForms: map[service.WordPair][]service.Completion{}}}
	if len(ask.Gone) == 0 {
		q.key = seenKey(ix, ask)
		if seen, ok := s.words.seen.get(ix, q.key); ok {
			return seen, nil
		}
	}
	if err := q.answerKnown(ctx); err != nil {
		return nil, s.searchError(err)
	}
	if len(q.Words)+len(q.Pairs)+len(q.Forms)+len(q.Lexemes) == 0 && q.Prefix == "" {
		if q.begun == nil {
			return q.answer, nil
		}
		err := s.followed(ctx, ix, func(ctx context.Context, _ relations, _ int) (int, error) { return 0, q.addBeside(ctx) })
		return q.answer, err
	}
	err := s.followed(ctx, ix, q.look)
	return q.answer, err
}

// relatedQuestion is a question of a search for words, on its way to the answer: the asked words are those that are still to be
// looked up.
type relatedQuestion struct {
	service.AskedWords
	store    *Store
	ix       *service.Index
	answer   *service.RelatedWords
	prefix   string         // as it was asked for
	key      string         // under which the answer is remembered; "" if it is not
	begun    *begunWords    // what was remembered of the prefix, nil where it is to be looked up
	frequent *frequentWords // nil where they are not known, or not asked for
}

// word is the key of a word in the caches.
func (q *relatedQuestion) word(word string) wordKey { return wordKey{q.ix.ID, q.ix.Version, word} }

// isFrequent tells without asking that enough documents have a word for it to be no misspelling.
func (q *relatedQuestion) isFrequent(word string) bool {
	_, met := q.store.words.met.Get(q.word(word))
	return (met || q.frequent.of(word) > 0) && !slices.Contains(q.Gone, word)
}

// answerKnown answers what is known without the vocabulary, and leaves the rest to be looked up.
func (q *relatedQuestion) answerKnown(ctx context.Context) error {
	s := q.store
	if len(q.Words)+len(q.Pairs) > 0 {
		q.frequent = s.frequent(ctx, q.ix)
	}
	q.Words = wordsToAsk(q.answer, q.Words, q.isFrequent)
	q.Forms = slices.DeleteFunc(slices.Clone(q.Forms), func(form string) bool {
		known := q.isFrequent(form)
		q.answer.Known[form] = q.answer.Known[form] || known
		return known
	})
	if len(q.Lexemes) > 0 {
		x, err := s.accelerator(ctx, q.ix.ID)
		if err != nil {
			return err
		}
		q.Lexemes = slices.DeleteFunc(slices.Clone(q.Lexemes), func(lexeme string) bool {
			q.answer.Lexemes[lexeme] = x.documentsWith(lexeme) > 0
			return q.answer.Lexemes[lexeme]
		})
	}
	frequentForms := map[service.WordPair][]service.Completion{}
	q.Pairs = slices.DeleteFunc(slices.Clone(q.Pairs), func(p service.WordPair) bool {
		if q.frequent == nil || p.Hyphen || !q.isFrequent(p.First) || !q.isFrequent(p.Second) {
			return false
		}
		if n := q.frequent.together(p); n > 0 && !slices.Contains(q.Gone, p.Joined()) {
			q.answer.Joined[p] = n
		} else if forms := q.frequent.mayBeForms(p); len(forms) > 0 {
			frequentForms[p] = forms
		}
		return true
	})
	if err := q.addPairForms(ctx, frequentForms); err != nil {
		return err
	}
	if !bodywords.Completed(q.Prefix) {
		begun, err := s.begunNumbers(ctx, q.ix, q.Prefix, q.Limit)
		if err != nil {
			return err
		}
		q.answer.Completions, q.answer.Enough = begun, len(begun) > 0
		q.Prefix = ""
	}
	if known, ok := s.words.begun.Get(q.word(q.Prefix)); ok && isShort(q.Prefix) {
		q.answer.Completions, q.answer.Whole, q.answer.WholeShare, q.answer.Enough = known.completions, known.whole, known.share, true
		q.Prefix, q.begun = "", &known
	}
	return nil
}

// isShort tells that a prefix has so many words that those which it stands for are remembered.
func isShort(prefix string) bool {
	return prefix != "" && utf8.RuneCountInString(prefix) <= begunLetters
}

// look looks up what is left. logged is how long the change log is that the answer leaves out.
func (q *relatedQuestion) look(ctx context.Context, r relations, peek int) (logged int, err error) {
	s, answer := q.store, q.answer
	found, err := s.related(ctx, q.ix, r, peek, q.AskedWords, q.frequent.surely())
	if err != nil {
		return 0, err
	}
	if err := s.leaveOtherStems(ctx, q.ix, q.Words, found); err != nil {
		return 0, err
	}
	if err := s.haveLexemes(ctx, q.ix, q.Lexemes, answer.Lexemes); err != nil {
		return 0, err
	}
	for _, w := range q.Forms {
		answer.Known[w] = answer.Known[w] || found.forms[w]
	}
	maps.Copy(answer.Joined, found.joined)
	if err := q.addPairForms(ctx, found.pairForms); err != nil {
		return 0, err
	}
	answer.Parted, answer.Going, answer.Seldom = found.parted, found.going, found.seldom
	for i, w := range q.Words {
		answer.Near[w], answer.Known[w] = found.near[i], found.documents[i] > 0
		if found.documents[i] >= nearDocuments {
			s.words.met.Put(q.word(w), struct{}{})
		}
	}
	if err := s.addLettered(ctx, q.ix, answer); err != nil {
		return 0, err
	}
	many := q.begun != nil
	if q.Prefix != "" {
		many = found.many
		answer.Completions, answer.Enough = found.completions, found.enough && found.logged <= freshLog
		if found.many {
			leaveRareNear(answer, q.Prefix)
		}
		answer.Whole, answer.WholeShare = found.whole, found.wholeShare()
		if isShort(q.Prefix) && found.many && found.logged == 0 {
			s.words.begun.Put(q.word(q.Prefix), begunWords{found.completions, found.whole, answer.WholeShare, found.state})
		}
	}
	if many {
		if err := q.addBeside(ctx); err != nil {
			return 0, err
		}
	}
	// What is remembered under a state holds for as long as the index stays in it. So all of it must be of that state.
	if q.key != "" && found.logged == 0 && (q.begun == nil || q.begun.state == found.state) {
		s.words.seen.put(q.ix, q.key, found.state, answer)
	}
	if found.followed {
		return 0, nil
	}
	return found.logged, nil
}

// wordsToAsk are those that the vocabulary is to be asked for, of the first words that may have typos. Those that enough documents have
// are no misspellings, as is tells without asking: they go into related at once.
func wordsToAsk(related *service.RelatedWords, words []string, is func(word string) bool) (asked []string) {
	looked := 0
	for _, w := range words {
		mayMean := spelling.Limit(w) > 0 || service.MayBeCompound(w) || len(withoutEndings(w)) > 0
		if _, done := related.Near[w]; done || !mayMean && !service.MayBeInitials(w) && !mayBeAbbreviation(w) || slices.Contains(asked, w) || looked == maxNearWords {
			continue
		}
		if mayMean {
			looked++
		}
		if is(w) {
			related.Near[w], related.Known[w] = nil, true
		} else {
			asked = append(asked, w)
		}
	}
	return asked
}

// leaveRareNear leaves out what the beginning of many words might be a misspelling of where that is in fewer documents than
// each of these words, as rarer words that begin so are.
func leaveRareNear(related *service.RelatedWords, prefix string) {
	near, n := related.Near[prefix], len(related.Completions)
	if len(near) == 0 || n == 0 {
		return
	}
	related.Near[prefix] = slices.DeleteFunc(slices.Clone(near), func(w service.NearWord) bool { return w.Documents < related.Completions[n-1].Documents })
}

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
	forms        map[string]bool // those of the asked forms that there are
	logged       int             // length of the change log
	followed     bool            // the words of all documents that it names are there
	state        string          // of the vocabulary, as seenSQL has it
}

// wordLookup is a lookup of words that queries may mean, on its way from the rows to what is found.
type wordLookup struct {
	service.AskedWords
	wrong string // the prefix, if it may have an error
	// common is how many documents a lexeme has that surely has postings, surely from how many a word is known to be frequent.
	common, surely int64
	manyBegun      int64 // documents of words that begin with the prefix from which not all of these are searched for

	foundWords
	peek    *peeked
	written *writtenWords
	// candidates are those for each of the words, from 1 on; before them those for all.
	candidates [][]service.NearWord
	begun      int64 // documents with words that begin with the prefix, each word counted for itself
}

// related looks words up, in one round trip. No document has those that are gone. From surely documents on a word is known to be
// frequent.
func (s *Store) related(ctx context.Context, ix *service.Index, r relations, peek int, ask service.AskedWords, surely int64) (found *foundWords, err error) {
	l := &wordLookup{AskedWords: ask, surely: surely, manyBegun: s.words.manyBegun, foundWords: foundWords{seldom: map[string]bool{}, forms: map[string]bool{}}}
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
	batch.Queue(r.peekSQL(peek))
	batch.Queue(r.relatedSQL(), c.words, c.keys, c.shortest, c.longest, c.others, from, to, ask.Limit, notNil(ask.Gone), l.wrong, wordsOfPairs(ask.Pairs), after, before, notNil(ask.Forms), joinedWords(ask.Pairs))
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
)

// relatedSQL is the statement of related. The planner does not see the parameters: as in searches, one plan does for all.
func (r relations) relatedSQL() string {
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
UNION ALL %[6]s`,
		r.words(), maxCandidates, nearRarer, r.progress(), freshLog+1, r.writtenSQL(), r.seenSQL(),
		rowVocabulary, rowAsked, rowNear, rowAnyNear, rowBegun, rowPrefix, rowForm)
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
		known := l.documents[i]
		if w == l.Prefix {
			known += l.begun
		}
		l.written.settle(w, known, w == l.Prefix)
		if known < nearDocuments {
			l.seldom[w] = true
		}
	}
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

// nearest picks the words that word, of which so many of all documents have it, is searched as.
func nearest(word string, documents, all int64, candidates []service.NearWord) []service.NearWord {
	limit := spelling.Limit(word)
	if documents >= nearDocuments {
		return nil
	}
	var list []service.NearWord
	for _, c := range candidates {
		c.Distance = spelling.Distance(word, c.Word, limit)
		if c.Distance > 0 && c.Distance <= limit && c.Documents >= max(1, nearRarer*documents) && !slices.ContainsFunc(list, func(of service.NearWord) bool { return of.Word == c.Word }) {
			c.Share = nearShare(documents, c.Documents, all)
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b service.NearWord) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
	})
	list = list[:min(len(list), maxNear)]
	if documents == 0 {
		lessLikely(list)
	}
	return list
}

// lessLikely lowers the shares of words that a word without documents is less likely to mean than others that are as close to it: of
// two that it may be a slip for, people search more often for the one that more documents have. It is by up to a quarter, so that one
// error still gives more than two.
func lessLikely(list []service.NearWord) {
	most := map[int]int64{}
	for _, n := range list {
		most[n.Distance] = max(most[n.Distance], n.Documents)
	}
	for i, n := range list {
		list[i].Share = math.Round(6+2*math.Log1p(float64(n.Documents))/math.Log1p(float64(most[n.Distance]))) / 8
	}
}

// wholeShare is how rare the most frequent word is that begins with the prefix, as a share of how rare the prefix is as a word; 0 if
// it is none.
func (f *foundWords) wholeShare() float64 {
	if f.whole == 0 || len(f.completions) == 0 {
		return 0
	}
	return min(1, nearShare(f.whole, f.completions[0].Documents, f.all))
}

// nearShare is how rare a word is in near of all documents, as a share of how rare the one is that it is close to, in eighths, so
// that it stays the same while documents are written: else a common word would count as much as the rare one which was asked for. A
// word that no document has is as rare as what it stands for (lessLikely).
func nearShare(documents, near, all int64) float64 {
	if documents == 0 {
		return 1
	}
	all = max(all, near)
	return max(1, math.Round(8*rarity(near, all)/rarity(documents, all))) / 8
}

// beginningNear picks the words that begin as word, with an error: words that begin with it are in that many documents.
func beginningNear(word string, documents int64, candidates []service.NearWord) (list []service.NearWord) {
	limit := spelling.Limit(word)
	for _, c := range candidates {
		whole := spelling.Distance(word, c.Word, limit) <= limit // found as such
		if !whole && c.Documents >= max(1, nearRarer*documents) && spelling.BeginsNear(word, c.Word) {
			list = append(list, service.NearWord{Word: c.Word, Distance: 1, Documents: c.Documents, Share: 1, Begun: true})
		}
	}
	slices.SortFunc(list, func(a, b service.NearWord) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
	})
	return list[:min(len(list), maxNear)]
}

// manyBegun is how many documents the words that begin with a prefix may have, each word counted for itself, for
// all of them to be searched for, however many words they are.
const manyBegun = 10000

// begunShare is the part of these that a word must have where they are more, up to begunDocuments, or the frequency from which a
// lexeme surely has postings. It is found as soon as more of it is typed.
const begunShare, begunDocuments = 20, 1250

// frequentAmong are those of words in sum documents that a beginning stands for: rare words beside frequent ones change little in what
// is found and much in how long it takes. Words from common documents on surely have postings.
func frequentAmong(words []service.Completion, sum, common int64) []service.Completion {
	least := min(sum/begunShare, max(common, begunDocuments))
	if frequent := slices.DeleteFunc(slices.Clone(words), func(c service.Completion) bool { return c.Documents < least }); len(frequent) > 0 {
		return frequent
	}
	return words // all are about as rare, as numbers and names are
}

// begunNumbers are the numbers that one at the end of a query stands for, where very many documents have some: the most frequent
// that begin with it. Vocabularies have no words that begin with a digit, but postings have the lexemes. None where these do not
// tell; then all are searched for.
func (s *Store) begunNumbers(ctx context.Context, ix *service.Index, prefix string, limit int) ([]service.Completion, error) {
	if first, _ := utf8.DecodeRuneInString(prefix); !unicode.IsDigit(first) {
		return nil, nil
	}
	key := wordKey{ix.ID, ix.Version, prefix}
	if list, known := s.words.begun.Get(key); known {
		return list.completions, nil
	}
	x, err := s.accelerator(ctx, ix.ID)
	if x == nil || err != nil {
		return nil, err
	}
	var list []service.Completion
	sum := int64(0)
	for _, lexeme := range x.commonWith(prefix) {
		if n := x.frequencies[lexeme]; lexeme != prefix {
			list = append(list, service.Completion{Word: lexeme, Documents: n})
			sum += n
		}
	}
	if sum <= s.words.manyBegun {
		return nil, nil
	}
	slices.SortFunc(list, byFrequency)
	list = frequentAmong(list[:min(len(list), limit)], sum, x.surelyCommon(s.limits))
	s.words.begun.Put(key, begunWords{completions: list})
	return list, nil
}

// byFrequency orders words by how many documents have them, then by alphabet.
func byFrequency(a, b service.Completion) int {
	return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
}
