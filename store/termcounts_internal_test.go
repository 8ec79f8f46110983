package store

import (
	"math"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/searchsql"
)

// How rare each word of a query is, and how many documents are likely to be found, follow from how many of 200 documents have the words.
func TestRaritiesFollowCounts(t *testing.T) {
	t.Parallel()
	var required, optional, stopped service.Term
	required.Repeats, optional.Optional, stopped.Optional, stopped.Stopped = 1, true, true, true
	requiredStop := service.Term{Repeats: 1, Stopped: true}
	of := func(n int64) termCount { return termCount{query: "q", n: n} }
	const bounded = -1 // instead of a number of documents: the maximum rarity of a stop word
	for name, test := range map[string]struct {
		terms           []service.Term
		counts          []termCount
		whole           int64 // documents with the whole query as one value
		threshold       float64
		empty           bool    // there were no documents
		rarity, carried []int64 // the numbers of documents that they are those of; carried only if it differs
		missing         int     // how many words no document has
		all, any        float64 // documents with all words, and with any
	}{
		"two words":                      {terms: []service.Term{required, required}, counts: []termCount{of(20), of(40)}, rarity: []int64{20, 40}, all: 4, any: 60},
		"any of two common words":        {terms: []service.Term{required, required}, counts: []termCount{of(150), of(120)}, rarity: []int64{150, 120}, all: 90, any: 200},
		"a word too common to be enough": {terms: []service.Term{required, required}, counts: []termCount{of(2), of(190)}, threshold: 0.5, rarity: []int64{2, 190}, all: 1.9, any: 2},
		"words that are optional":        {terms: []service.Term{required, optional, stopped, stopped}, counts: []termCount{of(20), of(1), of(1), of(190)}, rarity: []int64{20, 1, bounded, 190}, all: 20, any: 200},
		"a stop word alone":              {terms: []service.Term{stopped}, counts: []termCount{of(1)}, rarity: []int64{1}, all: 200, any: 1},
		"a stop word that is required":   {terms: []service.Term{requiredStop}, counts: []termCount{of(1)}, rarity: []int64{1}, all: 1, any: 1},
		"other words that it stands for": {terms: []service.Term{required}, counts: []termCount{{query: "q", n: 5, least: 30}}, rarity: []int64{30}, all: 30, any: 30},
		"a word close to it":             {terms: []service.Term{required}, counts: []termCount{{query: "q", n: 5, near: 30}}, rarity: []int64{5}, carried: []int64{30}, all: 30, any: 30},
		"only in values of all words":    {terms: []service.Term{required, required}, counts: []termCount{{query: "q", whole: true}, of(0)}, whole: 7, rarity: []int64{7, 0}, missing: 1, all: 0, any: 7},
		"nothing to count":               {terms: []service.Term{required}, counts: []termCount{{}}, rarity: []int64{0}, all: 0, any: 0},
		"more than there were":           {terms: []service.Term{required}, counts: []termCount{of(300)}, rarity: []int64{300}, all: 200, any: 200},
		"the first document":             {terms: []service.Term{required}, counts: []termCount{of(1)}, empty: true, rarity: []int64{1}, all: 1, any: 0},
		"an empty index":                 {terms: []service.Term{required}, counts: []termCount{of(0)}, empty: true, rarity: []int64{0}, missing: 1, all: 0, any: 0},
	} {
		c := &termCounts{store: &Store{}, plan: &service.Plan{Terms: test.terms, Threshold: test.threshold}, terms: test.counts, whole: termCount{n: test.whole}}
		if !test.empty {
			c.known.documents = 200
		}
		if test.carried == nil {
			test.carried = test.rarity
		}
		rarity := func(n int64) float64 {
			if n == bounded {
				return stoppedRarity
			}
			return searchsql.Rarity(n, max(c.known.documents, n, 1))
		}
		all := c.rarities()
		missing := 0
		for i, term := range c.plan.Terms {
			if term.Missing {
				missing++
			}
			if want, carried := rarity(test.rarity[i]), rarity(test.carried[i]); term.Rarity != want || term.Carried != carried {
				t.Errorf("%s: word %d has the rarity %g and carries %g, want %g and %g", name, i, term.Rarity, term.Carried, want, carried)
			}
		}
		likelyAll := c.likely(all)
		c.plan.Match = service.MatchAny
		if likelyAny := c.likely(all); missing != test.missing || math.Round(likelyAll*1e6) != test.all*1e6 || likelyAny != test.any {
			t.Errorf("%s: %d words missing, %g documents with all and %g with any, want %d, %g and %g", name, missing, likelyAll, likelyAny, test.missing, test.all, test.any)
		}
	}
	if got := (*termCounts)(nil).likely(3); !math.IsInf(got, 1) {
		t.Errorf("without counts, %g documents are likely", got)
	}
}
