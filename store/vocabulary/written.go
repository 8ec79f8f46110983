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

// writtenWords determines which words of a query documents write together, or apart.
type writtenWords struct {
	log *Logged
	// documents has the number of documents of each of the words of wordsOfPairs.
	documents map[string]int64
	// forms has, by pair as one word, words that may be other forms of it.
	forms map[string][]service.Completion
	parts map[string][]partedWord
	// firsts has, by word and first part, the number of documents with that part, if any; going has, by number of letters before the rest of the
	// prefix, the words that this rest may become.
	firsts map[string]map[string]int64
	going  map[int][]service.Completion
}

// partedWord is a word as two; least is the number of documents with the rarer part. A part of one letter and one that begins with a digit do not count,
// because vocabularies do not have them.
type partedWord struct {
	service.WordPair
	least          int64
	letter, number bool
}

func newWrittenWords(log *Logged) *writtenWords {
	return &writtenWords{log, map[string]int64{}, map[string][]service.Completion{}, map[string][]partedWord{}, map[string]map[string]int64{}, map[int][]service.Completion{}}
}

const (
	// maxGoing bounds the number of longer words that one stands for, as one word, or by its rest after a first part.
	maxGoing = 5
	// leastFirst and leastBehind are the minimum numbers of letters of a first part and of a second one that goes on, leastBehindLetter is that of
	// one after a single letter: very many words begin with fewer.
	leastFirst, leastBehind, leastBehindLetter = 3, 3, 4
)

// leastShared is the minimum number of letters of each of two words that share one.
const leastShared = 3

// writtenSQL returns the parts of statementSQL that select
//
//   - words of pairs, by themselves and together (rowOfPair);
//   - first parts of asked words that are not frequent, with the documents of both parts, if either exists (rowPart);
//   - likewise, for words that no document has, with a rest that begins with the last letter of the first part (rowPartShared);
//   - longer words that begin with the unfinished pair as one word (rowGoing), or with the rest of the prefix, if that is not frequent (rowPartGoing);
//   - longer words that begin with any pair as one word (rowPairForm).
//
// OFFSET 0 makes PostgreSQL look up each part in the index: the planner expects a thousand parts of a word, and would read the whole vocabulary.
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

// wordsOfPairs returns the words of pairs, by themselves and together, and the words that the latter may be other forms of.
func wordsOfPairs(pairs []service.WordPair) []string {
	words := []string{}
	for _, p := range pairs {
		words = append(words, p.First, p.Second, p.Joined())
		words = append(words, shorterForms(p)...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// begunPair returns the range of the longer words that begin, as one word, with the pair whose second word is unfinished; "" if there is none.
func begunPair(pairs []service.WordPair) (after, before string) {
	for _, p := range pairs {
		if p.Begun {
			return analysis.BegunRange(p.Joined())
		}
	}
	return "", ""
}

// of returns how many documents have a word, given the number that the vocabulary counts.
func (w *writtenWords) of(word string, documents int64) int64 {
	more, logged := w.log.Words[word]
	if documents == 0 && logged {
		return max(more, 1)
	}
	return documents + more
}

// part adds the first part of a word, with the documents of both parts.
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

// partShared adds the first part of a word, with its documents and those of the rest, which begins with its last letter.
func (w *writtenWords) partShared(word, first string, ofFirst, ofRest int64) {
	_, size := utf8.DecodeLastRuneInString(first)
	rest := word[len(first)-size:]
	w.add(word, service.WordPair{First: first, Second: rest, Shared: true}, w.of(first, ofFirst), w.of(rest, ofRest))
}

// partGoing adds a word that the rest of the prefix after the given number of letters may become.
func (w *writtenWords) partGoing(letters int, going string, documents int64) {
	w.going[letters] = append(w.going[letters], service.Completion{Word: going, Documents: documents})
}

// add adds a way to take a word apart, with the documents of both parts.
func (w *writtenWords) add(word string, pair service.WordPair, ofFirst, ofSecond int64) {
	p := partedWord{WordPair: pair, least: math.MaxInt64}
	if len(p.Second) >= bodywords.MinWord && utf8.RuneCountInString(p.Second) == 1 && !mayBeAbbreviation(word) {
		return // in scripts whose words may be one letter, such as Hangul, these are endings
	}
	if service.IsNameWithNumber(word, len(p.First)) {
		return // which need not follow each other
	}
	for part, documents := range map[string]int64{p.First: ofFirst, p.Second: ofSecond} {
		switch first, _ := utf8.DecodeRuneInString(part); {
		case unicode.IsDigit(first) && p.Shared:
			return
		case unicode.IsDigit(first):
			p.number = true
		case len(part) < bodywords.MinWord:
			p.letter = true
		default:
			p.least = min(p.least, documents)
		}
	}
	if p.least > 0 && p.least < math.MaxInt64 {
		w.parts[word] = append(w.parts[word], p)
	}
}

// mayBeAbbreviation reports whether others may write a word with a mark before its last letter: a Hebrew abbreviation, like צה"ל.
func mayBeAbbreviation(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return unicode.Is(unicode.Hebrew, last) && utf8.RuneCountInString(word) >= 3
}

// fewLettered is the maximum number of documents with the word beside a single letter or a number, if documents also have the undivided word: it is not
// known how many of them have that, and each is examined.
const fewLettered = 2000

// moreLettered is how many times as many documents may have a word as have what stands beside its single letter: more have Obrien than brien, and O'Brien
// is meant nevertheless.
const moreLettered = 20

// writtenAs returns how many documents have a word as written, given how many have the word, and how many begun ones have words that begin with it.
// If none has the word, it is unfinished, and may become any of these.
func writtenAs(documents, begun int64) int64 {
	if documents > 0 {
		return documents
	}
	return begun
}

// settle adds the parts in logged documents, which other documents may not have, and those that go on from a prefix, with which words of begun
// documents begin. It drops all parts of a frequent word and, for other words that documents have, parts in fewer documents than the word itself, and
// words in much fewer beside a single letter, or in many beside a letter or a number. If the second part goes on, so does the word.
func (w *writtenWords) settle(word string, documents, begun int64, prefix bool) {
	written, known := writtenAs(documents, begun), documents+begun
	if written >= FrequentFrom {
		delete(w.parts, word)
		return
	}
	for i := range word {
		if i > 0 {
			w.part(word, word[:i], 0, 0)
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
		least := p.least
		if p.letter {
			least *= moreLettered
		}
		return of > 0 && (least < of || (p.letter || p.number) && p.least > fewLettered)
	})
}

// settleShared adds parts in logged documents, which other documents may not have, that share a letter.
func (w *writtenWords) settleShared(word, first string) {
	letters, all := utf8.RuneCountInString(first), utf8.RuneCountInString(word)
	if letters >= leastShared && all-letters+1 >= leastShared {
		w.partShared(word, first, 0, 0)
	}
}

// settleGoing adds the parts of a prefix whose second part goes on.
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

// leastMeant is the minimum number of documents with a word that two frequent words are meant as: in fewer, it may be a slip of the keyboard.
const leastMeant = 5

// meantAsOne reports whether two frequent words may be meant as one word: at least as many documents must have it as would have both by chance. So
// play and station are playstation, but toner and cartridge are not tonercartridge, which a few of very many documents have by a slip.
func meantAsOne(together, first, second, all int64) bool {
	return together >= leastMeant && float64(together)*float64(max(all, 1)) >= float64(first)*float64(second)
}

// joinedPairs returns the pairs that documents have as one word, if the two may be meant as it, with the number of these documents.
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

// mayMean reports whether a pair may be meant as its joined word, which is in together documents.
func (l *Lookup) mayMean(p service.WordPair, together int64) bool {
	of := func(word string) int64 { return l.written.of(word, l.written.documents[word]) }
	return l.mayBeOne(p.Hyphen, together, of(p.First), of(p.Second))
}

// mayBeOne reports whether two words may be meant as one that documents have: if there is a hyphen, if one of the two is not frequent, if the one
// word is frequent, or if meantAsOne holds. The vocabulary is not asked about two frequent words each time, because Frequent knows.
func (l *Lookup) mayBeOne(hyphen bool, together, first, second int64) bool {
	rarer := min(first, second)
	return together > 0 && (hyphen || rarer < FrequentFrom || together >= l.Surely || rarer >= l.Surely && meantAsOne(together, first, second, l.All))
}

// goingOn returns the longer words that begin with the unfinished pair as one word, by the rule of mayBeOne.
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
		if l.Prefix == p.Second { // otherwise, very many words begin with the second one
			first, second = l.written.of(p.First, l.written.documents[p.First]), l.Whole+l.begun
		}
		if l.mayBeOne(p.Hyphen, together, first, second) {
			return going
		}
	}
	return nil
}

// maxPartsGoing bounds, for each kind, the ways to take a prefix apart whose second part goes on, maxPartsNumber those to take a word apart before a
// digit.
const maxPartsGoing, maxPartsNumber = 3, 3

// parted returns, for each word, the two parts in the most documents of each kind: with or without a single letter, a number, a second part that goes on,
// and a shared letter. Whether they follow each other in documents is not known: for dlink, there may also be dl and ink.
func (w *writtenWords) parted(gone []string) map[string][]service.WordPair {
	list := map[string][]service.WordPair{}
	for word, parts := range w.parts {
		parts = slices.DeleteFunc(parts, func(p partedWord) bool { return slices.Contains(gone, p.First) || slices.Contains(gone, p.Second) })
		slices.SortStableFunc(parts, func(a, b partedWord) int { return cmp.Compare(b.least, a.least) })
		type kind struct{ letter, number, begun, shared bool }
		taken := map[kind]int{}
		for _, p := range parts {
			most := 1
			switch {
			case p.Begun:
				most = maxPartsGoing
			case p.number:
				most = maxPartsNumber
			}
			if of := (kind{p.letter, p.number, p.Begun, p.Shared}); taken[of] < most {
				taken[of]++
				list[word] = append(list[word], p.WordPair)
			}
		}
	}
	return list
}
