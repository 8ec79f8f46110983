package service

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/query"
)

func TestSynonymsOf(t *testing.T) {
	t.Parallel()
	w := prepareWords(IndexSettings{
		StopWords: []string{" Über "},
		Synonyms: []Synonym{
			{Equivalent: []string{"Wi-Fi", "WLAN", "…"}},
			{From: []string{"new york", "NYC"}, To: []string{"Big Apple"}},
			{Equivalent: []string{"new", "fresh"}},
			{Equivalent: []string{"Rock & Roll", "RnR"}},
			{Equivalent: []string{"🍕", "pizza"}},
		},
	})
	if !w.stop["uber"] {
		t.Error("a stop word is not folded")
	}
	for src, want := range map[string][]string{
		"wi-fi": {"WLAN …"}, "a wlan b": {"", "Wi-Fi …", ""}, "new car": {"fresh", ""}, "new york car": {"Big Apple fresh", "Big Apple", ""},
		"nyc OR fresh": {"Big Apple", "new"}, "new OR york": {"fresh", ""}, "york": {""}, "… -new": {"Wi-Fi WLAN"}, `"new york"`: {"Big Apple"},
		"rock & roll": {"RnR", "", "RnR"}, "rock roll": {"RnR", "RnR"}, `"rock & roll"`: {"RnR"}, "rock & OR roll": {"", "", ""}, "rnr": {"Rock & Roll"},
		"🍕 party": {"pizza", ""}, "pizza": {"🍕"}, "new & york": {"Big Apple fresh", "", "Big Apple"},
	} {
		got := make([]string, 0, len(want))
		for _, list := range w.synonymsOf(query.Parse(src)) {
			var written []string
			for _, other := range list {
				written = append(written, other.written)
			}
			got = append(got, strings.Join(written, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", src, diff)
		}
	}
}

// Stop words are taken in the form that they have in queries, whatever stands around a word.
func TestStopWordsAsInQueries(t *testing.T) {
	t.Parallel()
	w := prepareWords(IndexSettings{StopWords: []string{"Inc.", "“etc.”", "C++", "ﬁn", "&", "e-mail"}})
	for _, word := range []string{"inc", "etc", "cplusplus", "fin"} {
		if !w.stop[word] {
			t.Errorf("%s is no stop word", word)
		}
	}
	if len(w.stop) != 4 {
		t.Errorf("the stop words are %v", w.stop)
	}
}

// A search reads the words of its own synonyms, however many the index has.
func BenchmarkSynonymsOf(b *testing.B) {
	var settings IndexSettings
	for i := range maxSynonyms {
		settings.Synonyms = append(settings.Synonyms, Synonym{Equivalent: []string{fmt.Sprintf("word%d", i), fmt.Sprintf("other%d", i), "shared begin"}})
	}
	w := prepareWords(settings)
	q := query.Parse("some word77 and other words")
	for b.Loop() {
		if len(w.synonymsOf(q)[1]) != 2 {
			b.Fatal("word77 has two")
		}
	}
}
