package bounds

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
)

// bound computes the bounds of the found documents of the blocks, and offers those with the largest.
func (t *Tally) bound(blocks []*Block) {
	t.ranked, t.threshold, t.dropped = t.ranked[:0], -1, -1
	t.addUp(blocks, nil)
}

// addUp computes the bounds of the found documents of the blocks; if members, by block, is not nil, it only collects documents in these.
func (t *Tally) addUp(blocks []*Block, members []posting.Bitmap) {
	t.withNumbers(func() {
		sums := t.numbers.zeros(sumsList)
		for i, b := range blocks {
			if b.Found.Empty() {
				continue
			}
			t.saturate(b)
			t.nameTitles(b)
			for _, term := range t.query.Terms {
				t.addTerm(b, term, sums)
			}
			var of posting.Bitmap
			if members != nil {
				of = members[i]
			}
			t.offerBlock(b, sums, of)
		}
	})
}

// leastBoost is the smallest boost for which single precision has enough digits for bounds.
const leastBoost = 1e-30

// offerBlock offers the found documents of a block with their bounds, or collects them in members if that is not nil. It resets the sums to 0 for the
// next block: only found documents have any.
func (t *Tally) offerBlock(b *Block, sums []float32, members posting.Bitmap) {
	boost, same := b.Measures.SameBoost()
	allFirst := t.query.Plan.AllFirst()
	t.overflow = t.overflow || same && boost < leastBoost
	// For frequent words, the bounds of nearly all documents are too small.
	small, dropped := t.threshold, float32(-1)
	if members != nil {
		small = -1
	}
	for i, w := range b.Found {
		for ; w != 0; w &= w - 1 {
			offset := 64*i + bits.TrailingZeros64(w)
			if !same {
				boost = b.Measures.Boost(offset)
				t.overflow = t.overflow || boost < leastBoost
			}
			bound := sums[offset] * boost * slack
			sums[offset] = 0
			if allFirst {
				t.overflow = t.overflow || bound >= EveryFirst/2
				if b.Every.Has(offset) {
					// Rounded up: a float32 of this size cannot hold the last digits.
					bound = math.Nextafter32(bound+EveryFirst, math.MaxFloat32)
				}
			}
			switch {
			case bound <= small:
				if bound > dropped {
					dropped = bound
				}
			case t.ceiling > 0 && bound > t.ceiling:
			case members != nil:
				t.collect(members, offset, bound)
			default:
				t.offer(b.First+int64(offset), bound)
				small = t.threshold
			}
		}
	}
	t.dropped = max(t.dropped, dropped)
}

// addTerm adds the contribution of a term to the scores of the found documents of a block, for a boost of 1.
func (t *Tally) addTerm(b *Block, term Term, sums []float32) {
	weight, k := float32(term.weight), t.numbers.zeros(saturationList)
	if len(term.groups) == 1 && term.groups[0].single() {
		g := term.groups[0]
		t.takeLexeme(b, g)
		for i, offset := range t.codes.Offsets {
			code := t.codes.Codes[i]
			x := t.frequency(code, int(offset), k[offset]+g.k)
			sums[offset] += weight * g.factor * (x/(x+1) + service.TitleBonus*t.bonus(code, int(offset)))
		}
		return
	}
	best, bonuses := t.numbers.zeros(bestList), t.numbers.zeros(bonusList)
	for _, g := range term.groups {
		if !g.single() {
			t.addGroup(b, g, best, bonuses)
			continue
		}
		t.takeLexeme(b, g)
		for i, offset := range t.codes.Offsets {
			code := t.codes.Codes[i]
			x := t.frequency(code, int(offset), k[offset]+g.k)
			best[offset] = max(best[offset], g.factor*x/(x+1))
			bonuses[offset] = max(bonuses[offset], g.factor*t.bonus(code, int(offset)))
		}
	}
	b.Found.Each(func(offset int) {
		adds := best[offset] + service.TitleBonus*bonuses[offset]
		best[offset], bonuses[offset] = 0, 0
		sums[offset] += weight * adds
	})
}

// saturate computes K of the found documents of a block, by which frequencies in all fields but measured titles are divided, from their lengths in the
// searched fields.
func (t *Tally) saturate(b *Block) {
	lengths := [][]byte{b.Measures.Lengths}
	if !t.query.Plan.All {
		lengths = lengths[:0]
		for j := range t.query.Plan.Fields {
			if one := t.lengthsIn(b, j); len(one) > 0 {
				lengths = append(lengths, one)
			}
		}
	}
	perWord := float32(t.query.Ranking.PerLexeme())
	k := t.numbers.zeros(saturationList)
	longest := uint16(0)
	if len(lengths) == 1 {
		l := lengths[0]
		for i, w := range b.Found {
			for ; w != 0; w &= w - 1 {
				offset := 64*i + bits.TrailingZeros64(w)
				one := binary.LittleEndian.Uint16(l[2*offset:])
				longest = max(longest, one)
				k[offset] = searchsql.SaturationBase + perWord*float32(one)
			}
		}
	} else {
		b.Found.Each(func(offset int) {
			length := 0
			for _, l := range lengths {
				one := binary.LittleEndian.Uint16(l[2*offset:])
				longest = max(longest, one)
				length += int(one)
			}
			k[offset] = searchsql.SaturationBase + perWord*float32(length)
		})
	}
	t.inexact = t.inexact || longest == math.MaxUint16 // or longer
}

// takeLexeme takes the found documents that have the only lexeme of a group, and computes the weighted frequency and the best rank in a title for
// each of its patterns.
func (t *Tally) takeLexeme(b *Block, g group) {
	w := g.lexemes[0]
	p := b.Postings[t.query.Places[w.lexeme]]
	n := len(p.Patterns) / max(p.Width(), 1)
	t.titles = t.titles[:0]
	t.frequencies, t.bonuses = append(t.frequencies[:0], make([]float32, n)...), append(t.bonuses[:0], make([]float32, n)...)
	for j, f := range t.query.Plan.Fields {
		column := p.Column(t.query.InPattern[j])
		if !w.in[j] || column < 0 {
			continue
		}
		bonuses, frequencies := t.bonuses, t.frequencies
		if f.Measured {
			bonuses, frequencies = t.title(b, j, g.longer, n)
		}
		for i := range n {
			times := p.Patterns[i*p.Width()+column]
			if times == 0 {
				continue
			}
			t.inexact = t.inexact || times >= posting.AboutTimes
			frequencies[i] += float32(f.Weight) * frequencyOfSum(rankOfTimes[times], g.several[j])
			if f.Title {
				bonuses[i] = max(bonuses[i], min(rankOfTimes[times], 1))
			}
		}
	}
	t.codes.Take(p, b.Found)
}

// fieldRanks has the ranks of a group in a field: those of its lexemes and those of its phrases, nil if it has none there.
type fieldRanks struct {
	weight           float32
	title, several   bool
	measured         bool // a title with lengths
	lengths          titleLengths
	lexemes, phrases []float32
}

// addGroup raises a term's contribution to each found document to that of a group with several lexemes or with phrases. In each field, the ranks of
// words that are only similar to the query's are added up; otherwise the largest one counts. See alternatives of searchsql/rank.go.
func (t *Tally) addGroup(b *Block, g group, best, bonuses []float32) {
	lists := t.ranksOfGroup(b, g)
	if len(lists) == 0 {
		return
	}
	k := t.numbers.zeros(saturationList)
	b.Found.Each(func(offset int) {
		tf, titles, bonus := float32(0), float32(0), float32(0)
		for i := range lists {
			l := &lists[i]
			rank, frequency := float32(0), float32(0)
			if l.lexemes != nil && l.lexemes[offset] > 0 {
				rank, frequency = min(l.lexemes[offset], 1), frequencyOfSum(l.lexemes[offset], l.several)
				if g.rough { // one word often means more than several together
					frequency = max(frequency, frequencyOfSum(rank, l.several))
				}
				l.lexemes[offset] = 0
			}
			if l.phrases != nil && l.phrases[offset] > 0 {
				rank, frequency = max(rank, min(l.phrases[offset], 1)), max(frequency, frequencyOfSum(l.phrases[offset], false))
				l.phrases[offset] = 0
			}
			switch {
			case frequency == 0:
			case l.measured:
				titles += l.weight * frequency * l.lengths.inverseK(offset)
			default:
				tf += l.weight * frequency
			}
			if l.title {
				bonus = max(bonus, rank*l.lengths.share(offset))
			}
		}
		if x := tf/(k[offset]+g.k) + titles; x > 0 {
			best[offset], bonuses[offset] = max(best[offset], g.factor*x/(x+1)), max(bonuses[offset], g.factor*bonus)
		}
	})
}

// ranksOfGroup computes the ranks of a group in the fields that have any of it.
func (t *Tally) ranksOfGroup(b *Block, g group) (lists []fieldRanks) {
	taken := ranksList
	take := func() []float32 {
		taken++
		return t.numbers.zeros(taken - 1)
	}
	for j, f := range t.query.Plan.Fields {
		l := fieldRanks{weight: float32(f.Weight), title: f.Title, several: g.several[j], measured: f.Measured, lengths: t.titleIn(b, j, g.longer)}
		for _, w := range g.lexemes {
			if p := b.Postings[t.query.Places[w.lexeme]]; l.lexemes == nil && w.in[j] && p.Column(t.query.InPattern[j]) >= 0 {
				l.lexemes = take()
			}
		}
		for _, w := range g.prefixes {
			if l.lexemes == nil && w.in[j] && t.mayBegin(b, w, j) {
				l.lexemes = take()
			}
		}
		for _, w := range g.phrases {
			if l.phrases == nil && w.in[j] && t.mayStand(b, w, j) {
				l.phrases = take()
			}
		}
		lists = append(lists, l)
	}
	for _, w := range g.lexemes {
		t.addLexeme(b, w.lexeme, w.in, lists)
	}
	for _, w := range g.prefixes {
		for _, lexeme := range t.query.Begin(w.lexeme) {
			t.addLexeme(b, lexeme, w.in, lists)
		}
		b.EachBegun(t.query.Places, w.lexeme, func(_ []byte, offset, field int, times byte) {
			if j := slices.Index(t.query.InPattern, field); j >= 0 && w.in[j] && b.Found.Has(offset) {
				t.inexact = t.inexact || times >= posting.AboutTimes
				lists[j].lexemes[offset] += rankOfTimes[times]
			}
		})
	}
	for _, w := range g.phrases {
		t.addPhrase(b, w, lists)
	}
	return slices.DeleteFunc(lists, func(l fieldRanks) bool { return l.lexemes == nil && l.phrases == nil })
}

// mayStand reports whether each lexeme of a phrase occurs in a field of some document of a block.
func (t *Tally) mayStand(b *Block, w way, field int) bool {
	return !slices.ContainsFunc(t.query.Phrases[w.phrase], func(l string) bool {
		return b.Postings[t.query.Places[l]].Column(t.query.InPattern[field]) < 0
	})
}

// mayBegin reports whether a lexeme with the prefix occurs in a field of some document of a block.
func (t *Tally) mayBegin(b *Block, w way, field int) bool {
	of := t.query.InPattern[field]
	if slices.ContainsFunc(t.query.Begin(w.lexeme), func(l string) bool { return b.Postings[t.query.Places[l]].Column(of) >= 0 }) {
		return true
	}
	in := false
	b.EachBegun(t.query.Places, w.lexeme, func(_ []byte, _, f int, _ byte) { in = in || f == of })
	return in
}

// addLexeme adds the ranks of a lexeme in the fields in which it counts.
func (t *Tally) addLexeme(b *Block, lexeme string, in []bool, lists []fieldRanks) {
	p := b.Postings[t.query.Places[lexeme]]
	if p.Documents == 0 {
		return
	}
	t.codes.Take(p, b.Found)
	for j, l := range lists {
		if column := p.Column(t.query.InPattern[j]); l.lexemes != nil && in[j] && column >= 0 {
			t.addRanks(p, column, l.lexemes, l.several)
		}
	}
}

// addRanks adds the ranks in a field, given by its column, to those of the taken documents, or raises those to them unless several.
func (t *Tally) addRanks(p posting.List, column int, ranks []float32, several bool) {
	t.frequencies = t.frequencies[:0]
	for i := column; i < len(p.Patterns); i += p.Width() {
		t.inexact = t.inexact || p.Patterns[i] >= posting.AboutTimes
		t.frequencies = append(t.frequencies, rankOfTimes[p.Patterns[i]])
	}
	if several {
		for i, offset := range t.codes.Offsets {
			ranks[offset] += t.frequencies[t.codes.Codes[i]]
		}
		return
	}
	for i, offset := range t.codes.Offsets {
		ranks[offset] = max(ranks[offset], t.frequencies[t.codes.Codes[i]])
	}
}

// addPhrase raises the ranks of the documents that have a phrase, in each field, to that of the phrase's rarest lexeme there.
func (t *Tally) addPhrase(b *Block, w way, lists []fieldRanks) {
	defer t.space.GiveBack(t.space.Given())
	has := t.space.Clone(b.Phrases[w.phrase])
	has.And(b.Found)
	if has.Empty() {
		return
	}
	least := t.numbers.zeros(leastList)
	for j, l := range lists {
		if !w.in[j] || !t.mayStand(b, w, j) {
			continue
		}
		has.Each(func(offset int) { least[offset] = math.MaxFloat32 })
		for _, lexeme := range t.query.Phrases[w.phrase] {
			p := b.Postings[t.query.Places[lexeme]]
			column := p.Column(t.query.InPattern[j])
			t.codes.Take(p, has)
			for i, offset := range t.codes.Offsets {
				least[offset] = min(least[offset], rankOfTimes[p.Patterns[int(t.codes.Codes[i])*p.Width()+column]])
			}
		}
		has.Each(func(offset int) {
			l.phrases[offset] = max(l.phrases[offset], least[offset])
			least[offset] = 0
		})
	}
}
