package store

import "slices"

// Of a field whose order the blocks keep, they also answer ranges, of which the values of a document may not tell: equal keys can
// stand for different numbers, and of several values the order has the smallest and the largest. What they do not tell, the statement
// does for these documents, as for those that have changed.

// orderedRange is a condition on such a field: any of the ranges.
type orderedRange struct {
	field  string
	ranges []keySpan
}

// orderedWithin is the filter of a condition on a field whose order the blocks keep.
func (a *accelerated) orderedWithin(name string, ranges ...keyRange) blockFilter {
	r := orderedRange{field: name}
	for _, one := range ranges {
		r.ranges = append(r.ranges, one.span())
	}
	a.ranges, a.lexemes = append(a.ranges, r), append(a.lexemes, keysOf+name)
	return func(b *block, among bitmap) bitmap {
		found := newBitmap(b.size)
		keys := a.keysIn(b, name)
		among.each(func(offset int) {
			if r.holds(keys, offset) == certain {
				found.set(offset)
			}
		})
		return found
	}
}

// keysIn are the keys of a field in a block.
func (a *accelerated) keysIn(b *block, name string) textKeys {
	place, _ := slices.BinarySearch(a.lexemes, keysOf+name)
	return textKeys(b.postings[place].codes)
}

// setAside takes those documents of a block out of what is found of which the order of a field does not tell whether they fulfil a
// condition, and has the statement look at them. ok is false where the block does not have the order.
func (t *blockTally) setAside(b *block) (ok bool) {
	if !t.setAsideAbsent(b) {
		return false
	}
	for _, r := range t.search.ranges {
		keys := t.search.keysIn(b, r.field)
		if !keys.fits(b.size) {
			return false
		}
		b.found.each(func(offset int) {
			if r.holds(keys, offset) == possible {
				t.putAside(b, offset)
			}
		})
	}
	return true
}

// putAside takes a document of a block out of what is found, and has the statement look at it.
func (t *blockTally) putAside(b *block, offset int) {
	b.found.clear(offset)
	t.looked = append(t.looked, b.number*int64(b.size)+int64(offset))
}

// certainty is what keys tell of a condition.
type certainty int

const (
	impossible certainty = iota
	possible
	certain
)

// holds tells whether a document of a block fulfils the condition.
func (r orderedRange) holds(keys textKeys, offset int) certainty {
	least, most := keys.of(offset, false), keys.most(offset)
	if least == noKey {
		return impossible
	}
	rounded := keys.flags()&roundedKeys != 0
	best := impossible
	for _, of := range r.ranges {
		best = max(best, of.has(least, rounded))
		if least != most {
			best = max(best, of.has(most, rounded))
			if least <= of.low && most >= of.high {
				best = max(best, possible) // another value may be in between
			}
		}
	}
	return best
}

// keySpan is a keyRange of keys as numbers.
type keySpan struct {
	low, high         uint64
	lowOpen, highOpen bool
}

// span is the range without the keys of documents that have no value.
func (r keyRange) span() keySpan {
	s := keySpan{high: noKey - 1}
	if r.low != nil {
		s.low, s.lowOpen = beginningOf([]byte(*r.low)), r.lowOpen
	}
	if r.high != nil {
		s.high, s.highOpen = beginningOf([]byte(*r.high)), r.highOpen
	}
	return s
}

// has tells whether the value of a key is in the range; rounded says that equal keys may stand for different values.
func (s keySpan) has(key uint64, rounded bool) certainty {
	switch {
	case key < s.low || key > s.high:
		return impossible
	case key > s.low && key < s.high:
		return certain
	case rounded:
		return possible
	case key == s.low && s.lowOpen || key == s.high && s.highOpen:
		return impossible
	}
	return certain
}
