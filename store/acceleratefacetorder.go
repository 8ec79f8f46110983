package store

import (
	"github.com/rowansearch/rowan/store/facets"
	"github.com/rowansearch/rowan/store/posting"
)

// Facets of numbers and dates with a distinct value in nearly every document are counted from the order that the blocks keep, if the keys there
// represent the values completely.

// countsOrder reports whether a facet is counted from the order of its field, because the blocks do not have its values.
func (a *accelerated) countsOrder(name string) bool {
	f, _ := a.sh.Field(name)
	return facets.HasStats(f) && !a.kept[name] && a.ordered[name]
}

// setAsideOfFacets removes from the matches of a block the documents that have several values of a field that is counted from its order, and leaves
// them to the statement. ok is false if the block does not have the order, if its keys do not represent values completely, or if there are too many keys.
func (t *blockTally) setAsideOfFacets(b *block) (ok bool) {
	keysOfDocument := 0
	for _, name := range t.search.plan.Facets {
		if !t.search.countsOrder(name) {
			continue
		}
		keys := t.search.keysIn(b, name)
		if keysOfDocument++; !keys.Fits(b.size) || keys.Flags()&posting.RoundedKeys != 0 || keysOfDocument*t.enough > t.search.limits.keys {
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
