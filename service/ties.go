package service

import (
	"encoding/json"
	"slices"

	"github.com/rowansearch/rowan/service/analysis"
)

// exactFirst puts, among the hits of a page with the same score, those first that have more words of the query as
// they are written there. Stems do not tell them apart, and ties are mostly of short texts: few words are looked at.
func exactFirst(text string, found *Found) {
	var words map[string]bool
	for i := 0; i < len(found.Hits); {
		j := i + 1
		for j < len(found.Hits) && found.Hits[j].Score == found.Hits[i].Score && sameGroup(found.Hits[i], found.Hits[j]) {
			j++
		}
		if j > i+1 {
			if words == nil {
				words = map[string]bool{}
				for _, w := range analysis.Words(text) {
					words[w.Text] = true
				}
			}
			settle(words, found.Hits[i:j])
		}
		i = j
	}
}

// sameGroup tells that both hits have all words, or both not.
func sameGroup(a, b FoundHit) bool {
	return len(a.Place) == 0 || len(b.Place) == 0 || a.Place[0] == nil || b.Place[0] == nil || *a.Place[0] == *b.Place[0]
}

// maxSettled bounds the documents, in bytes, that are read to settle a tie.
const maxSettled = 64 << 10

func settle(words map[string]bool, hits []FoundHit) {
	exact := make(map[string]int, len(hits))
	for _, h := range hits {
		if len(h.Document.Body) > maxSettled {
			return
		}
		has := map[string]bool{}
		var body any
		if json.Unmarshal(h.Document.Body, &body) != nil {
			return
		}
		for _, value := range scalars(nil, body, true) {
			for _, w := range analysis.Words(value) {
				if words[w.Text] {
					has[w.Text] = true
				}
			}
		}
		exact[h.Document.ID] = len(has)
	}
	slices.SortStableFunc(hits, func(a, b FoundHit) int { return exact[b.Document.ID] - exact[a.Document.ID] })
}
