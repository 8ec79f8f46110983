package service

import (
	"fmt"
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
		},
	})
	if !w.stop["uber"] {
		t.Error("a stop word is not folded")
	}
	for src, want := range map[string]string{
		"wi-fi": "wi fi", "a wlan b": "wlan", "new car": "new york, new", "nyc OR fresh": "nyc, fresh", "york": "", "… -new": "", `"new york"`: "new york, new",
	} {
		got := ""
		for i, entry := range w.synonymsOf(query.Parse(src)) {
			if i > 0 {
				got += ", "
			}
			got += entry.text
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", src, diff)
		}
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
		if len(w.synonymsOf(q)) != 1 {
			b.Fatal("one entry begins so")
		}
	}
}
