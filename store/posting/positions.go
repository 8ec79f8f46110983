package posting

import (
	"encoding/binary"
	"slices"

	"github.com/rowansearch/rowan/store/pgbinary"
)

// The positions of a lexeme in the documents of a block are stored in rows of their own, which only searches for phrases read: positions tell which
// documents have a phrase.

// AppendPositions appends the positions in one field of a document, each as a varint of the difference from the previous one. A 0 stands for the
// position of a lexeme in a vector without positions. Their number follows from the document's pattern or, if that is not exact, precedes them.
func AppendPositions(data []byte, o pgbinary.Occurrences) []byte {
	if o.Count >= AboutTimes {
		data = binary.AppendUvarint(data, uint64(o.Count))
	}
	if len(o.Positions) == 0 {
		return append(data, 0)
	}
	before := 0
	for i := range len(o.Positions) / 2 {
		place := o.Position(i)
		data = binary.AppendUvarint(data, uint64(place-before))
		before = place
	}
	return data
}

// RoundPositions inserts the numbers of positions for a document whose counts have been rounded; its positions begin at from in data.
func RoundPositions(data []byte, from int, exact, rounded []byte) []byte {
	rest := slices.Clone(data[from:])
	data = data[:from]
	for i, times := range exact {
		n := int(times)
		if times >= AboutTimes {
			many, size := binary.Uvarint(rest)
			n, rest = int(many), rest[size:]
		}
		if rounded[i] >= AboutTimes {
			data = binary.AppendUvarint(data, uint64(n))
		}
		for range n {
			_, size := binary.Uvarint(rest)
			data, rest = append(data, rest[:size]...), rest[size:]
		}
	}
	return data
}

// Place is a position in a field, identified by its index among the searched ones. Places are ordered by field, then position.
type Place uint32

const positionBits = 20 // enough for a position plus a gap

func placeOf(field, position int) Place { return Place(field<<positionBits | position) }

// Field returns the index of the field among the searched ones.
func (p Place) Field() int { return int(p >> positionBits) }

// Followed filters next in place: it keeps the places that are gap after one of places.
func Followed(places, next []Place, gap int) []Place {
	kept := next[:0]
	for _, p := range next {
		for len(places) > 0 && places[0]+Place(gap) < p {
			places = places[1:]
		}
		if len(places) > 0 && places[0]+Place(gap) == p {
			kept = append(kept, p)
		}
	}
	return kept
}

// PositionReader reads the positions of a lexeme in the documents of a block in order.
type PositionReader struct {
	List
	Data []byte // rest of the lexeme's row, from the next document on
	next int    // index of the next document in the list
	made []Place
}

// Read returns the places in the n-th document of the list; n must increase from call to call. The result is valid until the next call. ok is false
// if the data ends too soon.
func (r *PositionReader) Read(n int) ([]Place, bool) {
	for ; r.next < n; r.next++ {
		if !r.document(nil) {
			return nil, false
		}
	}
	r.made = r.made[:0]
	ok := r.document(&r.made)
	r.next++
	return r.made, ok
}

// document reads the positions of the next document, and appends them to list if that is not nil.
func (r *PositionReader) document(list *[]Place) bool {
	width := r.Width()
	pattern := r.Patterns[r.code(r.next)*width:][:width]
	for i, times := range pattern {
		n := uint64(times)
		if times >= AboutTimes {
			if n = r.varint(); n == 0 {
				return false
			}
		}
		position, field := 0, int(binary.LittleEndian.Uint16(r.fields[2*i:]))
		for range n {
			if len(r.Data) == 0 {
				return false
			}
			if position += int(r.varint()); list != nil && position > 0 {
				*list = append(*list, placeOf(field, position))
			}
		}
	}
	return true
}

// varint reads a number from the data.
func (r *PositionReader) varint() uint64 {
	n, size := binary.Uvarint(r.Data)
	r.Data = r.Data[max(size, 0):]
	if size <= 0 {
		r.Data = nil
	}
	return n
}
