package suggestions

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/store/vocabulary"
)

func frequentOf(documents map[string]int64) *vocabulary.Frequent {
	f := vocabulary.NewFrequent()
	for word, n := range documents {
		f.Add(word, n, n)
	}
	return f
}

// Only words that are not frequent may be two, or initials, and only a second part of four or more letters is a prefix.
func TestWordsOfSuggestionsApart(t *testing.T) {
	t.Parallel()
	frequent := frequentOf(map[string]int64{"kings": 50})
	for q, want := range map[string]string{
		"kings speech ":              `('kings') & ('speech' | ('s' <-> 'peech') | ('sp' <-> 'eech') | ('spe' <-> 'ech') | ('spee' <-> 'ch') | ('speec' <-> 'h'))`,
		"kings":                      `('kings':*)`,
		"jrr t":                      `('jrr' | ('j' <-> 'rr') | ('jr' <-> 'r') | ('j' <-> 'r' <-> 'r'))`,
		"usa":                        `('usa':* | ('u' <-> 'sa') | ('us' <-> 'a') | ('u' <-> 's' <-> 'a'))`,
		"abcde ":                     `('abcde' | ('a' <-> 'bcde') | ('ab' <-> 'cde') | ('abc' <-> 'de') | ('abcd' <-> 'e'))`,
		"tshirt":                     `('tshirt':* | ('t' <-> 'shirt':*) | ('ts' <-> 'hirt':*) | ('tsh' <-> 'irt') | ('tshi' <-> 'rt') | ('tshir' <-> 't'))`,
		"aaaaaaaaaaaaaaaaaaaaaaaaa ": `('aaaaaaaaaaaaaaaaaaaaaaaaa')`,
	} {
		if diff := gocmp.Diff(want, wordsOf(q, frequent).tsquery()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", q, diff)
		}
	}
}

// The index is not searched for very short prefixes, nor for words that very many documents have.
func TestShortLastWordsOfSuggestions(t *testing.T) {
	t.Parallel()
	frequent := frequentOf(map[string]int64{"usb": mostNarrow + 1, "of": mostIndexed + 1, "by": mostIndexed + 1, "hub": mostNarrow, "fi": mostIndexed, "fiber": 1, "shirt": mostIndexed})
	for q, want := range map[string]string{
		"usb-c":  `('usb') & ('c')`,
		"usb c":  `('usb')`,
		"of c":   ``,
		"hub-c":  `('hub')`,
		"hub c":  `('hub')`,
		"wi-fi":  `('wi' | ('w' <-> 'i'))`,
		"of-by":  ``,
		"of-fi":  `('of') & ('fi')`, // more documents have words that begin with it
		"t-sh":   `('t') & ('sh':* | ('s' <-> 'h'))`,
		"c-d":    ``, // vocabularies do not count them
		"of,":    ``,
		`55"`:    ``,
		"hub of": `('hub')`,
		"by hub": `('by') & ('hub':*)`,
	} {
		if got := wordsOf(q, frequent).tsquery(); got != want {
			t.Errorf("%q asks for %s, want %s", q, got, want)
		}
	}
}
