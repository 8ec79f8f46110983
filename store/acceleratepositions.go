package store

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/tsquery"
)

// sift decides from the positions of the lexemes which documents have the phrase. Those that it cannot decide remain to be examined.
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
		at := make([][]uint16, len(s.whole)) // indices of the documents in the lists
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
				continue // the word that follows is not known
			case slices.ContainsFunc(places, func(p posting.Place) bool { return s.fields[p.Field()] }):
				b.Phrases[s.place].Set(int(offset))
			}
			s.look[i].Clear(int(offset))
		}
	}
	return nil
}

// follow returns the places in the j-th document where the last whole lexeme follows all others.
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

// readPositions reads the positions of the phrase's lexemes in all blocks that store them.
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

// looks returns the number of documents to examine.
func (s *phraseSearch) looks() (n int) {
	for _, b := range s.look {
		n += b.Count()
	}
	return n
}

// storesPositions reports whether the positions of a lexeme are stored in a block: not for few documents, which are examined as fast, and not for
// whole values, which are in no phrase.
func (l accelerationLimits) storesPositions(lexeme string, documents int) bool {
	return documents > l.placed && !tsquery.IsWhole(lexeme)
}
