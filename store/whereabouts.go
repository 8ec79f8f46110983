package store

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
)

// Where a lexeme stands in each document of a block is stored roughly, in rows of its own that only searches for phrases
// read: of most documents that have all lexemes of a phrase, it tells that they do not follow each other.

// whereaboutsOf and a lexeme stands for the lexeme in these rows. No lexeme begins so.
const whereaboutsOf = "\x03"

// whereabouts has a bit for each remainder of a position by 16, over all fields.
type whereabouts uint16

func (o occurrences) whereabouts() (w whereabouts) {
	for i := range len(o.positions) / 2 {
		w |= 1 << (o.position(i) % 16)
	}
	return w
}

// followed returns where a lexeme may be that stands gap places behind what is at w.
func (w whereabouts) followed(by whereabouts, gap int) whereabouts {
	return whereabouts(bits.RotateLeft16(uint16(w), gap%16)) & by
}

// encodeWhereabouts returns those of a list, in its order, of two bytes each.
func encodeWhereabouts(list []posting) []byte {
	data := make([]byte, 0, 2*len(list))
	for _, p := range list {
		data = binary.LittleEndian.AppendUint16(data, uint16(p.at))
	}
	return data
}

// sift keeps of the documents that are to be looked at those in which the whole lexemes of the phrase may follow each other.
func (s *phraseSearch) sift(ctx context.Context, db querier) error {
	if len(s.whole) < 2 || s.looks() <= s.search.limits.placed {
		return nil
	}
	rows, err := s.readWhereabouts(ctx, db)
	if err != nil {
		return err
	}
	var list codeList
	for i, b := range s.blocks {
		var at []whereabouts // of the documents that are left, in their order
		for k, l := range s.whole {
			p := b.postings[s.places[l.Text]]
			known := len(rows[i][l.Text]) == 2*p.documents
			if p.codes = rows[i][l.Text]; !known {
				p.codes = nil
			}
			list.take(p, s.look[i])
			for j, code := range list.codes {
				here := whereabouts(code)
				if !known {
					here = math.MaxUint16
				}
				if k == 0 {
					at = append(at, here)
				} else {
					at[j] = at[j].followed(here, max(l.Gap, 1))
				}
			}
		}
		for j, offset := range list.offsets {
			if at[j] == 0 {
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
