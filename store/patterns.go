package store

// patternTable numbers the different patterns of a builder: how often a lexeme is in each field of a document.
type patternTable struct {
	fields int
	places map[string]uint16
	list   []byte
}

// maxPatterns is how many are told apart. Every further one counts as unknown in all fields.
const maxPatterns = 1<<16 - 2

// reset forgets all patterns but the unknown one, which is the first.
func (t *patternTable) reset(fields int) {
	t.fields = fields
	t.list = t.list[:0]
	for range fields {
		t.list = append(t.list, manyTimes)
	}
	t.places = map[string]uint16{string(t.list): 0}
}

// place returns the place of a pattern.
func (t *patternTable) place(pattern []byte) uint16 {
	if place, ok := t.places[string(pattern)]; ok {
		return place
	}
	if len(t.places) == maxPatterns {
		return 0
	}
	place := uint16(len(t.places))
	t.places[string(pattern)] = place
	t.list = append(t.list, pattern...)
	return place
}

// of returns a pattern by its place.
func (t *patternTable) of(place uint16) []byte {
	return t.list[int(place)*t.fields : (int(place)+1)*t.fields]
}
