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
	keys   []uint64 // of further documents, counted from the order of the field
}

// NewCounts returns counts of no documents.
func NewCounts() Counts { return Counts{Values: map[Value]int64{}} }

// Count adds the documents of a block that are in b.
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

// ValueCount is the count of one facet value.
type ValueCount struct {
	key, Spelling string
	Documents     int64
	most          int64 // documents with this spelling
}

// Top returns the values with the most documents, merging spellings as the facets of a statement do: most documents first, then by key. The most
// frequent spelling represents them all.
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

// Add adds the counts of other documents.
func (c *Counts) Add(others Counts) {
	for v, n := range others.Values {
		c.Values[v] += n
	}
	c.keys = append(c.keys, others.keys...)
}
