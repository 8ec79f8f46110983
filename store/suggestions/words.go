package suggestions

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
	"github.com/rowansearch/rowan/store/tsquery"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// Few people begin a title with its article, or a name with the first one. Where few suggestions begin with what was typed, those
// come after them that have its words anywhere.

const (
	// leastInside is how many letters the last word, which is not finished, has at the least for the index to be asked for what begins with
	// it: very many words begin with fewer. leastCompact is the same where a letter says more, of scripts that are searched by pairs of
	// letters and of Korean.
	leastInside, leastCompact = 3, 2
	// mostNarrow is how many documents the rarest of the words before a shorter last one has at the most: all suggestions with these are
	// looked at. mostIndexed is how many have what the index goes through for a short last part of a longer word: words that begin with it, or
	// the rarest of all words where it is taken as it is.
	mostNarrow, mostIndexed = 300, 10000
	// fewInside is how many suggestions with the words are sorted; of more, any so many.
	fewInside = 500
	// leastRest is how many letters the second part of a word that is written apart has at the least to go on: very many words begin
	// with fewer.
	leastRest = 4
	// maxApart is how many letters a word has at the most to be taken for two.
	maxApart = 24
)

// typedWords are the words that suggestions have anywhere; the last one may go on. Each that is not frequent may also be two that
// follow each other: oceans is Ocean's, spiderman is Spider-Man.
type typedWords struct {
	words    []string
	typed    int // how many they are as they were typed: usb-c is one
	begun    bool
	narrow   bool // the index is not asked for the last one
	frequent *vocabulary.Frequent
}

// wordsOf are those of q; none where they are not looked for.
func wordsOf(q string, frequent *vocabulary.Frequent) typedWords {
	typed := strings.Fields(q)
	s := typedWords{words: analysis.Texts(q), typed: len(typed), begun: q == strings.TrimRightFunc(q, unicode.IsSpace), frequent: frequent}
	if !s.begun || len(s.words) == 0 {
		return s
	}
	before, last := s.words[:len(s.words)-1], s.words[len(s.words)-1]
	least := leastInside
	if letter, _ := utf8.DecodeRuneInString(last); query.IsPaired(last) || unicode.Is(unicode.Hangul, letter) {
		least = leastCompact
	}
	switch {
	case len(analysis.Prefixes(last)) == 0:
		return typedWords{}
	case utf8.RuneCountInString(last) >= least:
		return s
	case len(before) > 0 && s.rarest(before) <= mostNarrow:
		s.narrow = true
		return s
	case utf8.RuneCountInString(typed[len(typed)-1]) < least:
		return typedWords{}
	case vocabulary.MayHave(last) && s.frequent.Begun(last) <= mostIndexed:
		return s
	case s.rarest(s.words) <= mostIndexed:
		s.begun = false
		return s
	}
	return typedWords{}
}

// rarest is how many documents have the rarest of those words that are counted, 0 where it is not frequent.
func (s typedWords) rarest(words []string) int64 {
	least := int64(math.MaxInt64)
	for _, w := range words {
		if vocabulary.MayHave(w) {
			least = min(least, s.frequent.Of(w))
		}
	}
	return least
}

// several tells whether they are more than one word: pairs of letters may all be of one.
func (s typedWords) several() bool {
	return s.typed > 1 && slices.ContainsFunc(s.words, func(word string) bool { return !query.IsPaired(word) })
}

// mayGoOn tells that a word may be the beginning of one of a suggestion.
func (s typedWords) mayGoOn(place int) bool { return s.begun && place == len(s.words)-1 }

// tsquery asks for all of them, but for the last one where they are narrow without.
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
		for _, pair := range s.pairs(i) {
			ways = append(ways, "("+tsquery.Lexeme(pair[0])+" <-> "+tsquery.Lexeme(pair[1])+")")
		}
		parts[i] = "(" + strings.Join(ways, " | ") + ")"
	}
	return strings.Join(parts, " & ")
}

// pairs are the two words that a word may be.
func (s typedWords) pairs(place int) (list [][2]service.Lexeme) {
	w := s.words[place]
	if s.frequent.Of(w) > 0 || query.IsPaired(w) || utf8.RuneCountInString(w) > maxApart {
		return nil
	}
	for i := range w {
		if i > 0 {
			rest := service.Lexeme{Text: w[i:], Prefix: s.mayGoOn(place) && utf8.RuneCountInString(w[i:]) >= leastRest}
			list = append(list, [2]service.Lexeme{{Text: w[:i]}, rest})
		}
	}
	return list
}

// in tells whether a suggestion has them.
func (s typedWords) in(key string) bool {
	has := analysis.Texts(key)
	for i, w := range s.words {
		if slices.ContainsFunc(has, func(word string) bool { return word == w || s.mayGoOn(i) && analysis.Begins(word, w) }) {
			continue
		}
		if !slices.ContainsFunc(s.pairs(i), func(pair [2]service.Lexeme) bool { return follow(has, pair) }) {
			return false
		}
	}
	return len(s.words) > 0
}

// narrowed are those of some suggestions that have the last word, too: first those that have it whole.
func (s typedWords) narrowed(list []Suggestion) []Suggestion {
	list = slices.DeleteFunc(list, func(f Suggestion) bool { return !s.in(f.Key) })
	last := s.words[len(s.words)-1]
	for i, f := range list {
		if !slices.Contains(analysis.Texts(f.Key), last) {
			list[i].behind = 1
		}
	}
	return list
}

// follow tells whether the two words of a pair follow each other.
func follow(words []string, pair [2]service.Lexeme) bool {
	for i := 1; i < len(words); i++ {
		if words[i-1] == pair[0].Text && (words[i] == pair[1].Text || pair[1].Prefix && strings.HasPrefix(words[i], pair[1].Text)) {
			return true
		}
	}
	return false
}
