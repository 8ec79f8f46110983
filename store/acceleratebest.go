package store

import (
	"math"
	"slices"
)

// bounded is a document with a bound on its score.
type bounded struct {
	seq   int64
	bound float32
}

// best returns the n documents with the largest bounds and the largest bound of the others, negative if there are none. The first call keeps more,
// namely kept of them, so that a page that takes more to prove need not go through all again. ok is false if bounds overflow.
func (t *blockTally) best(n, kept int) (list []int64, next float32, ok bool) {
	if n > t.keep {
		t.keep = max(n, kept)
		t.bound()
		t.sortRanked()
		t.drop()
	}
	if t.overflow {
		return nil, 0, false
	}
	list, next = t.first(n)
	return list, next, true
}

// onPage returns the documents that make up a page with the given number of hits, assuming that bounds are scores except for the last digits: that
// many, and those that these digits decide about. ok is false if not all of these were kept.
func (t *blockTally) onPage(hits int) (list []int64, next float32, ok bool) {
	n := min(hits, len(t.ranked))
	if n > 0 {
		for least := t.lessThanScore(t.ranked[n-1].bound); n < len(t.ranked) && t.ranked[n].bound >= least; {
			n++
		}
	}
	list, next = t.first(n)
	return list, next, n < len(t.ranked) || next < 0
}

// first returns the n documents with the largest bounds, and the largest bound of the others, negative if there are none.
func (t *blockTally) first(n int) (list []int64, next float32) {
	next = t.dropped
	if n < len(t.ranked) {
		next = t.ranked[n].bound
	}
	for _, r := range t.ranked[:min(n, len(t.ranked))] {
		list = append(list, r.seq)
	}
	return list, next
}

// lessThanScore returns a value below every score that can have this bound, where bounds are scores except for the last digits.
func (t *blockTally) lessThanScore(bound float32) float32 {
	return bound - t.lastDigits(bound)
}

// moreThanBound returns a value above every bound that can belong to this score.
func (t *blockTally) moreThanBound(score float32) float32 {
	return score + t.lastDigits(score)
}

func (t *blockTally) lastDigits(of float32) float32 {
	score := of
	if t.search.plan.AllFirst() && score >= everyFirst {
		score -= everyFirst
	}
	rounded := math.Nextafter32(of, math.MaxFloat32) - of // more if everyFirst is included
	return score*2*(boundSlack-1) + 2*rounded
}

// offer keeps a document if its bound is among the largest.
func (t *blockTally) offer(seq int64, bound float32) {
	t.ranked = append(t.ranked, bounded{seq, bound})
	if len(t.ranked) >= 4*t.keep {
		t.sortRanked()
		t.drop()
		t.threshold = t.ranked[t.keep-1].bound
	}
}

// drop removes the documents that are not among the largest. t.ranked must be sorted.
func (t *blockTally) drop() {
	if len(t.ranked) > t.keep {
		t.dropped = max(t.dropped, t.ranked[t.keep].bound)
		t.ranked = t.ranked[:t.keep]
	}
}

func (t *blockTally) sortRanked() {
	slices.SortFunc(t.ranked, func(a, b bounded) int {
		switch {
		case a.bound > b.bound:
			return -1
		case a.bound < b.bound:
			return 1
		}
		return int(a.seq - b.seq)
	})
}
