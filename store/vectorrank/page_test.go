package vectorrank_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// Pages, each after the cursor of the one before, make up the whole list, however many documents have the same score.
func TestPagesGoOnAfterTheirCursors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, match := range []service.Match{service.MatchAll, service.MatchAny} {
		p := &service.Plan{Match: match, Terms: make([]service.Term, 1), Limit: 7}
		var list []vectorrank.Document
		for i := range 100 {
			place := vectorrank.Place{ID: fmt.Sprintf("d%02d", i), First: p.AllFirst() && r.IntN(2) == 0, Score: float64(r.IntN(5)) / 3}
			list = append(list, vectorrank.Document{Place: place})
		}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		var got []vectorrank.Place
		firsts := map[string]bool{}
		for _, d := range list {
			firsts[d.ID] = d.First
		}
		for {
			hits := vectorrank.Page(p, list)
			for _, h := range hits {
				got = append(got, vectorrank.Place{ID: h.Document.ID, First: firsts[h.Document.ID], Score: h.Score})
			}
			if len(hits) < p.Limit {
				break
			}
			p.After = &service.Cursor{Place: hits[len(hits)-1].Place}
		}
		// First, then by score, the largest first, then by id.
		inOrder := slices.IsSortedFunc(got, func(x, y vectorrank.Place) int {
			if x.First != y.First {
				return map[bool]int{true: -1, false: 1}[x.First]
			}
			return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.ID, y.ID))
		})
		if len(got) != len(list) || !inOrder {
			t.Errorf("%s: %d of %d documents, %v", match, len(got), len(list), got)
		}
	}
}

// Hits that were shown on an unproven page are not repeated.
func TestShownHitsDoNotComeAgain(t *testing.T) {
	t.Parallel()
	list := []vectorrank.Document{{Place: vectorrank.Place{ID: "a", Score: 1}}, {Place: vectorrank.Place{ID: "b", Score: 2}}, {Place: vectorrank.Place{ID: "c", Score: 3}}}
	p := &service.Plan{Match: service.MatchAll, Limit: 2, After: &service.Cursor{Shown: []string{"c"}}}
	hits := vectorrank.Page(p, list)
	if len(hits) != 2 || hits[0].Document.ID != "b" || hits[1].Document.ID != "a" {
		t.Errorf("%+v", hits)
	}
}

// The place of a cursor of another order is rejected.
func TestPlacesOfOtherOrders(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	for _, of := range []struct {
		match service.Match
		place []*string
		ok    bool
	}{
		{service.MatchAll, nil, true},
		{service.MatchAll, []*string{text("1.5"), text("id")}, true},
		{service.MatchAny, []*string{text("true"), text("1.5"), text("id")}, true},
		{service.MatchAny, []*string{text("1.5"), text("1.5"), text("id")}, false},
		{service.MatchAny, []*string{text("1.5"), text("id")}, false},
		{service.MatchAll, []*string{text("red"), text("id")}, false},
		{service.MatchAll, []*string{nil, text("id")}, false},
		{service.MatchAll, []*string{text("red"), text("1.5"), text("id")}, false},
	} {
		p := &service.Plan{Match: of.match, Terms: make([]service.Term, 1), After: &service.Cursor{Place: of.place}}
		if _, ok := vectorrank.AfterCursor(p); ok != of.ok {
			t.Errorf("%s: %d keys, ok: %t, want %t", of.match, len(of.place), ok, of.ok)
		}
	}
}
