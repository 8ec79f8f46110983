package store_test

import (
	"math"
	"testing"
)

// Words that documents only have in values of several words are as rare as these values, with or without postings; others keep their own rarity.
func TestRarityOfWordsInValues(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "kind keyword", "title sentence")
	s.many(t, "things", 200, func(i int) string {
		switch {
		case i < 40:
			return `{"kind":"red wine"}`
		case i < 45:
			return `{"title":"wine"}`
		case i < 52:
			return `{"kind":"white wine"}`
		}
		return `{"title":"beer"}`
	})
	rarity := func(documents float64) float64 { return math.Log(1 + (200-documents+0.5)/(documents+0.5)) }
	check := func(when string) {
		t.Helper()
		for query, documents := range map[string][]float64{"red wine ": {40, 5}, "white wine ": {7, 5}, "red beer ": {0, 148}} {
			for range 2 { // the second time from what is remembered
				for i, word := range s.search(t, "things", forWords(query), explained).Hits[0].Explanation.Words {
					if math.Abs(word.Rarity-rarity(documents[i])) > 1e-6 {
						t.Errorf("%s: in %q, %s is as rare as a word in %g documents, want %g", when, query, word.Word, math.Round(201/math.Exp(word.Rarity)-0.5), documents[i])
					}
				}
			}
		}
	}
	check("at first")
	s.buildPostings(t)
	check("with postings")
}
