package posting

import (
	"encoding/binary"
	"slices"

	"github.com/rowansearch/rowan/store/pgbinary"
)

// The positions of a lexeme in each document of a block are stored in rows of their own, which only searches for phrases read:
// they tell which documents have a phrase.

// AppendPositions appends those in one field of a document: each as the distance from the one before, of seven bits a byte.
// 0 stands for the place of a lexeme in a vector without positions. How many they are the pattern of the document says, or
// where that is not exact a number before them.
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

// RoundPositions puts the numbers before the positions of a document, from there on in data, whose counts have been rounded.
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

// Place is a position in a field, which is one among the searched ones. Places are in the order of fields and positions.
type Place uint32

const positionBits = 20 // more than a position and a gap have

func placeOf(field, position int) Place { return Place(field<<positionBits | position) }

// Field is the place of the field among the searched ones.
func (p Place) Field() int { return int(p >> positionBits) }

// Followed keeps of next, in place, those places that are gap behind one of the others.
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

// PositionReader reads the positions of a lexeme in the documents of a block, one document after the other.
type PositionReader struct {
	List
	Data []byte // of the lexeme's row, from the document that is read next
	next int    // place of the document in the list
	made []Place
}

// Read returns the places in the document that is the n-th of the list, or of one behind that of the call before. They stay
// as they are until the next call. It is false where the bytes end too soon.
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

// document goes over the positions of a document, and adds them to a list if there is one.
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

// varint takes a number from the data.
func (r *PositionReader) varint() uint64 {
	n, size := binary.Uvarint(r.Data)
	r.Data = r.Data[max(size, 0):]
	if size <= 0 {
		r.Data = nil
	}
	return n
}
