package store

import (
	"encoding/binary"
	"sort"
)

// maxPositions is how many places of a lexeme a tsvector keeps.
const maxPositions = 256

// occurrences are the places of a lexeme in a field: at least one, where it is there.
type occurrences struct {
	n int
	// positions are two bytes each: the place in 14 bits, below a weight of two; none where the vector has none.
	positions []byte
}

// position returns the i-th of the positions.
func (o occurrences) position(i int) int {
	return int(binary.BigEndian.Uint16(o.positions[2*i:]) & (1<<14 - 1))
}

// at tells whether one of the positions is a place.
func (o occurrences) at(place int) bool {
	n := len(o.positions) / 2
	i := sort.Search(n, func(i int) bool { return o.position(i) >= place })
	return i < n && o.position(i) == place
}
