package store

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/tsquery"
)

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
	var list posting.CodeList
	for i, b := range s.blocks {
		readers := make([]posting.PositionReader, len(s.whole))
		at := make([][]uint16, len(s.whole)) // the documents' places in the lists
		for k, l := range s.whole {
			p := b.Postings[s.places[l.Text]]
			readers[k] = posting.PositionReader{List: p, Data: positions[blockLexeme{b.number, l.Text}]}
			list.TakePlaces(p, s.look[i])
			at[k] = slices.Clone(list.Codes)
			if readers[k].Data == nil {
				readers = nil
				break
			}
		}
		if readers == nil {
			continue
		}
		for j, offset := range slices.Clone(list.Offsets) {
			places, ok := s.follow(readers, at, j)
			if !ok {
				return posting.ErrForm
			}
			switch {
			case len(places) == 0:
			case s.open:
				continue // what follows is not known
			case slices.ContainsFunc(places, func(p posting.Place) bool { return s.fields[p.Field()] }):
				b.Phrases[s.place].Set(int(offset))
			}
			s.look[i].Clear(int(offset))
		}
	}
	return nil
}

// follow returns where the last whole lexeme stands behind all others in the j-th of some documents.
func (s *phraseSearch) follow(readers []posting.PositionReader, at [][]uint16, j int) (places []posting.Place, ok bool) {
	for k := range readers {
		next, ok := readers[k].Read(int(at[k][j]))
		if !ok {
			return nil, false
		}
		if k == 0 {
			places = next
		} else {
			places = posting.Followed(places, next, s.whole[k].Distance())
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
		names = append(names, posting.PositionsOf+l)
	}
	st := sqltext.Statement{SQL: postingsColumns + s.search.sh.Postings() + " WHERE lexeme = ANY((SELECT $1::text[])::text[])", Args: []any{names}, Prepared: true}
	rows, err := queryOn(ctx, db, st)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	read := map[blockLexeme][]byte{}
	for rows.Next() {
		raw := rows.RawValues()
		read[blockLexeme{int64(binary.BigEndian.Uint32(raw[1])), string(raw[0][len(posting.PositionsOf):])}] = s.space.Copy(raw[3])
	}
	return read, rows.Err()
}

// looks is the number of documents that are to be looked at.
func (s *phraseSearch) looks() (n int) {
	for _, b := range s.look {
		n += b.Count()
	}
	return n
}

// storesPositions tells that those of a lexeme are stored for a block: not of the few documents that are looked at as fast, nor of
// whole values, which are in no phrase.
func (l accelerationLimits) storesPositions(lexeme string, documents int) bool {
	return documents > l.placed && !tsquery.IsWhole(lexeme)
}
