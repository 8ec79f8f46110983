package suggestions

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// maxTails bounds the number of ends of a query, besides the whole, with which suggestions may begin.
const maxTails = 2

// Suggestion is a suggestion that was found.
type Suggestion struct {
	Key, Value string
	Documents  int64
	behind     int  // 1 if suggestions that have the last word whole come first
	begun      bool // it begins with the whole query
}

// Way is a way to find suggestions: by their Prefix or, if that is "", by their words. A Tail is only the last words of the query.
type Way struct {
	Prefix string
	Tail   bool
	typedWords
}

// Ways returns the ways for q and its other spellings, in the order of preference.
func Ways(language, q string, frequent *vocabulary.Frequent) []Way {
	prefixes := prefixesOf(q)
	if utf8.RuneCountInString(q) > maxKey || len(prefixes) == 0 {
		return beginningWith(prefixes...) // no suggestion has all of these words, and the whole is not among the prefixes
	}
	begun, tails := beginningWith(prefixes[0]), beginningWith(prefixes[1:]...)
	for i := range tails {
		tails[i].Tail = true
	}
	var inside []Way
	for i, spelled := range slices.Concat([]string{q}, analysis.Spellings(language, q), analysis.ChineseSpellings(q), joinedAtSpaces(q)) {
		if prefixes := prefixesOf(spelled); i > 0 && len(prefixes) > 0 {
			begun = append(begun, beginningWith(prefixes[0])...)
		}
		if found := wordsOf(spelled, frequent); len(found.words) > 0 {
			inside = append(inside, Way{typedWords: found})
		}
	}
	return slices.Concat(begun, inside, tails)
}

// maxJoinedSpaces bounds the number of spaces of a query that a suggestion may lack.
const maxJoinedSpaces = 3

// joinedAtSpaces returns a query in Arabic letters without one of its spaces, for each of the first spaces. Persian and Urdu write endings after an
// invisible character (می‌خواهم), without which suggestions are found, and many users type a space for it.
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

// otherApostrophe exchanges straight and curly apostrophes.
var otherApostrophe = strings.NewReplacer("'", "’", "’", "'")

// beginningWith returns the ways to find suggestions by prefixes, with either apostrophe: most phones turn the straight one of keyboards into a curly
// one.
func beginningWith(prefixes ...string) (ways []Way) {
	for _, prefix := range prefixes {
		ways = append(ways, Way{Prefix: prefix})
		if other := otherApostrophe.Replace(prefix); other != prefix {
			ways = append(ways, Way{Prefix: other})
		}
	}
	return ways
}

// prefixesOf returns the prefixes of suggestions for q, in the order of preference: all of it, then its last words, if they are words. An opening
// bracket or quote alone says nothing about what follows.
func prefixesOf(q string) []string {
	folded := analysis.Fold(q)
	words := strings.Fields(folded)
	if len(words) == 0 {
		return nil
	}
	end := ""
	if strings.TrimRight(folded, " \t\n\r") != folded {
		end = " "
	}
	var prefixes []string
	for i := range words {
		if i > 0 && i < len(words)-maxTails {
			continue
		}
		p := strings.Join(words[i:], " ") + end
		if i > 0 && len(analysis.Texts(p)) == 0 {
			continue
		}
		if len([]rune(p)) <= maxKey {
			prefixes = append(prefixes, p)
		}
	}
	return prefixes
}

// Finds reports whether the way finds a suggestion.
func (w Way) Finds(key string) bool {
	if w.Prefix != "" {
		return beginsWith(key, w.Prefix)
	}
	return w.in(key)
}

// enough returns how many suggestions must begin with the whole query for its words not to be searched: one if there are several words, because it is
// then clear what they begin.
func (w Way) enough(limit int) int {
	if w.several() {
		return 1
	}
	return limit
}

// Wanted reports whether suggestions are searched this way if begun suggestions, of up to limit, begin with the whole query.
func (w Way) Wanted(begun, limit int) bool {
	return w.Prefix != "" || !w.several() || begun < w.enough(limit)
}

// AddTo adds suggestions found this way to a list of those found by the ways before it. One that has the only word of the query elsewhere comes before
// those that begin with it if it is in more than begunCounts times as many documents.
func (w Way) AddTo(list, found []Suggestion) []Suggestion {
	for _, f := range found {
		if slices.ContainsFunc(list, func(listed Suggestion) bool { return listed.Key == f.Key }) {
			continue
		}
		at := len(list)
		if w.Prefix == "" && w.together(f.Key) {
			if i := slices.IndexFunc(list, func(listed Suggestion) bool { return listed.begun && f.Documents > begunCounts*listed.Documents }); i >= 0 {
				at = i
			}
		}
		list = slices.Insert(list, at, f)
	}
	return list
}

// Settle returns the suggestions found this way in their order, with the added ones in place of their former versions.
func (w Way) Settle(found, added []Suggestion) []Suggestion {
	if w.Prefix == "" { // what is looked for by its letters may have them inside a word
		found = slices.DeleteFunc(found, func(f Suggestion) bool { return !w.in(f.Key) })
	}
	for _, s := range added {
		if w.Finds(s.Key) {
			found = append(slices.DeleteFunc(found, func(old Suggestion) bool { return old.Key == s.Key }), s)
		}
	}
	for i := range found {
		found[i].begun = w.Prefix != "" && !w.Tail
		if w.narrow && !w.hasLast(found[i].Key) {
			found[i].behind = 1
		}
	}
	slices.SortFunc(found, func(x, y Suggestion) int {
		return cmp.Or(cmp.Compare(x.behind, y.behind), cmp.Compare(y.Documents, x.Documents), strings.Compare(x.Key, y.Key))
	})
	return found
}

// beginsWith reports whether a prefix finds a key: see between.
func beginsWith(key, prefix string) bool {
	return analysis.Begins(key, prefix) || key == strings.TrimRight(prefix, " ")
}
