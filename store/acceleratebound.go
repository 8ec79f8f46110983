package store

import (
	"math"
	"math/bits"

	"github.com/rowansearch/rowan/service"
)

// bound adds up the most that each term adds to the scores of the found documents, and offers those with the largest sums.
func (t *blockTally) bound() {
	t.ranked, t.threshold, t.dropped = t.ranked[:0], -1, -1
	t.sums = t.space.zeros(sumsList)
	for _, b := range t.blocks {
		if !b.found.empty() {
			t.boundBlock(b)
		}
	}
}

// The lists of a number for each document of a block that bounds are made in.
const (
	sumsList = iota
	plainList
	oddsList
	bestList
	leastList
	oneList
)

func (t *blockTally) boundBlock(b *block) {
	for _, term := range t.search.terms {
		switch {
		case term.prefix > 0 || len(term.ways) > 1:
			t.boundSeveral(b, term)
		case len(term.ways) == 1:
			t.addWay(b, term.ways[0], levelSums{sums: t.sums, of: term.adds(term.ways[0])})
		}
	}
	first := b.number * int64(b.size)
	for i, w := range b.found {
		for ; w != 0; w &= w - 1 {
			offset := 64*i + bits.TrailingZeros64(w)
			bound := t.sums[offset]
			t.sums[offset] = 0 // for the next block: nothing is added for documents that are not found
			if b.every != nil {
				t.overflow = t.overflow || bound >= everyFirst/2
				if b.every.has(offset) {
					// Rounded up: a float32 of this size has no place for the last digits.
					bound = math.Nextafter32(bound+everyFirst, math.MaxFloat32)
				}
			}
			if bound > t.threshold {
				t.offer(first+int64(offset), bound)
			} else {
				t.dropped = max(t.dropped, bound)
			}
		}
	}
}

// adds is what a way to find a term adds to a score at the most, by its impact.
func (term acceleratedTerm) adds(w termWay) func(impact float32) float32 {
	weight := float32(w.factor * term.weight)
	return func(impact float32) float32 { return weight * impact }
}

// boundSeveral bounds what a term adds that is found in several ways: by what all of them add together, and, because
// frequencies are added up before they are saturated and only one factor counts, by
//
//	boost × ( the largest of factor × X / (1 + X) + title bonus × the largest factor )
//
// where X is the sum of tf / k over the ways of this factor and larger ones. An impact of i, of which some may be a title
// bonus, is of a tf / k of i / (boost - i) at the most. The boost is the block's largest: with a smaller one frequencies are
// nearer to saturation, and less is added. A document that has many of the ways has far less than their sum.
func (t *blockTally) boundSeveral(b *block, term acceleratedTerm) {
	plain, odds, best := t.space.zeros(plainList), t.space.zeros(oddsList), t.space.zeros(bestList)
	closer := len(term.ways) > 1 && b.boost > 0
	share := float32(term.grown) / b.boost
	for i, w := range term.ways {
		to := levelSums{sums: plain, of: term.adds(w)}
		if closer {
			more := float32(1)
			if w.factor < 1 {
				more = togetherSlack
			}
			to.others, to.ofOthers = odds, func(impact float32) float32 { return more * oddsOf(impact*share) }
		}
		t.addWay(b, w, to)
		if closer && i < len(term.ways)-1 && term.ways[i+1].factor < w.factor {
			factor := float32(w.factor)
			b.found.each(func(offset int) { best[offset] = max(best[offset], saturatedShare(factor, odds[offset])) })
		}
	}
	var least, bonus, scale float32
	if closer {
		least = float32(term.ways[len(term.ways)-1].factor)
		bonus, scale = float32(service.TitleBonus*term.ways[0].factor), float32(term.rarity*impactSlack)*b.boost
	}
	for i, w := range b.found {
		for ; w != 0; w &= w - 1 {
			offset := 64*i + bits.TrailingZeros64(w)
			bound := plain[offset]
			if closer {
				bound = min(bound, scale*(max(best[offset], saturatedShare(least, odds[offset]))+bonus))
				odds[offset], best[offset] = 0, 0
			}
			if term.prefix > 0 {
				bound = float32(prefixBound(float64(bound), term.prefix, term.weight*float64(b.boost)))
			}
			t.sums[offset] += bound
			plain[offset] = 0
		}
	}
}

// togetherSlack is how much more one occurrence counts where several lexemes are counted together (frequencyOfSeveral) than
// by itself (frequencyOf): 1 rather than 0.9426.
const togetherSlack = 1.061

// saturatedShare is what a factor gives for a sum of tf / k.
func saturatedShare(factor, odds float32) float32 { return factor * odds / (1 + odds) }

// oddsOf is x where x / (1 + x) is a share; for one that is too close to all, it is so much that this is as close.
func oddsOf(share float32) float32 {
	const most = 1 << 12
	if share >= 1-1.0/most {
		return most
	}
	return share / (1 - share)
}

// addWay adds the impacts of a way to find a term to the sums of the found documents that have it.
func (t *blockTally) addWay(b *block, w termWay, to levelSums) {
	if w.lexeme == "" {
		t.addPhrase(b, w.phrase, to)
	} else if p := b.postings[t.places[w.lexeme]]; p.documents > 0 {
		p.addLevels(b.found, to)
	}
}

// addPhrase is addWay for a phrase, whose impact is that of the lexeme of it which adds least.
func (t *blockTally) addPhrase(b *block, place int, to levelSums) {
	has := t.space.clone(b.phrases[place])
	has.and(b.found)
	if has.empty() {
		return
	}
	least, one := t.space.zeros(leastList), t.space.zeros(oneList)
	itself := func(impact float32) float32 { return impact }
	for i, l := range t.search.phrases[place].lexemes {
		p := b.postings[t.places[l]]
		if i == 0 {
			p.addLevels(has, levelSums{sums: least, of: itself})
			continue
		}
		p.addLevels(has, levelSums{sums: one, of: itself})
		has.each(func(offset int) {
			least[offset] = min(least[offset], one[offset])
			one[offset] = 0
		})
	}
	has.each(func(offset int) {
		to.add(offset, least[offset])
		least[offset] = 0
	})
}
