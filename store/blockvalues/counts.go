package blockvalues

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/store/posting"
)

// Counts counts the documents of each value of a field, by spelling.
type Counts struct {
	Values map[Value]int64
	keys   []uint64 // of further documents, where they were counted from the order of a field
}

// NewCounts counts no document yet.
func NewCounts() Counts { return Counts{Values: map[Value]int64{}} }

// Count adds those documents of a block that are in b.
func (c *Counts) Count(v *Values, b posting.Bitmap, space *Space) {
	byValue := space.counts(countsOfValues, v.count())
	for set, n := range v.tally(b, space) {
		if n > 0 {
			for _, place := range v.Set(set) {
				byValue[place] += n
			}
		}
	}
	for place, n := range byValue {
		if n > 0 {
			c.Values[v.value(place)] += int64(n)
		}
	}
}

// ValueCount is one value of a facet.
type ValueCount struct {
	key, Spelling string
	Documents     int64
	most          int64 // documents with this spelling
}

// Top returns the values with the most documents, spellings taken together, as the facets of a statement are:
// most documents first, then by key; the most frequent spelling stands for all.
func (c Counts) Top(limit int) []ValueCount {
	byKey := map[string]*ValueCount{}
	for v, n := range c.Values {
		of, ok := byKey[v.Key]
		if !ok {
			of = &ValueCount{key: v.Key, Spelling: v.Spelling, most: n}
			byKey[v.Key] = of
		} else if n > of.most || n == of.most && v.Spelling < of.Spelling {
			of.Spelling, of.most = v.Spelling, n
		}
		of.Documents += n
	}
	list := make([]ValueCount, 0, len(byKey))
	for _, of := range byKey {
		list = append(list, *of)
	}
	slices.SortFunc(list, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.key, b.key))
	})
	return list[:min(limit, len(list))]
}

// Add adds what was counted of other documents.
func (c *Counts) Add(others Counts) {
	for v, n := range others.Values {
		c.Values[v] += n
	}
	c.keys = append(c.keys, others.keys...)
}
