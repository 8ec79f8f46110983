package store

import (
	"cmp"
	"iter"
	"slices"

	"github.com/rowansearch/rowan/store/posting"
)

// numberCount is how many documents have a number or an instant, by its key.
type numberCount struct {
	key       uint64
	documents int64
}

// numberCounts counts documents by their numbers or instants: those of ones count once each, as often as they are there. Both lists are
// in the order of the keys.
type numberCounts struct {
	ones   []uint64
	others []numberCount
}

// countKeys adds the keys of those documents of a block that are among some.
func (c *facetCounts) countKeys(keys posting.TextKeys, among posting.Bitmap) {
	among.Each(func(offset int) {
		if key := keys.Of(offset, false); key != posting.NoKey {
			c.keys = append(c.keys, key)
		}
	})
}

// numbers are all that was counted of a field of numbers or instants. It sorts what c has of them.
func (c *facetCounts) numbers() numberCounts {
	slices.Sort(c.keys)
	others := make([]numberCount, 0, len(c.values))
	for v, n := range c.values {
		others = append(others, numberCount{posting.BeginningOf([]byte(v.key)), n})
	}
	slices.SortFunc(others, func(a, b numberCount) int { return cmp.Compare(a.key, b.key) })
	return numberCounts{c.keys, others}
}

// all are the numbers with how many documents have each, in the order of their keys.
func (c numberCounts) all() iter.Seq2[uint64, int64] {
	return func(yield func(uint64, int64) bool) {
		ones, others := c.ones, c.others
		for len(ones)+len(others) > 0 {
			var key uint64
			if len(ones) == 0 || len(others) > 0 && others[0].key < ones[0] {
				key = others[0].key
			} else {
				key = ones[0]
			}
			var n int64
			for ; len(ones) > 0 && ones[0] == key; ones = ones[1:] {
				n++
			}
			for ; len(others) > 0 && others[0].key == key; others = others[1:] {
				n += others[0].documents
			}
			if !yield(key, n) {
				return
			}
		}
	}
}

// top returns the numbers with the most documents, of as many the smaller first.
func (c numberCounts) top(limit int) []numberCount {
	best := make([]numberCount, 0, limit+1)
	for key, n := range c.all() {
		if len(best) == limit && n <= best[limit-1].documents {
			continue
		}
		// After those of as many, which are smaller.
		at, _ := slices.BinarySearchFunc(best, n, func(of numberCount, n int64) int {
			if of.documents >= n {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, numberCount{key, n})
		best = best[:min(limit, len(best))]
	}
	return best
}
