package store

import (
	"context"
	"encoding/binary"
	"slices"
)

// The positions of a lexeme in each document of a block are stored in rows of their own, which only searches for phrases read:
// they tell which documents have a phrase.

// positionsOf and a lexeme stands for the lexeme in these rows. No lexeme begins so.
const positionsOf = "\x03"

// appendPositions appends those in one field of a document: each as the distance from the one before, of seven bits a byte.
// 0 stands for the place of a lexeme in a vector without positions. How many they are the pattern of the document says, or
// where that is not exact a number before them.
func appendPositions(data []byte, o occurrences) []byte {
	if o.n >= aboutTimes {
		data = binary.AppendUvarint(data, uint64(o.n))
	}
	if len(o.positions) == 0 {
		return append(data, 0)
	}
	before := 0
	for i := range len(o.positions) / 2 {
		place := o.position(i)
		data = binary.AppendUvarint(data, uint64(place-before))
		before = place
	}
	return data
}

// roundPositions puts the numbers before the positions of a document, from there on in data, whose counts have been rounded.
func roundPositions(data []byte, from int, exact, rounded []byte) []byte {
	rest := slices.Clone(data[from:])
	data = data[:from]
	for i, times := range exact {
		n := int(times)
		if times >= aboutTimes {
			many, size := binary.Uvarint(rest)
			n, rest = int(many), rest[size:]
		}
		if rounded[i] >= aboutTimes {
			data = binary.AppendUvarint(data, uint64(n))
		}
		for range n {
			_, size := binary.Uvarint(rest)
			data, rest = append(data, rest[:size]...), rest[size:]
		}
	}
	return data
}

// place is a position in a field, which is one among the searched ones. Places are in the order of fields and positions.
type place uint32

const positionBits = 20 // more than a position and a gap have

func placeOf(field, position int) place { return place(field<<positionBits | position) }
func (p place) field() int              { return int(p >> positionBits) }

// followed keeps of next, in place, those places that are gap behind one of the others.
func followed(places, next []place, gap int) []place {
	kept := next[:0]
	for _, p := range next {
		for len(places) > 0 && places[0]+place(gap) < p {
			places = places[1:]
		}
		if len(places) > 0 && places[0]+place(gap) == p {
			kept = append(kept, p)
		}
	}
	return kept
}

// positionReader reads the positions of a lexeme in the documents of a block, one document after the other.
type positionReader struct {
	postings
	data []byte
	next int // place of the document in the list
	made []place
}

// read returns the places in the document that is the n-th of the list, or of one behind that of the call before. They stay
// as they are until the next call. It is false where the bytes end too soon.
func (r *positionReader) read(n int) ([]place, bool) {
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
func (r *positionReader) document(list *[]place) bool {
	width := r.width()
	pattern := r.patterns[r.code(r.next)*width:][:width]
	for i, times := range pattern {
		n := uint64(times)
		if times >= aboutTimes {
			if n = r.varint(); n == 0 {
				return false
			}
		}
		position, field := 0, int(binary.LittleEndian.Uint16(r.fields[2*i:]))
		for range n {
			if len(r.data) == 0 {
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
func (r *positionReader) varint() uint64 {
	n, size := binary.Uvarint(r.data)
	r.data = r.data[max(size, 0):]
	if size <= 0 {
		r.data = nil
	}
	return n
}

// sift finds out what the positions of the lexemes tell of the documents that may have the phrase: the others are left to be
// looked at.
func (s *phraseSearch) sift(ctx context.Context, db querier) error {
	if len(s.whole) < 2 || s.looks() <= s.search.limits.placed {
		return nil
	}
	positions, err := s.readPositions(ctx, db)
	if err != nil {
		return err
	}
	var list codeList
	for i, b := range s.blocks {
		readers := make([]positionReader, len(s.whole))
		at := make([][]uint16, len(s.whole)) // the documents' places in the lists
		for k, l := range s.whole {
			p := b.postings[s.places[l.Text]]
			readers[k] = positionReader{postings: p, data: positions[blockLexeme{b.number, l.Text}]}
			list.takePlaces(p, s.look[i])
			at[k] = slices.Clone(list.codes)
			if readers[k].data == nil {
				readers = nil
				break
			}
		}
		if readers == nil {
			continue
		}
		for j, offset := range slices.Clone(list.offsets) {
			places, ok := s.follow(readers, at, j)
			if !ok {
				return errPostings
			}
			switch {
			case len(places) == 0:
			case s.open:
				continue // what follows is not known
			case slices.ContainsFunc(places, func(p place) bool { return s.fields[p.field()] }):
				b.phrases[s.place].set(int(offset))
			}
			s.look[i].clear(int(offset))
		}
	}
	return nil
}

// follow returns where the last whole lexeme stands behind all others in the j-th of some documents.
func (s *phraseSearch) follow(readers []positionReader, at [][]uint16, j int) (places []place, ok bool) {
	for k := range readers {
		next, ok := readers[k].read(int(at[k][j]))
		if !ok {
			return nil, false
		}
		if k == 0 {
			places = next
		} else {
			places = followed(places, next, max(s.whole[k].Gap, 1))
		}
	}
	return places, true
}

// blockLexeme is a lexeme in a block, by its number.
type blockLexeme struct {
	block  int64
	lexeme string
}

// readPositions reads those of the phrase's lexemes.
func (s *phraseSearch) readPositions(ctx context.Context, db querier) (map[blockLexeme][]byte, error) {
	var names []string
	for _, l := range s.lexemes {
		names = append(names, positionsOf+l)
	}
	st := statement{postingsColumns + s.search.sh.postings() + " WHERE lexeme = ANY((SELECT $1::text[])::text[])", []any{names}, true}
	rows, err := st.query(ctx, db)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	read := map[blockLexeme][]byte{}
	for rows.Next() {
		raw := rows.RawValues()
		read[blockLexeme{int64(binary.BigEndian.Uint32(raw[1])), string(raw[0][len(positionsOf):])}] = s.space.copy(raw[3])
	}
	return read, rows.Err()
}

// looks is the number of documents that are to be looked at.
func (s *phraseSearch) looks() (n int) {
	for _, b := range s.look {
		n += b.count()
	}
	return n
}

// storesPositions tells that those of a lexeme are stored for a block: not of the few documents that are looked at as fast, nor of
// whole values, which are in no phrase.
func (l accelerationLimits) storesPositions(lexeme string, documents int) bool {
	return documents > l.placed && !isWhole(lexeme)
}
