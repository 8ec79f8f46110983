package store

import (
	"math"
	"testing"
)

// The more ranks the statement computes for each document, and the fewer lexemes documents have, the sooner it pays to fetch vectors; few of them are
// sent sooner than the statement is planned.
func TestWhoRanksSooner(t *testing.T) {
	for _, of := range []struct {
		documents, lexemes float64
		ranks              int
		want               bool
	}{
		{8000, 50, 110, true},
		{8000, 50, 20, true},
		{8000, 80, 10, false},
		{30, 80, 10, true},
		{200, 400, 4, false},
		{math.Inf(1), 50, 110, true},
		{math.Inf(1), 80, 10, false},
		{manyRanked + 1, 50, 110, false},
	} {
		if got := sooner(of.documents, of.lexemes, of.ranks); got != of.want {
			t.Errorf("%g documents of %g lexemes, %d ranks: %t, want %t", of.documents, of.lexemes, of.ranks, got, of.want)
		}
	}
}
