package store

import (
	"cmp"
	"slices"

	"github.com/rowansearch/rowan/store/tsquery"
)

// togetherMore is how many times as often words that are looked for together are together as by chance, mostly.
const togetherMore = 2

// look decides for which terms the rows that the other terms leave are looked at, where all must be there: where these are few,
// that takes less time than to go through all documents that the index has of a common word, and PostgreSQL would ask the
// index for every word. It is asked for the rarest ones, until the next has more than postingsARow documents for each that is still
// expected.
func (c *termCounts) look() {
	terms, documents, places := c.plan.Terms, make([]float64, len(c.terms)), []int(nil)
	for i := range terms {
		terms[i].Looked = false
		if documents[i] = float64(c.inIndex(i)); !terms[i].Optional {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(documents[a], documents[b]) })
	all := float64(max(c.known.documents, 1))
	left := all
	for k, i := range places {
		switch {
		case k == 0:
			left = min(left, documents[i])
		case documents[i] > c.store.limits.postingsARow*left && !tsquery.HasPhrase(terms[i]): // of a phrase the index knows only its lexemes
			terms[i].Looked = true
		default:
			left = max(1, left*min(1, togetherMore*documents[i]/all))
		}
	}
}

// inIndex is about how many documents the index has for a term, those that have several of its alternatives more than once.
func (c *termCounts) inIndex(place int) int64 {
	t := c.terms[place]
	sum := t.n
	if t.new && t.n == 0 {
		sum = int64(c.store.limits.counted) // what has more was counted with the postings
	}
	seen := map[string]bool{}
	for _, list := range c.plan.Terms[place].Alternatives {
		for _, a := range list {
			if q := tsquery.Sequence(a, false); a.Documents > 0 && !seen[q] {
				seen[q] = true
				sum += a.Documents
			}
		}
	}
	return sum
}
