package bounds

import (
	"encoding/binary"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
)

// titleLengths has the lengths of a field in the documents of a block: two bytes each, by offset. words is the field's service.TitleWords; longer is
// the number of lexemes added to each length.
type titleLengths struct {
	lengths       []byte
	words, longer int
	// most is the field's service.TitleLexemes. The query names titles of up to that length that are in named; if that is nil, all that have a lexeme of
	// the query.
	most  int
	named posting.Bitmap
}

// length returns the length of a document's field in lexemes.
func (l titleLengths) length(offset int) int {
	if 2*offset+2 > len(l.lengths) {
		return 0 // the block's last document with the field is before it
	}
	return int(binary.LittleEndian.Uint16(l.lengths[2*offset:]))
}

// share returns the service.TitleShare of a document that has a lexeme of the query in the title.
func (l titleLengths) share(offset int) float32 {
	length := l.length(offset)
	named := l.most > 0 && length <= l.most && (l.named == nil || l.named.Has(offset))
	return float32(service.TitleShare(l.words, length+l.longer, named))
}

// lengthsIn returns the lengths of a field, given by its index in the plan, in a block.
func (t *Tally) lengthsIn(b *Block, field int) []byte {
	return b.Postings[t.query.Places[posting.LengthsOf+t.query.Plan.Fields[field].Name]].Codes
}

// titleIn returns the lengths of a measured title, given by its index in the plan, in a block, each to be increased by longer. For other fields,
// shares are 1.
func (t *Tally) titleIn(b *Block, field, longer int) titleLengths {
	if !t.query.Plan.Fields[field].Measured {
		return titleLengths{}
	}
	of := titleLengths{lengths: t.lengthsIn(b, field), words: t.titleWords[field], longer: longer, most: t.naming[field].most}
	if t.naming[field].looked {
		of.named = t.naming[field].named
	}
	return of
}

// inverseK has 1 / searchsql.TitleK by length.
var inverseK = func() (list [searchsql.LongestTitle + 1]float32) {
	for lexemes := range list {
		list[lexemes] = float32(1 / searchsql.TitleK(lexemes))
	}
	return list
}()

// inverseK returns 1 / searchsql.TitleK of a document's title.
func (l titleLengths) inverseK(offset int) float32 {
	return inverseK[min(l.length(offset)+l.longer, searchsql.LongestTitle)]
}

// titleRanks has the ranks of the current lexeme in a measured title, and its frequencies there times the weight of the field, by pattern.
type titleRanks struct {
	titleLengths
	ranks, frequencies []float32
}

// title adds a measured title, given by its index in the plan, to those that have the current lexeme, and returns its ranks and frequencies, all 0,
// for the given number of patterns.
func (t *Tally) title(b *Block, field, longer, patterns int) (ranks, frequencies []float32) {
	i := len(t.titles)
	if i < cap(t.titles) {
		t.titles = t.titles[:i+1]
	} else {
		t.titles = append(t.titles, titleRanks{})
	}
	of := &t.titles[i]
	of.titleLengths = t.titleIn(b, field, longer)
	of.ranks, of.frequencies = append(of.ranks[:0], make([]float32, patterns)...), append(of.frequencies[:0], make([]float32, patterns)...)
	return of.ranks, of.frequencies
}

// frequency returns how often the current lexeme occurs in a document, by its pattern there, weighted by field and divided by K, which is k for all
// fields but measured titles.
func (t *Tally) frequency(code uint16, offset int, k float32) float32 {
	x := t.frequencies[code] / k
	for i := range t.titles {
		if tf := t.titles[i].frequencies[code]; tf > 0 {
			x += tf * t.titles[i].inverseK(offset)
		}
	}
	return x
}

// bonus returns the best rank of the current lexeme in a title, by its pattern in a document, times the title's share.
func (t *Tally) bonus(code uint16, offset int) float32 {
	bonus := t.bonuses[code]
	for i := range t.titles {
		if rank := t.titles[i].ranks[code]; rank > 0 {
			bonus = max(bonus, rank*t.titles[i].share(offset))
		}
	}
	return bonus
}
