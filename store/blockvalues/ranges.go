package blockvalues

import (
	"cmp"
	"slices"
	"sort"

	"github.com/rowansearch/rowan/store/posting"
)

// OrderedRange is a condition on a field whose order the blocks keep: it admits any of the ranges. If there are several, each is a single key, and
// they are in the order of these keys, because a list may have thousands and every document is compared with it.
type OrderedRange struct {
	Field  string
	ranges []KeySpan
}

// NewOrderedRange returns a condition with the given ranges, which it sorts.
func NewOrderedRange(field string, ranges ...KeySpan) OrderedRange {
	slices.SortFunc(ranges, func(a, b KeySpan) int { return cmp.Compare(a.low, b.low) })
	return OrderedRange{field, ranges}
}

// Certainty says what keys reveal about a condition.
type Certainty int

const (
	impossible Certainty = iota
	// Possible means that a document may satisfy the condition; the keys do not determine it.
	Possible
	// Certain means that it does.
	Certain
)

// Holds returns whether a document of a block satisfies the condition, as far as its keys tell.
func (r OrderedRange) Holds(keys posting.TextKeys, offset int) Certainty {
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
		return Possible // another of its values may be in between
	}
	return best
}

// has returns what a single key reveals about the condition; rounded says that keys do not represent values completely.
func (r OrderedRange) has(key uint64, rounded bool) (best Certainty) {
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

// from returns the ranges that begin at or after a key.
func (r OrderedRange) from(key uint64) []KeySpan {
	first := sort.Search(len(r.ranges), func(i int) bool { return r.ranges[i].low >= key })
	return r.ranges[first:]
}

// KeySpan is a KeyRange with keys as numbers.
type KeySpan struct {
	low, high         uint64
	hasLow, hasHigh   bool // otherwise there is no such bound
	lowOpen, highOpen bool
	rounded           bool // of the values with the keys low or high, some may be in the range and others not
}

// wholeKey is the length in bytes up to which a text's numeric key represents it completely.
const wholeKey = 7

// Span returns the range with numeric keys, excluding documents without a value. text says that the keys are texts, of which a number represents only
// the beginning.
func (r KeyRange) Span(text bool) KeySpan {
	s := KeySpan{high: posting.NoKey - 1}
	if r.Low != nil {
		s.low, s.hasLow, s.lowOpen = posting.BeginningOf([]byte(*r.Low)), true, r.LowOpen
		s.rounded = text && len(*r.Low) > wholeKey
	}
	if r.High != nil {
		s.high, s.hasHigh, s.highOpen = posting.BeginningOf([]byte(*r.High)), true, r.HighOpen
		s.rounded = s.rounded || text && len(*r.High) > wholeKey
	}
	return s
}

// SpanOfBeginning returns the range of the texts that begin with the given one.
func SpanOfBeginning(text string) KeySpan {
	const tail = "\xff\xff\xff\xff\xff\xff\xff\xff" // no text contains these bytes
	return KeySpan{low: posting.BeginningOf([]byte(text)), high: posting.BeginningOf([]byte(text + tail)), hasLow: true, hasHigh: true, rounded: len(text) > len(tail)}
}

// has returns whether the value of a key is in the range, as far as the key tells.
func (s KeySpan) has(key uint64) Certainty {
	onLow, onHigh := s.hasLow && key == s.low, s.hasHigh && key == s.high
	switch {
	case key < s.low || key > s.high:
		return impossible
	case !onLow && !onHigh:
		return Certain
	case s.rounded:
		return Possible
	case onLow && s.lowOpen || onHigh && s.highOpen:
		return impossible
	}
	return Certain
}
