package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/posting"
)

// maxTied bounds the documents that the plain statement examines for a page sorted by a field: many may have the same value or begin with the same
// letters. If at most 1/tiedShare of the matches are read, that is still faster than reading all.
const maxTied, tiedShare = 50000, 4

func (t *blockTally) mostTied() int {
	return max(t.search.limits.tied, min(t.total/tiedShare, maxTied))
}

// scoredShare is how many documents the statement sorts in the time that it takes to rank one.
const scoredShare = 8

// fewTied returns the number of documents up to which the statement examines them regardless of their order among themselves.
func (t *blockTally) fewTied() int {
	if len(t.search.plan.Terms) > 0 {
		return t.search.limits.tied / scoredShare
	}
	return t.search.limits.tied
}

// textCandidates returns the matching documents from the cursor's place up to the last text of the page, by the beginnings of the texts; ok is false
// if there are too many, or if blocks lack the beginnings.
func (t *blockTally) textCandidates(ctx context.Context, conn *pgx.Conn) (list []int64, ok bool, err error) {
	by := t.search.sorted
	place, most := t.places[posting.KeysOf+by.Field], t.mostTied()
	for _, b := range t.blocks {
		if !b.Found.Empty() && !posting.TextKeys(b.Postings[place].Codes).Fits(b.size) {
			return nil, false, nil
		}
	}
	each := func(do func(b *block, offset int, key uint64)) {
		for _, b := range t.blocks {
			keys := posting.TextKeys(b.Postings[place].Codes)
			b.Found.Each(func(offset int) { do(b, offset, keys.Of(offset, by.Desc)) })
		}
	}
	from, wanted := uint64(0), t.search.plan.Offset+t.search.plan.Limit
	if by.After != nil {
		from = by.After.Beginning(by.Desc)
	}
	last := smallest{n: wanted, bound: posting.NoKey}
	if from != posting.NoKey {
		if by.After != nil {
			// Only the statement knows which documents that begin like the cursor's place come after it.
			each(func(_ *block, _ int, key uint64) {
				if key == from {
					last.n++
				}
			})
		}
		if last.n > most {
			return nil, false, nil
		}
		each(func(_ *block, _ int, key uint64) {
			if key >= from {
				last.add(key)
			}
		})
		last.settle()
	}
	without := 0
	each(func(b *block, offset int, key uint64) {
		switch {
		case key < from || key > last.bound || len(list) > most:
		case key == posting.NoKey && t.without(b, place, offset): // the empty text comes last in descending order
			without++
		default:
			list = append(list, b.number*int64(b.size)+int64(offset))
		}
	})
	if len(list) > most || without == 0 {
		return list, len(list) <= most, nil
	}
	g := &valueGroup{documents: without, has: func(block, offset int) bool { return t.without(t.blocks[block], place, offset) }}
	if by.After != nil && by.After.Null {
		g.after = t.search.plan.After.Place[1:]
	}
	first, ok, err := t.firstOfGroup(ctx, conn, g, wanted)
	if ok || err != nil {
		return append(list, first...), ok, err
	}
	if len(list)+without > most {
		return nil, false, nil
	}
	return append(list, t.members(g)...), true, nil
}

// without reports whether a document of a block has none of the texts whose keys are at the given index.
func (t *blockTally) without(b *block, place, offset int) bool {
	return posting.TextKeys(b.Postings[place].Codes).Of(offset, false) == posting.NoKey
}

// smallest finds the n-th smallest of the added keys. After settle, bound is that key, or the initial bound if there are fewer keys.
type smallest struct {
	n     int
	bound uint64
	keys  []uint64
}

func (s *smallest) add(key uint64) {
	if key >= s.bound && len(s.keys) >= s.n {
		return
	}
	if s.keys = append(s.keys, key); len(s.keys) >= 2*s.n+1000 {
		s.settle()
	}
}

func (s *smallest) settle() {
	slices.Sort(s.keys)
	if len(s.keys) >= s.n {
		s.keys, s.bound = s.keys[:s.n], s.keys[s.n-1]
	}
}
