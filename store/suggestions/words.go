package suggestions

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/tsquery"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// Few people begin a title with its article, or a name with the first name. If few suggestions begin with the query, those that have its words
// anywhere follow them.

const (
	// leastInside is the minimum number of letters of an unfinished last word for which the index is searched by prefix: very many words begin with
	// fewer. leastCompact is that number for scripts that are searched by pairs of letters and for Korean, whose letters carry more information.
	leastInside, leastCompact = 3, 2
	// mostIndexed is the maximum number of documents that the index scans for a shorter last word: those with the rarest of the words before it; or, if
	// it is only the last part of a longer word (usb-c), those of words that begin with it or, if it is taken as a whole word, those of the rarest word.
	// Before a last part, at most mostNarrow documents may have the rarest of the words for these to be looked for instead.
	mostIndexed, mostNarrow = 10000, 300
	// mostExamined is the maximum number of suggestions with the words before a shorter last one in which it is looked for; if there are more, any of
	// them.
	mostExamined = 2000
	// fewInside is the maximum number of suggestions with the words that are sorted; if there are more, any of them.
	fewInside = 500
	// begunCounts is how many times a document counts of a suggestion that begins with the query, if that is one word, compared with one that has the
	// word elsewhere: an artist of thousands of works comes before the titles of a few that begin with the artist's name. Such suggestions are looked for
	// among mostFrequent, those in the most documents.
	begunCounts, mostFrequent = 10, 500
	// leastRest is the minimum number of letters from which the second part of a word written apart is a prefix: very many words begin with fewer.
	leastRest = 4
	// maxApart is the maximum number of letters of a word that is also searched as two.
	maxApart = 24
)

// typedWords are the words that suggestions have anywhere; the last one may be a prefix. Each that is not frequent may also be adjacent words: oceans
// is Ocean's, spiderman is Spider-Man, jrr is J.R.R.
type typedWords struct {
	words    []string
	typed    int // the number of words as typed: usb-c is one
	begun    bool
	narrow   bool // the index is not searched for the last one
	frequent *vocabulary.Frequent
}

// wordsOf returns the words of q; none if they are not searched.
func wordsOf(q string, frequent *vocabulary.Frequent) typedWords {
	typed := strings.Fields(q)
	s := typedWords{words: analysis.Texts(q), typed: len(typed), begun: q == strings.TrimRightFunc(q, unicode.IsSpace), frequent: frequent}
	if !s.begun || len(s.words) == 0 {
		return s
	}
	before, last := s.words[:len(s.words)-1], s.words[len(s.words)-1]
	least := leastInside
	if letter, _ := utf8.DecodeRuneInString(last); analysis.IsPaired(last) || unicode.Is(unicode.Hangul, letter) {
		least = leastCompact
	}
	alone, most := utf8.RuneCountInString(typed[len(typed)-1]) < least, int64(mostNarrow)
	if alone {
		most = mostIndexed
	}
	switch {
	case len(analysis.Prefixes(last)) == 0:
		return typedWords{}
	case utf8.RuneCountInString(last) >= least:
		return s
	case len(before) > 0 && s.rarest(before) <= most:
		s.narrow = true
		return s
	case alone:
		return typedWords{}
	case vocabulary.MayHave(last) && s.frequent.Begun(last) <= mostIndexed:
		return s
	case s.rarest(s.words) <= mostIndexed:
		s.begun = false
		return s
	}
	return typedWords{}
}

// rarest returns the number of documents with the rarest of the words that vocabularies count, 0 if that is not frequent.
func (s typedWords) rarest(words []string) int64 {
	least := int64(math.MaxInt64)
	for _, w := range words {
		if vocabulary.MayHave(w) {
			least = min(least, s.frequent.Of(w))
		}
	}
	return least
}

// several reports whether the query has more than one word: pairs of letters may all be of one.
func (s typedWords) several() bool {
	return s.typed > 1 && slices.ContainsFunc(s.words, func(word string) bool { return !analysis.IsPaired(word) })
}

// mostHaving returns how many suggestions with the words are read.
func (s typedWords) mostHaving() int {
	if s.narrow {
		return mostExamined
	}
	return fewInside
}

// lettersOfLast returns letters that each key with the last word has: none if keys may have it in other letters than those by which words are compared.
func (s typedWords) lettersOfLast() string {
	last := s.words[len(s.words)-1]
	if strings.ContainsFunc(last, func(r rune) bool { return r > unicode.MaxASCII }) {
		return ""
	}
	return last
}

// longest returns the longest of the words.
func (s typedWords) longest() string {
	return slices.MaxFunc(s.words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// mayGoOn reports whether a word may be the beginning of a suggestion's word.
func (s typedWords) mayGoOn(place int) bool { return s.begun && place == len(s.words)-1 }

// tsquery returns a tsquery for all words, without the last one if narrow.
func (s typedWords) tsquery() string {
	asked := s.words
	if s.narrow {
		asked = asked[:len(asked)-1]
	}
	parts := make([]string, len(asked))
	for i, w := range asked {
		ways := []string{tsquery.Lexeme(service.Lexeme{Text: w})}
		if s.mayGoOn(i) {
			ways = nil
			for _, prefix := range analysis.Prefixes(w) {
				ways = append(ways, tsquery.Lexeme(service.Lexeme{Text: prefix, Prefix: true}))
			}
		}
		for _, sequence := range s.apart(i) {
			phrase := make([]string, len(sequence))
			for j, lexeme := range sequence {
				phrase[j] = tsquery.Lexeme(lexeme)
			}
			ways = append(ways, "("+strings.Join(phrase, " <-> ")+")")
		}
		parts[i] = "(" + strings.Join(ways, " | ") + ")"
	}
	return strings.Join(parts, " & ")
}

// apart returns the adjacent words that a word may be: two, or as many as it has letters if they may be initials.
func (s typedWords) apart(place int) (list [][]service.Lexeme) {
	w := s.words[place]
	if s.frequent.Of(w) > 0 || analysis.IsPaired(w) || utf8.RuneCountInString(w) > maxApart {
		return nil
	}
	for i := range w {
		if i > 0 {
			rest := service.Lexeme{Text: w[i:], Prefix: s.mayGoOn(place) && utf8.RuneCountInString(w[i:]) >= leastRest}
			list = append(list, []service.Lexeme{{Text: w[:i]}, rest})
		}
	}
	if letters := strings.Split(w, ""); len(letters) > 2 && service.MayBeInitials(w) {
		initials := make([]service.Lexeme, len(letters))
		for i, letter := range letters {
			initials[i].Text = letter
		}
		list = append(list, initials)
	}
	return list
}

// in reports whether a suggestion has the words.
func (s typedWords) in(key string) bool {
	has := analysis.Texts(key)
	for i, w := range s.words {
		if slices.ContainsFunc(has, func(word string) bool { return word == w || s.mayGoOn(i) && analysis.Begins(word, w) }) {
			continue
		}
		if !slices.ContainsFunc(s.apart(i), func(sequence []service.Lexeme) bool { return follow(has, sequence) }) {
			return false
		}
	}
	return len(s.words) > 0
}

// together reports whether a suggestion has the words of one that the query writes with punctuation next to each other: AT&T is not S.A.T., which has the
// letters of at, and the t.
func (s typedWords) together(key string) bool {
	return len(s.words) == 1 || follow(analysis.Texts(key), s.sequence())
}

// sequence returns the words as lexemes.
func (s typedWords) sequence() []service.Lexeme {
	list := make([]service.Lexeme, len(s.words))
	for i, word := range s.words {
		list[i] = service.Lexeme{Text: word, Prefix: s.mayGoOn(i)}
	}
	return list
}

// hasLast reports whether a suggestion has the last word whole.
func (s typedWords) hasLast(key string) bool {
	return slices.Contains(analysis.Texts(key), s.words[len(s.words)-1])
}

// follow reports whether words have a sequence next to each other.
func follow(words []string, sequence []service.Lexeme) bool {
	for i := range len(words) - len(sequence) + 1 {
		if slices.EqualFunc(words[i:i+len(sequence)], sequence, func(word string, of service.Lexeme) bool {
			return word == of.Text || of.Prefix && strings.HasPrefix(word, of.Text)
		}) {
			return true
		}
	}
	return false
}
