package blockvalues

import (
	"cmp"
	"iter"
	"slices"

	"github.com/rowansearch/rowan/store/posting"
)

// NumberCount is how many documents have a number or an instant, by its key.
type NumberCount struct {
	Key       uint64
	Documents int64
}

// NumberCounts counts documents by their numbers or instants: each key in ones counts as one document, and may be repeated. Both lists are in the
// order of the keys.
type NumberCounts struct {
	ones   []uint64
	others []NumberCount
}

// CountKeys adds the keys of the documents in among.
func (c *Counts) CountKeys(keys posting.TextKeys, among posting.Bitmap) {
	among.Each(func(offset int) {
		if key := keys.Of(offset, false); key != posting.NoKey {
			c.keys = append(c.keys, key)
		}
	})
}

// Numbers returns all counts of a field of numbers or instants. It sorts the keys in c.
func (c *Counts) Numbers() NumberCounts {
	slices.Sort(c.keys)
	others := make([]NumberCount, 0, len(c.Values))
	for v, n := range c.Values {
		others = append(others, NumberCount{posting.BeginningOf([]byte(v.Key)), n})
	}
	slices.SortFunc(others, func(a, b NumberCount) int { return cmp.Compare(a.Key, b.Key) })
	return NumberCounts{c.keys, others}
}

// All yields the numbers in the order of their keys, each with the number of documents that have it.
func (c NumberCounts) All() iter.Seq2[uint64, int64] {
	return func(yield func(uint64, int64) bool) {
		ones, others := c.ones, c.others
		for len(ones)+len(others) > 0 {
			var key uint64
			if len(ones) == 0 || len(others) > 0 && others[0].Key < ones[0] {
				key = others[0].Key
			} else {
				key = ones[0]
			}
			var n int64
			for ; len(ones) > 0 && ones[0] == key; ones = ones[1:] {
				n++
			}
			for ; len(others) > 0 && others[0].Key == key; others = others[1:] {
				n += others[0].Documents
			}
			if !yield(key, n) {
				return
			}
		}
	}
}

// Top returns the numbers with the most documents; of those with equally many, smaller numbers come first.
func (c NumberCounts) Top(limit int) []NumberCount {
	best := make([]NumberCount, 0, limit+1)
	for key, n := range c.All() {
		if len(best) == limit && n <= best[limit-1].Documents {
			continue
		}
		// After the numbers with equally many documents, which are smaller.
		at, _ := slices.BinarySearchFunc(best, n, func(of NumberCount, n int64) int {
			if of.Documents >= n {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, NumberCount{key, n})
		best = best[:min(limit, len(best))]
	}
	return best
}
