package store

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Where a lexeme stands in each document of a block is stored, if roughly, in rows of its own that only searches for phrases
// read: of most documents that have all lexemes of a phrase, it tells whether they follow each other.

// whereaboutsOf and a lexeme stands for the lexeme in these rows. No lexeme begins so.
const whereaboutsOf = "\x03"

// whereabouts of a lexeme in a document are the position that it has, if it is there once, as its pattern says. Else they
// have a bit for each remainder of its positions by 16, over all fields.
type whereabouts uint16

// remainders are those of the positions in a field.
func (o occurrences) remainders() (w whereabouts) {
	for i := range len(o.positions) / 2 {
		w |= 1 << (o.position(i) % 16)
	}
	return w
}

// first is the first of the positions, 0 where the vector has none.
func (o occurrences) first() whereabouts {
	if len(o.positions) == 0 {
		return 0
	}
	return whereabouts(o.position(0))
}

// place is where a lexeme of a phrase may stand in a document: at the one position of a field, if it is there once, which is one of
// the remainders, too; or else at positions with one of these.
type place struct {
	once       bool
	field      int // among the searched ones
	position   int
	remainders whereabouts
}

// followed returns where a lexeme stands that is at next, gap places behind what is at p; ok is false where it cannot be.
func (p place) followed(next place, gap int) (_ place, ok bool) {
	if p.once && next.once {
		return next, p.field == next.field && p.position+gap == next.position
	}
	next.once, next.remainders = false, whereabouts(bits.RotateLeft16(uint16(p.remainders), gap%16))&next.remainders
	return next, next.remainders != 0
}

// placeList are the places of a lexeme in some documents of a block.
type placeList struct {
	list   codeList
	ofCode []place // by the code of a pattern
	places []place
}

// take takes those of the documents in among, which all have the lexeme, from its postings and what is stored of its
// whereabouts, if anything is.
func (l *placeList) take(p postings, stored []byte, among bitmap) {
	l.ofCode, l.places = l.ofCode[:0], l.places[:0]
	for pattern := range slices.Chunk(p.patterns, max(1, p.width())) {
		times, column := 0, 0
		for i, n := range pattern {
			if n > 0 {
				times, column = times+int(n), i
			}
		}
		l.ofCode = append(l.ofCode, place{once: times == 1, field: int(binary.LittleEndian.Uint16(p.fields[2*column:]))})
	}
	l.list.take(p, among)
	if len(stored) != 2*p.documents {
		for range l.list.offsets {
			l.places = append(l.places, place{remainders: math.MaxUint16})
		}
		return
	}
	for _, code := range l.list.codes {
		l.places = append(l.places, l.ofCode[code])
	}
	p.codes = stored
	l.list.take(p, among)
	for i, code := range l.list.codes {
		at := &l.places[i]
		switch {
		case !at.once:
			at.remainders = whereabouts(code)
		case code == 0:
			at.once = false // a vector without positions
		default:
			at.position, at.remainders = int(code), 1<<(code%16)
		}
	}
}

// encodeWhereabouts returns those of a list, in its order, of two bytes each.
func encodeWhereabouts(list []posting) []byte {
	data := make([]byte, 0, 2*len(list))
	for _, p := range list {
		data = binary.LittleEndian.AppendUint16(data, uint16(p.at))
	}
	return data
}

// sift finds out what the whereabouts of the lexemes tell of the documents that may have the phrase: the others are left to be
// looked at.
func (s *phraseSearch) sift(ctx context.Context, db querier) error {
	if len(s.whole) < 2 || s.looks() <= s.search.limits.placed {
		return nil
	}
	rows, err := s.readWhereabouts(ctx, db)
	if err != nil {
		return err
	}
	var next placeList
	for i, b := range s.blocks {
		var at []place
		var apart []bool
		for k, l := range s.whole {
			next.take(b.postings[s.places[l.Text]], rows[i][l.Text], s.look[i])
			if k == 0 {
				at, apart = slices.Clone(next.places), make([]bool, len(next.places))
				continue
			}
			for j := range at {
				var ok bool
				at[j], ok = at[j].followed(next.places[j], max(l.Gap, 1))
				apart[j] = apart[j] || !ok
			}
		}
		for j, offset := range next.list.offsets {
			settled := at[j].once && !s.open
			if !apart[j] && settled && s.fields[at[j].field] {
				b.phrases[s.place].set(int(offset))
			}
			if apart[j] || settled {
				s.look[i].clear(int(offset))
			}
		}
	}
	return nil
}

// readWhereabouts reads those of the phrase's lexemes, by block and lexeme.
func (s *phraseSearch) readWhereabouts(ctx context.Context, db querier) ([]map[string][]byte, error) {
	read := make([]map[string][]byte, len(s.blocks))
	var names []string
	for _, l := range s.lexemes {
		names = append(names, whereaboutsOf+l)
	}
	st := statement{postingsColumns + s.search.sh.postings() + " WHERE lexeme = ANY((SELECT $1::text[])::text[])", []any{names}, true}
	rows, err := st.query(ctx, db)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		raw := rows.RawValues()
		number := int64(binary.BigEndian.Uint32(raw[1]))
		for i, b := range s.blocks {
			if b.number == number && !s.look[i].empty() {
				if read[i] == nil {
					read[i] = map[string][]byte{}
				}
				read[i][string(raw[0][len(whereaboutsOf):])] = s.space.copy(raw[3])
			}
		}
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

// storesWhereabouts tells that the whereabouts of a lexeme are stored for a block: not of the few documents that are looked at as fast, nor of
// whole values, which are in no phrase.
func (l accelerationLimits) storesWhereabouts(lexeme string, list []posting) bool {
	if len(list) <= l.placed || isWhole(lexeme) {
		return false
	}
	for _, p := range list {
		if p.at != 0 {
			return true
		}
	}
	return false
}
