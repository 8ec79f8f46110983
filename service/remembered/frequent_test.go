package remembered

import (
	"math/rand/v2"
	"testing"
)

// asked uses a cache as callers do: an entry that is not there is put there once it has been asked for twice. It returns whether the entry was there.
func asked(r *Frequent[int, int], k, weight int) (was bool) {
	n := r.Ask(k)
	v, was := r.Get(k)
	if !was && n > 1 {
		r.Put(k, weight, func() int { return k })
	}
	return was && v == k
}

// If entries that are asked for in turn do not all fit, some of them stay: each round finds all of these.
func TestFrequentKeepsAPartOfARound(t *testing.T) {
	t.Parallel()
	r := Frequent[int, int]{Room: 40, Counts: 1000}
	for range 2 {
		for k := range 100 {
			asked(&r, k, 1)
		}
	}
	for round := range 50 {
		hits := 0
		for k := range 100 {
			if asked(&r, k, 1) {
				hits++
			}
		}
		if hits < 30 {
			t.Fatalf("round %d found %d of 100, with room for 40", round, hits)
		}
	}
}

// Entries that are asked for more often replace others, and are replaced in turn.
func TestFrequentFollowsWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	r := Frequent[int, int]{Room: 20, Counts: 1000}
	rest := 1000
	for _, from := range []int{0, 100, 200} {
		for range 200 {
			for k := range 10 {
				asked(&r, from+k, 1)
			}
			rest++
			asked(&r, rest%400+1000, 1)
		}
		for k := range 10 {
			if _, ok := r.Get(from + k); !ok {
				t.Errorf("%d was asked for in each of 200 rounds and is not there", from+k)
			}
		}
	}
}

// Whatever is put there, the entries fit into the room and counts are bounded; values that are too large are not made.
func TestFrequentIsBounded(t *testing.T) {
	t.Parallel()
	const room, counts = 100, 50
	r := Frequent[int, int]{Room: room, Counts: counts}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		k, weight := random.IntN(200), random.IntN(60)
		r.Ask(k)
		r.Put(k, weight, func() int {
			if weight > room/2 {
				t.Fatalf("an entry of weight %d was made, there is room for %d", weight, room)
			}
			return weight
		})
		used := 0
		for _, e := range r.entries {
			used += e.weight
		}
		if used > room || used != r.used || len(r.counts) > counts {
			t.Fatalf("the entries weigh %d, their sum is kept as %d, there is room for %d; %d are counted", used, r.used, room, len(r.counts))
		}
	}
}
