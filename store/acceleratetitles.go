package store

import (
	"encoding/binary"

	"github.com/rowansearch/rowan/service"
)

// measuredTitle is a measured title of the documents of a block.
type measuredTitle struct {
	// lengths are by offset, of two bytes each.
	lengths []byte
	// words is service.TitleWords, shares service.TitleShare of short ones: a table is sooner than a division for each document.
	words  int
	shares []float32
}

// length is that of a document, in lexemes.
func (m measuredTitle) length(offset int) int {
	if 2*offset+2 > len(m.lengths) {
		return 0 // it is behind the last that has the field
	}
	return int(binary.LittleEndian.Uint16(m.lengths[2*offset:]))
}

// share is service.TitleShare of a document.
func (m measuredTitle) share(offset int) float32 {
	length := m.length(offset)
	if length < len(m.shares) {
		return m.shares[length]
	}
	return float32(service.TitleShare(m.words, length))
}

// titleShares are the shares of short titles for the plan's fields.
func titleShares(p *service.Plan) (words []int, shares [][]float32) {
	const short = 64
	words, shares = make([]int, len(p.Fields)), make([][]float32, len(p.Fields))
	for j, f := range p.Fields {
		if f.Measured {
			words[j], shares[j] = p.TitleWords(f), make([]float32, short)
			for length := range shares[j] {
				shares[j][length] = float32(service.TitleShare(words[j], length))
			}
		}
	}
	return words, shares
}

// titleOf is a measured title of a block, by its place among the plan's fields.
func (t *blockTally) titleOf(b *block, field int) measuredTitle {
	if t.shares == nil {
		t.words, t.shares = titleShares(t.search.plan)
	}
	return measuredTitle{b.postings[t.places[lengthsOf+t.search.plan.Fields[field].Name]].codes, t.words[field], t.shares[field]}
}

// titlesOf are all measured titles of a block.
func (t *blockTally) titlesOf(b *block) (list []measuredTitle) {
	for j, f := range t.search.plan.Fields {
		if f.Measured {
			list = append(list, t.titleOf(b, j))
		}
	}
	return list
}

// titleRanks are the ranks of the lexeme at hand in a measured title, by pattern.
type titleRanks struct {
	measuredTitle
	ranks []float32
}

// title adds a measured title, by its place among the plan's fields, to those that have the lexeme at hand, and returns its
// ranks, all 0, for so many patterns.
func (t *blockTally) title(b *block, field, patterns int) []float32 {
	i := len(t.titles)
	if i < cap(t.titles) {
		t.titles = t.titles[:i+1]
	} else {
		t.titles = append(t.titles, titleRanks{})
	}
	of := &t.titles[i]
	of.measuredTitle, of.ranks = t.titleOf(b, field), append(of.ranks[:0], make([]float32, patterns)...)
	return of.ranks
}

// bonus is the best rank of the lexeme at hand in a title, by its pattern in a document, times the title's share.
func (t *blockTally) bonus(code uint16, offset int) float32 {
	bonus := t.bonuses[code]
	for i := range t.titles {
		if rank := t.titles[i].ranks[code]; rank > 0 {
			bonus = max(bonus, rank*t.titles[i].share(offset))
		}
	}
	return bonus
}
