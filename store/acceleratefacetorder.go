package store

import (
	"github.com/rowansearch/rowan/store/facets"
	"github.com/rowansearch/rowan/store/posting"
)

// Facets of numbers and dates of which nearly every document has a value of its own are counted from the order that the blocks
// keep of them, where the key of a document says all of its value.

// maxCountedByOrder is the number of documents up to which they are: each takes 8 bytes until the answer is there.
const maxCountedByOrder = 4 << 20

// countsOrder tells whether a facet is counted from the order of its field, because the blocks do not have its values.
func (a *accelerated) countsOrder(name string) bool {
	f, _ := a.sh.Field(name)
	return facets.HasStats(f) && !a.kept[name] && a.ordered[name]
}

// setAsideOfFacets takes those documents of a block out of what is found that have several values of a field which is counted from its
// order, and has the statement look at them. ok is false where the block does not have the order, or where its keys do not say
// all of a value.
func (t *blockTally) setAsideOfFacets(b *block) (ok bool) {
	for _, name := range t.search.plan.Facets {
		if !t.search.countsOrder(name) {
			continue
		}
		keys := t.search.keysIn(b, name)
		if !keys.Fits(b.size) || keys.Flags()&posting.RoundedKeys != 0 || t.enough > maxCountedByOrder {
			return false
		}
		if _, several := keys.Span(); !several {
			continue
		}
		b.Found.Each(func(offset int) {
			if keys.Of(offset, false) != keys.Most(offset) {
				t.putAside(b, offset)
			}
		})
	}
	return true
}
