package bounds

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/posting"
)

// The documents with the largest bounds are kept, equal bounds in the order of document numbers, and the largest bound of the others is known, in
// whatever order documents are offered. An overflow is not forgotten.
func TestLargestBounds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const size = 128
	for round := range 2000 {
		p := &service.Plan{Match: []service.Match{service.MatchAll, service.MatchAny}[r.IntN(2)], Terms: make([]service.Term, 1)}
		tally := &Tally{query: Query{Plan: p}, keep: 1 + r.IntN(12), threshold: -1, dropped: -1}
		if r.IntN(2) == 0 {
			tally.ceiling = r.Float32() * 20
		}
		var want []bounded
		overflow := false
		for number := range 1 + r.IntN(4) {
			boosts := make([]float32, []int{1, size}[r.IntN(2)])
			b := &Block{First: 2 * int64(number) * size, Found: posting.NewBitmap(size), Every: posting.NewBitmap(size)}
			for i := range boosts {
				boosts[i] = float32(1 + i%3)
				if r.IntN(10*len(boosts)) == 0 {
					boosts[i] = leastBoost / 2
				}
				b.Measures.Boosts = binary.LittleEndian.AppendUint32(b.Measures.Boosts, math.Float32bits(boosts[i]))
			}
			sums := make([]float32, size)
			for offset := range size {
				if r.IntN(3) == 0 {
					continue
				}
				b.Found.Set(offset)
				sums[offset] = float32(r.IntN(20))
				if r.IntN(1000) == 0 {
					sums[offset] = EveryFirst
				}
				boost := boosts[offset%len(boosts)]
				bound := sums[offset] * boost * slack
				overflow = overflow || boost < leastBoost || p.AllFirst() && bound >= EveryFirst/2
				if p.AllFirst() && r.IntN(2) == 0 {
					b.Every.Set(offset)
					bound = math.Nextafter32(bound+EveryFirst, math.MaxFloat32)
				}
				if tally.ceiling == 0 || bound <= tally.ceiling {
					want = append(want, bounded{2*int64(number)*size + int64(offset), bound})
				}
			}
			tally.offerBlock(b, sums, nil)
			if slices.Max(sums) > 0 {
				t.Fatalf("round %d: there are sums left for the next block", round)
			}
		}
		if tally.overflow != overflow {
			t.Fatalf("round %d: a bound does not fit: %t, want %t", round, tally.overflow, overflow)
		}
		tally.sortRanked()
		tally.drop()
		slices.SortFunc(want, func(a, b bounded) int { return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.seq, b.seq)) })
		n := min(r.IntN(tally.keep+1), len(want))
		least := float32(-1)
		if n < len(want) {
			least = want[n].bound
		}
		list, next := tally.first(n)
		if next != least || !slices.EqualFunc(list, want[:n], func(seq int64, of bounded) bool { return seq == of.seq }) {
			t.Fatalf("round %d: %v, others up to %v; want %v, others up to %v", round, list, next, want[:n], least)
		}
	}
}

// Bounds give the range of scores that differ only in the last digits, and vice versa: no score is below the smallest possible one, no bound above
// the largest possible one, and neither is further away than these digits. The bound of a document with all words, in a search for any, is rounded
// up.
func TestLastDigits(t *testing.T) {
	t.Parallel()
	const off = slack - 1 // the relative error of a computed score
	for name, test := range map[string]struct {
		match service.Match
		every bool
	}{"all": {service.MatchAll, false}, "any, some": {service.MatchAny, false}, "any, all": {service.MatchAny, true}} {
		tally := &Tally{query: Query{Plan: &service.Plan{Match: test.match, Terms: make([]service.Term, 1)}}}
		for score := 1e-4; score < 5000; score *= 1.0137 {
			for _, wrong := range []float64{1 - off, 1, 1 + off} {
				bound, placed := float32(score*wrong)*slack, score
				near := 5*off*score + 1e-7
				if test.every {
					bound, placed = math.Nextafter32(bound+EveryFirst, math.MaxFloat32), score+EveryFirst
					near += 0.01 // single-precision numbers are 0.002 apart there
				}
				if least := float64(tally.LessThanScore(bound)); least > placed || least < placed-near {
					t.Errorf("%s: the score %v has the bound %v, and is at least %v", name, placed, bound, least)
				}
				if most := float64(tally.moreThanBound(float32(placed))); most < float64(bound) || most > placed+near {
					t.Errorf("%s: the score %v has the bound %v, which is at most %v", name, placed, bound, most)
				}
			}
		}
	}
}
