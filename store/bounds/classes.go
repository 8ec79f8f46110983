package bounds

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/rowansearch/rowan/store/posting"
)

// Classes distinguishes documents whose scores are computed from different numbers. It calls take for each block with any documents of among. The
// keys, by offset, are equal if these numbers are, even across blocks; they are only valid until take returns. Classes stops when take returns false,
// and reports whether it never did.
func (t *Tally) Classes(blocks []*Block, among []posting.Bitmap, take func(block int, keys []uint64) bool) (all bool) {
	t.withNumbers(func() {
		keys := classKeys{seed: maphash.MakeSeed(), of: make([]uint64, t.space.Size)}
		for i, b := range blocks {
			if among[i].Empty() {
				continue
			}
			t.mixAll(b, among[i], keys)
			if all = take(i, keys.of); !all {
				return
			}
		}
		all = true
	})
	return all
}

// classKeys are the keys of the classes of a block's tied documents, by offset: everything that scores are computed from is mixed into them.
type classKeys struct {
	seed maphash.Seed
	of   []uint64
}

func (k classKeys) mix(offset int, more uint64) {
	k.of[offset] = maphash.Comparable(k.seed, [2]uint64{k.of[offset], more})
}

// mixAll computes the keys of a block from lengths, boosts, whether a document has all words, and how often each lexeme occurs in each field.
func (t *Tally) mixAll(b *Block, among posting.Bitmap, keys classKeys) {
	t.saturate(b)
	k := t.numbers.zeros(saturationList)
	allFirst := t.query.Plan.AllFirst()
	among.Each(func(offset int) {
		key := uint64(math.Float32bits(k[offset]))<<32 | uint64(math.Float32bits(b.Measures.Boost(offset)))
		if allFirst && b.Every.Has(offset) {
			key = ^key
		}
		keys.of[offset] = key
	})
	for j, term := range t.query.Terms {
		for g, group := range term.groups {
			of := lexemeTag{byte(j), byte(g)}
			for _, w := range group.lexemes {
				t.mixPatterns(b, among, w, keys, of)
				of = of.next()
			}
			for _, w := range group.prefixes {
				for _, lexeme := range t.query.Begin(w.lexeme) {
					t.mixPatterns(b, among, way{lexeme: lexeme, in: w.in}, keys, of)
					of = of.next()
				}
				t.mixBegun(b, among, w, keys, of)
			}
		}
	}
}

// lexemeTag distinguishes a lexeme from the others of a search: the index of its term, that of its group in the term, and a two-byte number.
type lexemeTag [4]byte

func (of lexemeTag) next() lexemeTag {
	if of[3]++; of[3] == 0 {
		of[2]++
	}
	return of
}

// mixPatterns mixes how often a lexeme occurs in each field, and the lengths of measured titles with it, into the keys of the tied documents that
// have it.
func (t *Tally) mixPatterns(b *Block, among posting.Bitmap, w way, keys classKeys, of lexemeTag) {
	p := b.Postings[t.query.Places[w.lexeme]]
	if p.Documents == 0 {
		return
	}
	hashes := make([]uint64, len(p.Patterns)/max(p.Width(), 1))
	times := make([]byte, len(t.query.Plan.Fields))
	for i := range hashes {
		for j := range t.query.Plan.Fields {
			times[j] = 0
			if column := p.Column(t.query.InPattern[j]); w.in[j] && column >= 0 {
				times[j] = p.Patterns[i*p.Width()+column]
			}
		}
		hashes[i] = maphash.Bytes(keys.seed, append(of[:], times...))
	}
	t.codes.Take(p, among)
	for i, offset := range t.codes.Offsets {
		keys.mix(int(offset), hashes[t.codes.Codes[i]])
	}
	for j, f := range t.query.Plan.Fields {
		column := p.Column(t.query.InPattern[j])
		if !f.Measured || !w.in[j] || column < 0 {
			continue
		}
		title := t.titleIn(b, j, 0)
		for i, offset := range t.codes.Offsets {
			if p.Patterns[int(t.codes.Codes[i])*p.Width()+column] > 0 {
				keys.mix(int(offset), uint64(title.length(int(offset))))
			}
		}
	}
}

// mixBegun mixes the lexemes with a prefix that have no postings, how often each occurs in each field, and the lengths of measured titles with it,
// into the keys of the tied documents that have it.
func (t *Tally) mixBegun(b *Block, among posting.Bitmap, w way, keys classKeys, of lexemeTag) {
	b.EachBegun(t.query.Places, w.lexeme, func(lexeme []byte, offset, field int, times byte) {
		j := slices.Index(t.query.InPattern, field)
		if j < 0 || !w.in[j] || !among.Has(offset) {
			return
		}
		length := 0
		if t.query.Plan.Fields[j].Measured {
			length = t.titleIn(b, j, 0).length(offset)
		}
		keys.mix(offset, maphash.Bytes(keys.seed, append(append(of[:], byte(j), byte(j>>8), times), lexeme...)))
		keys.mix(offset, uint64(length))
	})
}
