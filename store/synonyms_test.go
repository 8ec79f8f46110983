package store_test

import (
	"encoding/json"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// A synonym with fewer words than it stands for makes documents shorter. It does not contribute more for that: its share of what the words
// contribute.
func TestShorterSynonyms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words, synonym, query string
		most                  float64 // share of what the words contribute
	}{
		{"New York", "NYC", "new york ", 0.9001},
		{"map of the United States", "map of the USA", "united states ", 0.9001},
		{"United Kingdom of Great Britain and Northern Ireland", "UK", "united kingdom of great britain and northern ireland ", 0.9001},
		{"United States map", "USA map", "united states map", 0.95},
		// Words that both have contribute more in the shorter document.
		{"the best of rock n roll music", "the best of Rock & Roll music", "rock n roll", 0.999},
	} {
		for _, kind := range []string{"sentence", "name", "completion", "text"} {
			t.Run(c.query+kind, func(t *testing.T) {
				t.Parallel()
				s := newSite(t)
				s.AccelerateSmall(2, 4)
				s.create(t, "things", "title "+kind)
				s.synonyms(t, "things", [][]string{{"new york", "nyc"}, {"united states", "usa"}, {"rock n roll", "rock & roll"},
					{"united kingdom of great britain and northern ireland", "uk"}})
				for _, id := range []string{"a", "b", "c"} {
					s.put(t, "things", "synonym "+id, `{"title":"`+c.synonym+`"}`, "words "+id, `{"title":"`+c.words+`"}`, "other "+id, `{"title":"Paris, capital of France"}`)
				}
				for _, way := range []string{"from the table", "from postings"} {
					hits := s.search(t, "things", forWords(c.query), matching(service.MatchAll)).Hits
					if len(hits) != 6 {
						t.Fatalf("%s %q finds %d", way, c.query, len(hits))
					}
					words, synonym := hits[2], hits[3]
					if words.ID != "words c" || synonym.ID != "synonym a" || synonym.Score < 0.8*words.Score || synonym.Score > c.most*words.Score {
						t.Errorf("%s %q: %s has %g, %s %g, which is %g of it", way, c.query, words.ID, words.Score, synonym.ID, synonym.Score, synonym.Score/words.Score)
					}
					s.buildPostings(t)
				}
			})
		}
	}
}

// Signs between the words of an entry are ignored, as in queries, and a sign alone may be an entry.
func TestSynonymsWithSigns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(2, 4)
	s.create(t, "things", "title name", "kind keyword")
	s.synonyms(t, "things", [][]string{{"rock & roll", "rnr"}, {"🍕", "pizza"}})
	for _, id := range []string{"1", "2", "3"} {
		s.put(t, "things", "rnr "+id, `{"title":"RnR"}`, "rock "+id, `{"title":"Rock & Roll"}`, "pizza "+id, `{"title":"Pizza party"}`, "sign "+id, `{"title":"Party","kind":"🍕"}`)
	}
	for _, way := range []string{"from the table", "from postings"} {
		for query, want := range map[string]string{
			"rock & roll": "rock 1 rock 2 rock 3 rnr 1 rnr 2 rnr 3", "rock roll ": "rock 1 rock 2 rock 3 rnr 1 rnr 2 rnr 3", "rock & OR roll": "rock 1 rock 2 rock 3",
			"🍕": "pizza 1 pizza 2 pizza 3 sign 1 sign 2 sign 3", "🍕 party": "pizza 1 pizza 2 pizza 3 sign 1 sign 2 sign 3", "pizza": "pizza 1 pizza 2 pizza 3 sign 1 sign 2 sign 3",
		} {
			if got := s.found(t, "things", forWords(query), matching(service.MatchAll)); got != want {
				t.Errorf("%s: %q finds %s, want %s", way, query, got, want)
			}
		}
		s.buildPostings(t)
	}
}

// withSynonyms gives an index synonyms of one word for many pairs of words, so that ways to search can be compared.
func withSynonyms(t *testing.T, svc *service.Service, index string, others ...any) {
	t.Helper()
	n := len(acceleratedWords)
	for i, first := range acceleratedWords {
		for j, second := range acceleratedWords {
			if (i+j)%7 == 0 {
				others = append(others, map[string][]string{"from": {first + " " + second}, "to": {acceleratedWords[(i+5)%n], "night walking"}})
			}
		}
	}
	settings, err := json.Marshal(map[string]any{"synonyms": others})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := svc.UpdateIndexSettings(t.Context(), "demo", index, settings, true); err != nil {
		t.Fatal(err)
	}
}
