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

// lexemeShare is what a lexeme with n places adds to ts_rank with equal weights, before it is divided by the number
// of lexemes that are asked for. These are the steps of calc_rank_or in PostgreSQL's tsrank.c, in its precisions, so
// that scores are those of a statement to the last bit.
var lexemeShare = func() (shares [maxPositions + 1]float64) {
	for n := 1; n <= maxPositions; n++ {
		var sum float32
		for j := range n {
			sum += 1 / float32((j+1)*(j+1))
		}
		shares[n] = float64(float32(1+sum)-1) / 1.64493406685
	}
	return shares
}()
