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

// maxTails bounds the ends of a query, besides the whole of it, that suggestions may begin with.
const maxTails = 2

// Suggestion is a suggestion that was found.
type Suggestion struct {
	Key, Value string
	Documents  int64
	behind     int // 1 where others come first that have the last word whole
}

// Way is how suggestions are found: by their beginning, Prefix, or by their words, where that is "". A Tail is only the last words of the query.
type Way struct {
	Prefix string
	Tail   bool
	typedWords
}

// Ways are those for q and its other spellings, in the order in which suggestions are wanted.
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
func beginningWith(prefixes ...string) (ways []Way) {
	for _, prefix := range prefixes {
		ways = append(ways, Way{Prefix: prefix})
		if other := otherApostrophe.Replace(prefix); other != prefix {
			ways = append(ways, Way{Prefix: other})
		}
	}
	return ways
}

// prefixesOf are what suggestions for q begin with, in the order in which they are wanted: all of it, then its last words, if
// they are words. A bracket or quote that has just been opened says nothing of what comes after it.
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

// Finds tells whether a suggestion is found so.
func (w Way) Finds(key string) bool {
	if w.Prefix != "" {
		return beginsWith(key, w.Prefix)
	}
	return w.in(key)
}

// enough is how many suggestions must begin with the whole for the words not to be looked for: one, where there are several, and it
// is clear what they are the beginning of.
func (w Way) enough(limit int) int {
	if w.several() {
		return 1
	}
	return limit
}

// Wanted tells whether suggestions are looked for so, where so many begin with the whole query, of up to limit.
func (w Way) Wanted(begun, limit int) bool { return w.Prefix != "" || begun < w.enough(limit) }

// Settle returns those that were found so in their order, with added ones in place of what they were before.
func (w Way) Settle(found, added []Suggestion) []Suggestion {
	for _, s := range added {
		if w.Finds(s.Key) {
			found = append(slices.DeleteFunc(found, func(old Suggestion) bool { return old.Key == s.Key }), s)
		}
	}
	if w.narrow {
		found = w.narrowed(found)
	}
	slices.SortFunc(found, func(x, y Suggestion) int {
		return cmp.Or(cmp.Compare(x.behind, y.behind), cmp.Compare(y.Documents, x.Documents), strings.Compare(x.Key, y.Key))
	})
	return found
}

// beginsWith tells whether a key is found by a prefix: see between.
func beginsWith(key, prefix string) bool {
	return analysis.Begins(key, prefix) || key == strings.TrimRight(prefix, " ")
}
