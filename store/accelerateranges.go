package store

import (
	"cmp"
	"slices"
	"sort"

	"github.com/rowansearch/rowan/store/posting"
)

// Of a field whose order the blocks keep, but not its values, they also answer ranges, of which the order may not tell of a document:
// equal keys can stand for different numbers or texts, and of several values it has the smallest and the largest. What it does not
// tell, the statement does for these documents, as for those that have changed.

// orderedRange is a condition on such a field: any of the ranges. Where they are several, each is a single key; they are in the order of
// these, because a list may have thousands, and each document is held against it.
type orderedRange struct {
	field  string
	ranges []keySpan
}

func newOrderedRange(field string, ranges ...keySpan) orderedRange {
	slices.SortFunc(ranges, func(a, b keySpan) int { return cmp.Compare(a.low, b.low) })
	return orderedRange{field, ranges}
}

// orderedWithin is the filter of a condition on a field whose order the blocks keep.
func (a *accelerated) orderedWithin(name string, ranges ...keySpan) blockFilter {
	r := newOrderedRange(name, ranges...)
	a.ranges, a.lexemes = append(a.ranges, r), append(a.lexemes, posting.KeysOf+name)
	return func(b *block, among posting.Bitmap) posting.Bitmap {
		found := posting.NewBitmap(b.size)
		keys := a.keysIn(b, name)
		among.Each(func(offset int) {
			if r.holds(keys, offset) == certain {
				found.Set(offset)
			}
		})
		return found
	}
}

// keysIn are the keys of a field in a block.
func (a *accelerated) keysIn(b *block, name string) posting.TextKeys {
	return posting.TextKeys(b.postings[a.lexemePlace(posting.KeysOf+name)].Codes)
}

// lexemePlace is the place of a lexeme among those that are read.
func (a *accelerated) lexemePlace(lexeme string) int {
	place, _ := slices.BinarySearch(a.lexemes, lexeme)
	return place
}

// setAside takes those documents of a block out of what is found of which the order of a field does not tell whether they fulfil a
// condition, and has the statement look at them. ok is false where the block does not have the order.
func (t *blockTally) setAside(b *block) (ok bool) {
	if !t.setAsideAbsent(b) {
		return false
	}
	for _, r := range t.search.ranges {
		keys := t.search.keysIn(b, r.field)
		if !keys.Fits(b.size) {
			return false
		}
		b.found.Each(func(offset int) {
			if r.holds(keys, offset) == possible {
				t.putAside(b, offset)
			}
		})
	}
	return true
}

// putAside takes a document of a block out of what is found, and has the statement look at it.
func (t *blockTally) putAside(b *block, offset int) {
	b.found.Clear(offset)
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
func (r orderedRange) holds(keys posting.TextKeys, offset int) certainty {
	least, most := keys.Of(offset, false), keys.Most(offset)
	if least == posting.NoKey {
		return impossible
	}
	rounded := keys.Flags()&posting.RoundedKeys != 0
	best := r.has(least, rounded)
	if least == most {
		return best
	}
	best = max(best, r.has(most, rounded))
	if from := r.from(least); best == impossible && len(from) > 0 && from[0].high <= most {
		return possible // another value may be in between
	}
	return best
}

// has tells what a key says of the condition; rounded, that keys do not say all of the values.
func (r orderedRange) has(key uint64, rounded bool) (best certainty) {
	ranges := r.ranges
	if len(ranges) > 1 {
		ranges = r.from(key)
	}
	for _, of := range ranges {
		if of.low > key {
			break
		}
		of.rounded = of.rounded || rounded
		best = max(best, of.has(key))
	}
	return best
}

// from are the ranges that begin with a key, or behind it.
func (r orderedRange) from(key uint64) []keySpan {
	first := sort.Search(len(r.ranges), func(i int) bool { return r.ranges[i].low >= key })
	return r.ranges[first:]
}

// keySpan is a keyRange of keys as numbers.
type keySpan struct {
	low, high         uint64
	hasLow, hasHigh   bool // otherwise there is no such bound
	lowOpen, highOpen bool
	rounded           bool // of the values with the keys low and high some may be in the range, and others not
}

// wholeKey is the number of bytes up to which a key as a number says all of a text.
const wholeKey = 7

// span is the range without the keys of documents that have no value, of a field.
func (r keyRange) span(f field) keySpan {
	s := keySpan{high: posting.NoKey - 1}
	if r.low != nil {
		s.low, s.hasLow, s.lowOpen = posting.BeginningOf([]byte(*r.low)), true, r.lowOpen
		s.rounded = f.hasKey() && len(*r.low) > wholeKey
	}
	if r.high != nil {
		s.high, s.hasHigh, s.highOpen = posting.BeginningOf([]byte(*r.high)), true, r.highOpen
		s.rounded = s.rounded || f.hasKey() && len(*r.high) > wholeKey
	}
	return s
}

// spanOfBeginning is the range of the texts that begin with one.
func spanOfBeginning(text string) keySpan {
	const tail = "\xff\xff\xff\xff\xff\xff\xff\xff" // no text has these bytes
	return keySpan{low: posting.BeginningOf([]byte(text)), high: posting.BeginningOf([]byte(text + tail)), hasLow: true, hasHigh: true, rounded: len(text) > len(tail)}
}

// has tells whether the value of a key is in the range.
func (s keySpan) has(key uint64) certainty {
	onLow, onHigh := s.hasLow && key == s.low, s.hasHigh && key == s.high
	switch {
	case key < s.low || key > s.high:
		return impossible
	case !onLow && !onHigh:
		return certain
	case s.rounded:
		return possible
	case onLow && s.lowOpen || onHigh && s.highOpen:
		return impossible
	}
	return certain
}
