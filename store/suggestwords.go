package store

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/tsquery"
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

// suggestionWords are the words that suggestions have anywhere; the last one may go on. Each that is not frequent may also be two that
// follow each other: oceans is Ocean's, spiderman is Spider-Man.
type suggestionWords struct {
	words    []string
	typed    int // how many they are as they were typed: usb-c is one
	begun    bool
	narrow   bool // the index is not asked for the last one
	frequent *frequentWords
}

// wordsOfSuggestions are those of q; none where they are not looked for.
func wordsOfSuggestions(q string, frequent *frequentWords) suggestionWords {
	typed := strings.Fields(q)
	s := suggestionWords{words: analysis.Texts(q), typed: len(typed), begun: q == strings.TrimRightFunc(q, unicode.IsSpace), frequent: frequent}
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
		return suggestionWords{}
	case utf8.RuneCountInString(last) >= least:
		return s
	case len(before) > 0 && s.rarest(before) <= mostNarrow:
		s.narrow = true
		return s
	case utf8.RuneCountInString(typed[len(typed)-1]) < least:
		return suggestionWords{}
	case counted(last) && s.frequent.begun(last) <= mostIndexed:
		return s
	case s.rarest(s.words) <= mostIndexed:
		s.begun = false
		return s
	}
	return suggestionWords{}
}

// rarest is how many documents have the rarest of those words that are counted, 0 where it is not frequent.
func (s suggestionWords) rarest(words []string) int64 {
	least := int64(math.MaxInt64)
	for _, w := range words {
		if counted(w) {
			least = min(least, s.frequent.of(w))
		}
	}
	return least
}

// counted tells that vocabularies have a word, if documents do: they have none of one letter, nor with a digit first.
func counted(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	return unicode.IsLetter(first) && size < len(word) && !query.IsPaired(word)
}

// several tells whether they are more than one word: pairs of letters may all be of one.
func (s suggestionWords) several() bool {
	return s.typed > 1 && slices.ContainsFunc(s.words, func(word string) bool { return !query.IsPaired(word) })
}

// mayGoOn tells that a word may be the beginning of one of a suggestion.
func (s suggestionWords) mayGoOn(place int) bool { return s.begun && place == len(s.words)-1 }

// tsquery asks for all of them, but for the last one where they are narrow without.
func (s suggestionWords) tsquery() string {
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
func (s suggestionWords) pairs(place int) (list [][2]service.Lexeme) {
	w := s.words[place]
	if s.frequent.of(w) > 0 || query.IsPaired(w) || utf8.RuneCountInString(w) > maxApart {
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
func (s suggestionWords) in(key string) bool {
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
func (s suggestionWords) narrowed(list []foundSuggestion) []foundSuggestion {
	list = slices.DeleteFunc(list, func(f foundSuggestion) bool { return !s.in(f.key) })
	last := s.words[len(s.words)-1]
	for i, f := range list {
		if !slices.Contains(analysis.Texts(f.key), last) {
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

// suggestionWay is how suggestions are found: by their beginning, or by their words. A tail is only the last words of the query.
type suggestionWay struct {
	prefix string
	tail   bool
	suggestionWords
}

// suggestionWays are those for q and its other spellings, in the order in which suggestions are wanted.
func suggestionWays(language, q string, frequent *frequentWords) []suggestionWay {
	prefixes := suggestionPrefixes(q)
	if utf8.RuneCountInString(q) > maxSuggestionKey || len(prefixes) == 0 {
		return beginningWith(prefixes...) // no suggestion has all of these words, and the whole is not among the prefixes
	}
	begun, tails := beginningWith(prefixes[0]), beginningWith(prefixes[1:]...)
	for i := range tails {
		tails[i].tail = true
	}
	var inside []suggestionWay
	for i, spelled := range slices.Concat([]string{q}, analysis.Spellings(language, q), analysis.ChineseSpellings(q), joinedAtSpaces(q)) {
		if prefixes := suggestionPrefixes(spelled); i > 0 && len(prefixes) > 0 {
			begun = append(begun, beginningWith(prefixes[0])...)
		}
		if words := wordsOfSuggestions(spelled, frequent); len(words.words) > 0 {
			inside = append(inside, suggestionWay{suggestionWords: words})
		}
	}
	return slices.Concat(begun, inside, tails)
}

// maxJoinedSpaces bounds the spaces of a query that a suggestion may do without.
const maxJoinedSpaces = 3

// joinedAtSpaces are a query in the letters of Arabic without one of its spaces each. Persian and Urdu write endings behind a character that
// nobody sees (می‌خواهم), which suggestions are found without, and many type a space for it.
func joinedAtSpaces(q string) (list []string) {
	if !strings.ContainsFunc(q, func(r rune) bool { return unicode.Is(unicode.Arabic, r) }) {
		return nil
	}
	words := strings.Fields(q)
	end := q[len(strings.TrimRightFunc(q, unicode.IsSpace)):]
	for i := 1; i < len(words) && i <= maxJoinedSpaces; i++ {
		list = append(list, strings.Join(words[:i], " ")+strings.Join(words[i:], " ")+end)
	}
	return list
}

// otherApostrophe exchanges the straight and the curly one.
var otherApostrophe = strings.NewReplacer("'", "’", "’", "'")

// beginningWith finds suggestions by prefixes, with either apostrophe: most phones make a curly one of what a keyboard has.
func beginningWith(prefixes ...string) (ways []suggestionWay) {
	for _, prefix := range prefixes {
		ways = append(ways, suggestionWay{prefix: prefix})
		if other := otherApostrophe.Replace(prefix); other != prefix {
			ways = append(ways, suggestionWay{prefix: other})
		}
	}
	return ways
}

// enough is how many suggestions must begin with the whole for the words not to be looked for: one, where there are several, and it
// is clear what they are the beginning of.
func (w suggestionWay) enough(limit int) int {
	if w.several() {
		return 1
	}
	return limit
}

// finds tells whether a suggestion is found so.
func (w suggestionWay) finds(key string) bool {
	if w.prefix != "" {
		return beginsWith(key, w.prefix)
	}
	return w.in(key)
}

// sql selects the best of those that are found so, as group i, and how many there are with a prefix. Words are not looked for where
// enough suggestions begin with whole.
func (w suggestionWay) sql(a *sqltext.Args, suggestions string, i int, whole string, limit int) string {
	if w.prefix != "" {
		return fmt.Sprintf(`(WITH few AS MATERIALIZED (SELECT key, value, documents FROM %s WHERE %s ORDER BY key LIMIT %d)
  SELECT %d, key, value, documents, (SELECT count(*)::int FROM few) FROM few ORDER BY documents DESC, key LIMIT %d)`,
			suggestions, between(a, w.prefix), fewSuggestions+1, i, limit)
	}
	enough := w.enough(limit)
	if w.narrow {
		limit = fewInside
	}
	return fmt.Sprintf(`(WITH few AS MATERIALIZED (SELECT key, value, documents FROM %[1]s WHERE (SELECT count(*) FROM (SELECT FROM %[1]s WHERE %[2]s LIMIT %[8]d) begun) < %[8]d AND %[4]s @@ (SELECT %[5]s) LIMIT %[6]d)
  SELECT %[7]d, key, value, documents, 0 FROM few ORDER BY documents DESC, key LIMIT %[3]d)`,
		suggestions, between(a, whole), limit, table.SuggestionLexemes, a.Add(w.tsquery(), "tsquery"), fewInside, i, enough)
}
