package store

import (
	"cmp"
	"slices"

	"github.com/rowansearch/rowan/store/tsquery"
)

// togetherMore is how many times as often as by chance words of a query usually occur together.
const togetherMore = 2

// look decides for which of the required terms the rows that the other terms leave are examined: if these are few, that takes less time than going
// through all documents that the index has for a common word, and PostgreSQL would ask the index for every word. The index is asked for the rarest
// terms, until the next one has more than postingsARow documents for each document still expected.
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
		case documents[i] > c.store.limits.postingsARow*left && !tsquery.HasPhrase(terms[i]): // the index only knows the lexemes of a phrase
			terms[i].Looked = true
		default:
			left = max(1, left*min(1, togetherMore*documents[i]/all))
		}
	}
}

// inIndex returns about how many documents the index has for a term, counting those with several of its alternatives more than once.
func (c *termCounts) inIndex(place int) int64 {
	t := c.terms[place]
	sum := t.n
	if t.new && t.n == 0 {
		sum = int64(c.store.limits.counted) // one with more documents would have been counted with the postings
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
