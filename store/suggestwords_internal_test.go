package store

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// Only what few documents have may be two words, and only a second part of four letters goes on.
func TestWordsOfSuggestionsApart(t *testing.T) {
	t.Parallel()
	frequent := &frequentWords{documents: map[string]int64{"kings": 50}}
	for q, want := range map[string]string{
		"kings speech ":              `('kings') & ('speech' | ('s' <-> 'peech') | ('sp' <-> 'eech') | ('spe' <-> 'ech') | ('spee' <-> 'ch') | ('speec' <-> 'h'))`,
		"kings":                      `('kings':*)`,
		"tshirt":                     `('tshirt':* | ('t' <-> 'shirt':*) | ('ts' <-> 'hirt':*) | ('tsh' <-> 'irt') | ('tshi' <-> 'rt') | ('tshir' <-> 't'))`,
		"aaaaaaaaaaaaaaaaaaaaaaaaa ": `('aaaaaaaaaaaaaaaaaaaaaaaaa')`,
	} {
		if diff := gocmp.Diff(want, wordsOfSuggestions(q, frequent).tsquery()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", q, diff)
		}
	}
}
