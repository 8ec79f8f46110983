package store

import (
	"cmp"
	"slices"
)

// numberCount is how many documents have a number or an instant, by its key.
type numberCount struct {
	key       uint64
	documents int64
}

// numberCounts are some of them, of which several may be of one key until they are settled.
type numberCounts []numberCount

// count adds those of the documents of a block that are among some, by the order of a field.
func (c *numberCounts) count(keys textKeys, among bitmap) {
	among.each(func(offset int) {
		if key := keys.of(offset, false); key != noKey {
			*c = append(*c, numberCount{key, 1})
		}
	})
}

// settled are all numbers that were counted, in their order, each once.
func (c *facetCounts) settled() numberCounts {
	list := slices.Grow(c.numbers, len(c.values))
	for v, n := range c.values {
		list = append(list, numberCount{beginningOf([]byte(v.key)), n})
	}
	slices.SortFunc(list, func(a, b numberCount) int { return cmp.Compare(a.key, b.key) })
	merged := list[:0]
	for _, one := range list {
		if last := len(merged) - 1; last >= 0 && merged[last].key == one.key {
			merged[last].documents += one.documents
		} else {
			merged = append(merged, one)
		}
	}
	return merged
}

// top returns the numbers with the most documents, of as many the smaller first. The counts are settled.
func (c numberCounts) top(limit int) numberCounts {
	best := make(numberCounts, 0, limit+1)
	for _, one := range c {
		if len(best) == limit && one.documents <= best[limit-1].documents {
			continue
		}
		// After those of as many, which are smaller.
		at, _ := slices.BinarySearchFunc(best, one.documents, func(of numberCount, documents int64) int {
			if of.documents >= documents {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, one)
		best = best[:min(limit, len(best))]
	}
	return best
}
