package vocabulary

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/bodywords"
	"github.com/rowansearch/rowan/store/table"
)

// writtenWords finds out which words of a query the documents have written together, or apart.
type writtenWords struct {
	log *Logged
	// documents are how many have each of the words of wordsOfPairs.
	documents map[string]int64
	// forms are, by the pair as one word, words that may be other forms of it.
	forms map[string][]service.Completion
	parts map[string][]partedWord
	// firsts are how many documents have each first part of a word that has any; going are the words that the rest behind so many letters
	// of the prefix may become.
	firsts map[string]map[string]int64
	going  map[int][]service.Completion
}

// partedWord is a word as two; least is how many documents have the rarer of them. Of a part of one letter that is not
// known: vocabularies do not have these.
type partedWord struct {
	service.WordPair
	least  int64
	letter bool
}

func newWrittenWords(log *Logged) *writtenWords {
	return &writtenWords{log, map[string]int64{}, map[string][]service.Completion{}, map[string][]partedWord{}, map[string]map[string]int64{}, map[int][]service.Completion{}}
}

const (
	// maxGoing is how many words one stands for that begin with it as one word, or with its rest behind another.
	maxGoing = 5
	// leastFirst and leastBehind are how many letters the parts of a word have at the least of which the second goes on,
	// leastBehindLetter is the same behind a single letter: very many words begin with fewer.
	leastFirst, leastBehind, leastBehindLetter = 3, 3, 4
)

// leastShared is how many letters two words have at the least that share one.
const leastShared = 3

// writtenSQL are rows of statementSQL: words of pairs, together and by themselves (rowOfPair), and the first parts of asked words that
// are not frequent, with the documents of both parts, if either is there (rowPart), and of those that are not there, so that the rest begins
// with the last letter of the first part (rowPartShared); words that go on from a pair as one word (rowGoing), and
// from the rest of the prefix, if it is not frequent either (rowPartGoing); and words that go on from any pair as one word (rowPairForm). OFFSET 0 has the index asked for each part: the
// planner takes a word for a thousand parts, and would read the vocabulary.
func writtenSQL(r table.Relations) string {
	return fmt.Sprintf(`SELECT %[3]d, 0, word, documents, 0, 0 FROM %[1]s WHERE word = ANY((SELECT $11::text[])::text[])
UNION ALL SELECT %[4]d, a.place, left(a.word, i), coalesce(f.documents, 0), coalesce(l.documents, 0), 0 FROM asked a
  CROSS JOIN LATERAL generate_series(1, char_length(a.word) - 1) AS i
  LEFT JOIN LATERAL (SELECT w.documents FROM %[1]s w WHERE w.word = left(a.word, i) OFFSET 0) f ON true
  LEFT JOIN LATERAL (SELECT w.documents FROM %[1]s w WHERE w.word = substr(a.word, i + 1) OFFSET 0) l ON true
  WHERE a.documents < %[2]d AND (f.documents IS NOT NULL OR l.documents IS NOT NULL)
UNION ALL SELECT %[12]d, a.place, left(a.word, i), coalesce(f.documents, 0), coalesce(l.documents, 0), 0 FROM asked a
  CROSS JOIN LATERAL generate_series(%[13]d, char_length(a.word) + 1 - %[13]d) AS i
  LEFT JOIN LATERAL (SELECT w.documents FROM %[1]s w WHERE w.word = left(a.word, i) OFFSET 0) f ON true
  LEFT JOIN LATERAL (SELECT w.documents FROM %[1]s w WHERE w.word = substr(a.word, i) OFFSET 0) l ON true
  WHERE a.documents = 0 AND (f.documents IS NOT NULL OR l.documents IS NOT NULL)
UNION ALL (SELECT %[5]d, 0, word, documents, 0, 0 FROM %[1]s WHERE word > (SELECT $12::text) AND word < (SELECT $13::text) ORDER BY documents DESC, word LIMIT %[8]d)
UNION ALL SELECT %[6]d, a.place, g.word, g.documents, 0, i FROM asked a
  CROSS JOIN LATERAL generate_series(1, char_length(a.word) - %[10]d) AS i
  LEFT JOIN LATERAL (SELECT w.documents FROM %[1]s w WHERE w.word = left(a.word, i) OFFSET 0) f ON true
  CROSS JOIN LATERAL (SELECT w.word, w.documents FROM %[1]s w WHERE (i = 1 AND char_length(a.word) > %[11]d OR i >= %[9]d AND f.documents IS NOT NULL)
    AND w.word > substr(a.word, i + 1) AND w.word < substr(a.word, i + 1) || chr(%[7]d) ORDER BY w.documents DESC, w.word LIMIT %[8]d) g
  WHERE a.word = (SELECT $6::text) AND a.documents < %[2]d AND (SELECT coalesce(max(sum), 0) FROM begun) < %[2]d
UNION ALL SELECT %[14]d, p.place, g.word, g.documents, 0, 0 FROM unnest((SELECT $15::text[])) WITH ORDINALITY AS p(word, place)
  CROSS JOIN LATERAL (SELECT w.word, w.documents FROM %[1]s w WHERE w.word > p.word AND w.word < p.word || chr(%[7]d) ORDER BY w.word LIMIT %[15]d) g
  WHERE char_length(g.word) <= char_length(p.word) + %[16]d`,
		r.Words(), FrequentFrom, rowOfPair, rowPart, rowGoing, rowPartGoing, unicode.MaxRune, maxGoing, leastFirst, leastBehind, leastBehindLetter, rowPartShared, leastShared,
		rowPairForm, maxPairForms, formLetters)
}

// wordsOfPairs are the words of pairs, by themselves and together, and what the latter may be other forms of.
func wordsOfPairs(pairs []service.WordPair) []string {
	words := []string{}
	for _, p := range pairs {
		words = append(words, p.First, p.Second, p.Joined())
		words = append(words, shorterForms(p)...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// begunPair is between what the words are that go on from the pair, as one word, whose second word may; nothing if there is none.
func begunPair(pairs []service.WordPair) (after, before string) {
	for _, p := range pairs {
		if p.Begun {
			return analysis.BegunRange(p.Joined())
		}
	}
	return "", ""
}

// of is how many documents have a word of which the vocabulary tells so many.
func (w *writtenWords) of(word string, documents int64) int64 {
	more, logged := w.log.Words[word]
	if documents == 0 && logged {
		return max(more, 1)
	}
	return documents + more
}

// part takes the first part of a word, with the documents of it and of the rest.
func (w *writtenWords) part(word, first string, ofFirst, ofRest int64) {
	if ofFirst > 0 {
		if w.firsts[word] == nil {
			w.firsts[word] = map[string]int64{}
		}
		w.firsts[word][first] = ofFirst
	}
	rest := word[len(first):]
	w.add(word, service.WordPair{First: first, Second: rest}, w.of(first, ofFirst), w.of(rest, ofRest))
}

// partShared takes the first part of a word, with the documents of it and of what begins with its last letter.
func (w *writtenWords) partShared(word, first string, ofFirst, ofRest int64) {
	_, size := utf8.DecodeLastRuneInString(first)
	rest := word[len(first)-size:]
	w.add(word, service.WordPair{First: first, Second: rest, Shared: true}, w.of(first, ofFirst), w.of(rest, ofRest))
}

// partGoing takes a word that the rest of the prefix behind so many letters may become.
func (w *writtenWords) partGoing(letters int, going string, documents int64) {
	w.going[letters] = append(w.going[letters], service.Completion{Word: going, Documents: documents})
}

// add adds a way to take a word apart, with the documents of both parts.
func (w *writtenWords) add(word string, pair service.WordPair, ofFirst, ofSecond int64) {
	p := partedWord{WordPair: pair, least: math.MaxInt64}
	if len(p.Second) >= bodywords.MinWord && utf8.RuneCountInString(p.Second) == 1 && !mayBeAbbreviation(word) {
		return // of scripts whose words may be one letter, such as Hangul, these are endings
	}
	for part, documents := range map[string]int64{p.First: ofFirst, p.Second: ofSecond} {
		if len(part) < bodywords.MinWord {
			p.letter = true
		} else {
			p.least = min(p.least, documents)
		}
	}
	if p.least > 0 && p.least < math.MaxInt64 {
		w.parts[word] = append(w.parts[word], p)
	}
}

// mayBeAbbreviation tells that a word may be what others write with a mark before its last letter: Hebrew abbreviations, as צה"ל.
func mayBeAbbreviation(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return unicode.Is(unicode.Hebrew, last) && utf8.RuneCountInString(word) >= 3
}

// fewLettered is in how many documents a word beside a single letter may be, of words that documents have: nobody knows how many of
// these documents have the letter, and each is looked at.
const fewLettered = 2000

// writtenAs is how many documents have a word as it is written, of which so many have it and begun words that begin with it. Where none has it,
// it is none yet, and may become any of these.
func writtenAs(documents, begun int64) int64 {
	if documents > 0 {
		return documents
	}
	return begun
}

// settle takes parts, too, that are in documents of the log, and maybe in no others, and those that go on from a prefix, which words of begun documents
// begin with. It leaves out those of a frequent word; of another one that documents have, those that are in fewer documents than the word itself, and
// beside a single letter words that are in many. Where the second part goes on, so does the word.
func (w *writtenWords) settle(word string, documents, begun int64, prefix bool) {
	written, known := writtenAs(documents, begun), documents+begun
	if written >= FrequentFrom {
		delete(w.parts, word)
		return
	}
	for i := range word {
		_, first := w.log.Words[word[:i]]
		_, rest := w.log.Words[word[i:]]
		if first && (rest || i == len(word)-1) || rest && i == 1 {
			w.part(word, word[:i], 0, 0)
		}
		if known == 0 && first && utf8.RuneCountInString(word[:i]) >= leastShared {
			w.settleShared(word, word[:i])
		}
	}
	if known > 0 {
		w.parts[word] = slices.DeleteFunc(w.parts[word], func(p partedWord) bool { return p.Shared })
	}
	if prefix && known < FrequentFrom {
		w.settleGoing(word)
	}
	w.parts[word] = slices.DeleteFunc(w.parts[word], func(p partedWord) bool {
		of := written
		if p.Begun {
			of = known
		}
		return of > 0 && (p.least < of || p.letter && p.least > fewLettered)
	})
}

// settleShared takes parts that are in documents of the log, and maybe in no others, and share a letter.
func (w *writtenWords) settleShared(word, first string) {
	_, size := utf8.DecodeLastRuneInString(first)
	rest := word[len(first)-size:]
	if _, logged := w.log.Words[rest]; logged && utf8.RuneCountInString(rest) >= leastShared {
		w.partShared(word, first, 0, 0)
	}
}

// settleGoing adds the parts of a prefix of which the second goes on.
func (w *writtenWords) settleGoing(word string) {
	letters := -1
	for i := range word {
		letters++
		first, rest := word[:i], word[i:]
		behind := utf8.RuneCountInString(rest)
		ofFirst := w.of(first, w.firsts[word][first])
		if letters == 1 && behind < leastBehindLetter || letters > 1 && (letters < leastFirst || behind < leastBehind || ofFirst == 0) || letters == 0 {
			continue
		}
		going, _ := w.log.addBegun(rest, w.going[letters], maxGoing)
		for _, c := range going {
			w.add(word, service.WordPair{First: first, Second: c.Word, Begun: true}, ofFirst, c.Documents)
		}
	}
}

// leastMeant is in how many documents a word is at the least that two frequent words are meant as: one in fewer may be a slip of the
// keyboard.
const leastMeant = 5

// meantAsOne tells that two frequent words may be meant as the one that they are together: at least as many documents have it as would
// have both by chance. So play and station are playstation, but toner and cartridge are not tonercartridge, which a few of very many
// documents have by a slip.
func meantAsOne(together, first, second, all int64) bool {
	return together >= leastMeant && float64(together)*float64(max(all, 1)) >= float64(first)*float64(second)
}

// joinedPairs are the pairs that are one word in documents, if the two may be one.
func (l *Lookup) joinedPairs() map[service.WordPair]int64 {
	list := map[service.WordPair]int64{}
	for _, p := range l.Pairs {
		together := l.written.of(p.Joined(), l.written.documents[p.Joined()])
		if l.mayMean(p, together) && !slices.Contains(l.Gone, p.Joined()) {
			list[p] = together
		}
	}
	return list
}

// mayMean tells that a pair may be one word that so many documents have.
func (l *Lookup) mayMean(p service.WordPair, together int64) bool {
	of := func(word string) int64 { return l.written.of(word, l.written.documents[word]) }
	return l.mayBeOne(p.Hyphen, together, of(p.First), of(p.Second))
}

// mayBeOne tells that two words may be one that documents have: if there is a hyphen, or one of the two is not frequent by itself, or
// the one is frequent, or they are meant as it. That of two frequent words is not asked for each time: Frequent knows it.
func (l *Lookup) mayBeOne(hyphen bool, together, first, second int64) bool {
	rarer := min(first, second)
	return together > 0 && (hyphen || rarer < FrequentFrom || together >= l.Surely || rarer >= l.Surely && meantAsOne(together, first, second, l.All))
}

// goingOn are the words that begin with the pair that is not finished, as one word, and go on, by the rule of mayBeOne.
func (l *Lookup) goingOn() []service.Completion {
	for _, p := range l.Pairs {
		if !p.Begun {
			continue
		}
		going, _ := l.log.addBegun(p.Joined(), l.Going, maxGoing)
		together := int64(0)
		for _, c := range going {
			together += c.Documents
		}
		first, second := int64(math.MaxInt64), int64(math.MaxInt64)
		if l.Prefix == p.Second { // else very many words begin so
			first, second = l.written.of(p.First, l.written.documents[p.First]), l.Whole+l.begun
		}
		if l.mayBeOne(p.Hyphen, together, first, second) {
			return going
		}
	}
	return nil
}

// maxPartsGoing bounds the ways to take a prefix apart of which the second part goes on, of either kind.
const maxPartsGoing = 3

// parted are for each word the two that are in the most documents, with a letter that both share or none, and a single letter and the rest, before or behind it. Which of them follow each
// other in documents nobody knows: of dlink, dl and ink may be there, too.
func (w *writtenWords) parted(gone []string) map[string][]service.WordPair {
	list := map[string][]service.WordPair{}
	for word, parts := range w.parts {
		parts = slices.DeleteFunc(parts, func(p partedWord) bool { return slices.Contains(gone, p.First) || slices.Contains(gone, p.Second) })
		slices.SortStableFunc(parts, func(a, b partedWord) int { return cmp.Compare(b.least, a.least) })
		type kind struct{ letter, begun, shared bool }
		taken := map[kind]int{}
		for _, p := range parts {
			most := 1
			if p.Begun {
				most = maxPartsGoing
			}
			if of := (kind{p.letter, p.Begun, p.Shared}); taken[of] < most {
				taken[of]++
				list[word] = append(list[word], p.WordPair)
			}
		}
	}
	return list
}
