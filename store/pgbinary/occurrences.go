package pgbinary

import (
	"encoding/binary"
	"sort"
)

// MaxPositions is the maximum number of positions of a lexeme in a tsvector.
const MaxPositions = 256

// Occurrences are the occurrences of a lexeme in a field: at least one if the field has it.
type Occurrences struct {
	Count int
	// Positions has two bytes each: a weight in 2 bits, then the position in 14; empty if the vector has no positions.
	Positions []byte
}

// Position returns the i-th of the positions.
func (o Occurrences) Position(i int) int {
	return int(binary.BigEndian.Uint16(o.Positions[2*i:]) & (1<<14 - 1))
}

// At reports whether place is one of the positions.
func (o Occurrences) At(place int) bool {
	n := len(o.Positions) / 2
	i := sort.Search(n, func(i int) bool { return o.Position(i) >= place })
	return i < n && o.Position(i) == place
}
