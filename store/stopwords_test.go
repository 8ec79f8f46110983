package store_test

import (
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// A stop word need not be found, whichever fields are searched, even if all of these are names, which have stop words; nor is a misspelled word taken
// for one there, and a word finds its stem.
func TestStopWordsWhereNamesAreSearched(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title completion", "plot text")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "films", []byte(`{"stop_words":["please","Inc."]}`), true); err != nil {
		t.Fatal(err)
	}
	s.put(t, "films", "samurai", `{"title":"Seven Samurai"}`, "lord", `{"title":"The Lord of the Rings"}`, "house", `{"title":"This is the House"}`, "off", `{"title":"Off the Road"}`, "run", `{"title":"Run Lola"}`)
	for name, fields := range map[string]map[string]float64{"titles": {"title": 1}, "both": {"title": 1, "plot": 1}} {
		if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: name, Index: "films", Fields: fields}); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			"the seven samurai ": "samurai",
			"seven samurai th":   "samurai",
			"please samurai ":    "samurai",
			"samurai inc. ":      "samurai",
			"samurai inc ":       "samurai",
			"the please lord ":   "lord",
			"the ":               "house lord off",
			"oof ":               "",
			"running ":           "run",
		} {
			for _, match := range []service.Match{service.MatchAll, service.MatchAuto} {
				found := s.search(t, name, forWords(query), matching(match), sortedBy("_id"))
				if got := strings.Join(found.IDs, " "); got != want {
					t.Errorf("%s, match %s: %q finds %q, want %q", name, match, query, got, want)
				}
				if found.TotalAllWords != found.Total {
					t.Errorf("%s, match %s: of %d that %q finds %d have all words", name, match, found.Total, query, found.TotalAllWords)
				}
			}
		}
	}
}

// Punctuation among words need not be found, even if a tag could be exactly that and all words are stop words; on its own it must.
func TestPunctuationAmongStopWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "songs", "title name", "labels tags")
	s.put(t, "songs", "who", `{"title":"Who Are You"}`, "rated", `{"title":"Them","labels":["?"]}`)
	for query, want := range map[string]string{"who are you ": "who", "who are you ?": "who", "? who ": "who", "?": "rated", "? !": ""} {
		if got := s.found(t, "songs", forWords(query), matching(service.MatchAll)); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
