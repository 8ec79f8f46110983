package posting

import "errors"

// PatternTable numbers the different patterns of a block: how often a lexeme is in each field of a document.
type PatternTable struct {
	fields int
	places map[string]uint16
	list   []byte
}

// maxPatterns is how many exact patterns are told apart, of many fields only as many as fit into maxPatternBytes. Of further ones
// counts of more than 4 are rounded up, and where there are too many of these, too, only the fields are known.
const maxPatterns, maxPatternBytes = 1 << 15, 2 << 20

// ErrPatterns is of a block that cannot have postings: its documents have words in more sets of fields than a table has places for.
var ErrPatterns = errors.New("posting: the documents of a block have words in too many different sets of fields")

// Reset forgets all patterns.
func (t *PatternTable) Reset(fields int) {
	t.fields, t.list, t.places = fields, t.list[:0], map[string]uint16{}
}

// Place returns the place of a pattern. It may change it.
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

// of returns a pattern by its place.
func (t *PatternTable) of(place uint16) []byte {
	return t.list[int(place)*t.fields : (int(place)+1)*t.fields]
}

// roundedTimes rounds a count of more than 4 up.
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

// anyTimes keeps of a count only whether it is one.
func anyTimes(times byte) byte {
	if times > 0 {
		return ManyTimes
	}
	return 0
}

// MostOf is the most that a rounded count stands for.
func MostOf(about byte) int { return 8 << (about - AboutTimes) }
