package service_test

import (
	"slices"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// The search need not look for documents whose only terms together carry less than a tenth of the query.
func TestLightTerms(t *testing.T) {
	t.Parallel()
	term := func(carried float64) service.Term { return service.Term{Repeats: 1, Carried: carried} }
	twice := service.Term{Repeats: 2, Carried: 0.5}
	optional := service.Term{Repeats: 1, Carried: 9, Optional: true}
	part := service.Term{Repeats: 1, Carried: 0.3, Optional: true, Part: true} // counts half
	missing := service.Term{Repeats: 1, Carried: 9, Missing: true}
	for name, test := range map[string]struct {
		match     service.Match
		threshold float64
		terms     []service.Term
		want      []bool
	}{
		"the lightest together":   {service.MatchAny, 0.1, []service.Term{term(10), term(0.6), term(5), term(0.5)}, []bool{false, true, false, true}},
		"one more would do":       {service.MatchAny, 0.1, []service.Term{term(10), term(0.6), term(0.7)}, []bool{false, true, false}},
		"as much as is needed":    {service.MatchAny, 0.1, []service.Term{term(9), term(1)}, []bool{false, false}},
		"as often as they are":    {service.MatchAny, 0.1, []service.Term{term(8), twice}, []bool{false, false}},
		"optional":                {service.MatchAny, 0.1, []service.Term{term(1), optional}, []bool{false, true}},
		"part of a word":          {service.MatchAny, 0.1, []service.Term{term(10), term(0.8), part}, []bool{false, true, true}},
		"parts are enough":        {service.MatchAny, 0.1, []service.Term{term(10), term(0.8), part, part}, []bool{false, false, true, true}},
		"nothing else":            {service.MatchAny, 0.1, []service.Term{optional}, []bool{false}},
		"of what some have":       {service.MatchAny, 0.1, []service.Term{missing, term(1), term(2)}, []bool{false, false, false}},
		"any, however little":     {service.MatchAny, 0, []service.Term{term(10), term(0.1)}, []bool{false, false}},
		"where all must be there": {service.MatchAll, 0.1, []service.Term{term(10), term(0.1)}, []bool{false, false}},
	} {
		p := service.Plan{Match: test.match, Threshold: test.threshold, Terms: test.terms}
		if got := p.Light(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
