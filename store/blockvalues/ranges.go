package blockvalues

import (
	"cmp"
	"slices"
	"sort"

	"github.com/rowansearch/rowan/store/posting"
)

// OrderedRange is a condition on a field whose order the blocks keep: any of the ranges. Where they are several, each is a single key; they are in the order of
// these, because a list may have thousands, and each document is held against it.
type OrderedRange struct {
	Field  string
	ranges []KeySpan
}

// NewOrderedRange takes the ranges, which it sorts.
func NewOrderedRange(field string, ranges ...KeySpan) OrderedRange {
	slices.SortFunc(ranges, func(a, b KeySpan) int { return cmp.Compare(a.low, b.low) })
	return OrderedRange{field, ranges}
}

// Certainty is what keys tell of a condition.
type Certainty int

const (
	impossible Certainty = iota
	// Possible is that a document may fulfil the condition; the keys do not say enough.
	Possible
	// Certain is that it does.
	Certain
)

// Holds tells whether a document of a block fulfils the condition.
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
		return Possible // another value may be in between
	}
	return best
}

// has tells what a key says of the condition; rounded, that keys do not say all of the values.
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

// from are the ranges that begin with a key, or behind it.
func (r OrderedRange) from(key uint64) []KeySpan {
	first := sort.Search(len(r.ranges), func(i int) bool { return r.ranges[i].low >= key })
	return r.ranges[first:]
}

// KeySpan is a KeyRange of keys as numbers.
type KeySpan struct {
	low, high         uint64
	hasLow, hasHigh   bool // otherwise there is no such bound
	lowOpen, highOpen bool
	rounded           bool // of the values with the keys low and high some may be in the range, and others not
}

// wholeKey is the number of bytes up to which a key as a number says all of a text.
const wholeKey = 7

// Span is the range in numbers, without that of documents that have no value. text tells that the keys are texts, of which a number says
// the beginning only.
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

// SpanOfBeginning is the range of the texts that begin with one.
func SpanOfBeginning(text string) KeySpan {
	const tail = "\xff\xff\xff\xff\xff\xff\xff\xff" // no text has these bytes
	return KeySpan{low: posting.BeginningOf([]byte(text)), high: posting.BeginningOf([]byte(text + tail)), hasLow: true, hasHigh: true, rounded: len(text) > len(tail)}
}

// has tells whether the value of a key is in the range.
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
