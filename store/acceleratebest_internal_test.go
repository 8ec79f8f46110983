package store

import (
	"math"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// What only the last digits tell apart is told from bounds, in both directions: no score is below what it may be at the least, no
// bound above what it may be at the most, and neither is further away than these digits. A document that has all words, where any will do, has its bound
// rounded to a larger number.
func TestLastDigits(t *testing.T) {
	t.Parallel()
	const off = boundSlack - 1 // what a score may be computed wrongly by
	for name, test := range map[string]struct {
		match service.Match
		every bool
	}{"all": {service.MatchAll, false}, "any, some": {service.MatchAny, false}, "any, all": {service.MatchAny, true}} {
		tally := &blockTally{search: &accelerated{plan: &service.Plan{Match: test.match, Terms: make([]service.Term, 1)}}}
		for score := 1e-4; score < 5000; score *= 1.0137 {
			for _, wrong := range []float64{1 - off, 1, 1 + off} {
				bound, placed := float32(score*wrong)*boundSlack, score
				near := 5*off*score + 1e-7
				if test.every {
					bound, placed = math.Nextafter32(bound+everyFirst, math.MaxFloat32), score+everyFirst
					near += 0.01 // numbers of single precision are 0.002 apart there
				}
				if least := float64(tally.lessThanScore(bound)); least > placed || least < placed-near {
					t.Errorf("%s: the score %v has the bound %v, and is at least %v", name, placed, bound, least)
				}
				if most := float64(tally.moreThanBound(float32(placed))); most < float64(bound) || most > placed+near {
					t.Errorf("%s: the score %v has the bound %v, which is at most %v", name, placed, bound, most)
				}
			}
		}
	}
}
