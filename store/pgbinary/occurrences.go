package pgbinary

import (
	"encoding/binary"
	"sort"
)

// MaxPositions is how many places of a lexeme a tsvector keeps.
const MaxPositions = 256

// Occurrences are the places of a lexeme in a field: at least one, where it is there.
type Occurrences struct {
	Count int
	// Positions are two bytes each: the place in 14 bits, below a weight of two; none where the vector has none.
	Positions []byte
}

// Position returns the i-th of the positions.
func (o Occurrences) Position(i int) int {
	return int(binary.BigEndian.Uint16(o.Positions[2*i:]) & (1<<14 - 1))
}

// At tells whether one of the positions is a place.
func (o Occurrences) At(place int) bool {
	n := len(o.Positions) / 2
	i := sort.Search(n, func(i int) bool { return o.Position(i) >= place })
	return i < n && o.Position(i) == place
}
