package posting

import "errors"

// PatternTable numbers the distinct patterns of a block: how often a lexeme occurs in each field of a document.
type PatternTable struct {
	fields int
	places map[string]uint16
	list   []byte
}

// maxPatterns is how many exact patterns are distinguished; if there are many fields, only as many as fit into maxPatternBytes. In further patterns,
// counts above 4 are rounded up, and if there are too many of these, too, only the fields are kept.
const maxPatterns, maxPatternBytes = 1 << 15, 2 << 20

// ErrPatterns says that a block cannot have postings: the words of its documents occur in more sets of fields than the table has room for.
var ErrPatterns = errors.New("posting: the documents of a block have words in too many different sets of fields")

// Reset removes all patterns.
func (t *PatternTable) Reset(fields int) {
	t.fields, t.list, t.places = fields, t.list[:0], map[string]uint16{}
}

// Place returns the index of a pattern, which it may make coarser.
func (t *PatternTable) Place(pattern []byte) (uint16, error) {
	if place, ok := t.places[string(pattern)]; ok {
		return place, nil
	}
	for tier, coarser := range []func(byte) byte{roundedTimes, anyTimes} {
		if len(t.places) < maxPatterns*(2+tier)/2 && len(t.list) < maxPatternBytes*(2+tier)/2 {
			break
		}
		for i, times := range pattern {
			pattern[i] = coarser(times)
		}
		if place, ok := t.places[string(pattern)]; ok {
			return place, nil
		}
	}
	if len(t.places) == 2*maxPatterns-1 {
		return 0, ErrPatterns
	}
	place := uint16(len(t.places))
	t.places[string(pattern)] = place
	t.list = append(t.list, pattern...)
	return place, nil
}

// of returns the pattern at an index.
func (t *PatternTable) of(place uint16) []byte {
	return t.list[int(place)*t.fields : (int(place)+1)*t.fields]
}

// roundedTimes rounds up a count above 4.
func roundedTimes(times byte) byte {
	if times <= 4 || times >= AboutTimes {
		return times
	}
	for about := byte(AboutTimes); about < ManyTimes; about++ {
		if int(times) <= MostOf(about) {
			return about
		}
	}
	return ManyTimes
}

// anyTimes only keeps whether a count is above 0.
func anyTimes(times byte) byte {
	if times > 0 {
		return ManyTimes
	}
	return 0
}

// MostOf returns the largest count that a rounded one stands for.
func MostOf(about byte) int { return 8 << (about - AboutTimes) }
