package service

import (
	"slices"

	"github.com/rowansearch/rowan/service/analysis"
)

// exactFirst is the order in which the hits of a page are shown: of those with the same score, those first that have more words
// of the query as they are written there. Stems do not tell them apart. fields are those of the hits, and come in the same order.
// The hits that it is given stay in the order of the search, which is where cursors go on.
func exactFirst(text string, hits []FoundHit, fields [][]highlightField) ([]FoundHit, [][]highlightField) {
	var words []string
	for i := 0; i < len(hits); {
		j := i + 1
		for j < len(hits) && hits[j].Score == hits[i].Score && sameGroup(hits[i], hits[j]) {
			j++
		}
		if j > i+1 {
			if words == nil {
				words = analysis.Texts(text)
				slices.Sort(words)
				words = slices.Compact(words)
				hits, fields = slices.Clone(hits), slices.Clone(fields)
			}
			settle(words, hits[i:j], fields[i:j])
		}
		i = j
	}
	return hits, fields
}

// sameGroup tells that both hits have all words, or both not.
func sameGroup(a, b FoundHit) bool {
	return len(a.Place) == 0 || len(b.Place) == 0 || a.Place[0] == nil || b.Place[0] == nil || *a.Place[0] == *b.Place[0]
}

// settle sorts hits by how many of the words they have.
func settle(words []string, hits []FoundHit, fields [][]highlightField) {
	type tied struct {
		hit    FoundHit
		fields []highlightField
		exact  int
	}
	list := make([]tied, len(hits))
	has := make([]bool, len(words))
	for i := range hits {
		clear(has)
		for _, f := range fields[i] {
			f.values.EachWord(func(w analysis.Token) {
				if at := slices.Index(words, w.Text); at >= 0 {
					has[at] = true
				}
			})
		}
		list[i] = tied{hit: hits[i], fields: fields[i]}
		for _, is := range has {
			if is {
				list[i].exact++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b tied) int { return b.exact - a.exact })
	for i, t := range list {
		hits[i], fields[i] = t.hit, t.fields
	}
}
