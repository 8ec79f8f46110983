package bounds

import (
	"math"
	"slices"
)

// bounded is a document with a bound on its score.
type bounded struct {
	seq   int64
	bound float32
}

// Best returns the n found documents of the blocks with the largest bounds, and the largest bound of the others, negative if there are none.
// Documents with the same bound are in the order of their numbers. At first, it keeps at least kept documents, so that a page that needs more of them
// for its proof does not recompute all bounds. ok is false if a bound does not fit.
func (t *Tally) Best(blocks []*Block, n, kept int) (list []int64, next float32, ok bool) {
	t.keepBest(blocks, n, kept)
	if t.inexact && t.ceiling > 0 { // a document whose bound is above it may have any score below it
		t.ceiling, t.keep = 0, 0
		t.keepBest(blocks, n, kept)
	}
	if t.overflow {
		return nil, 0, false
	}
	list, next = t.first(n)
	return list, next, true
}

// keepBest keeps at least n documents.
func (t *Tally) keepBest(blocks []*Block, n, kept int) {
	if n > t.keep {
		t.keep = max(n, kept)
		t.bound(blocks)
		t.sortRanked()
		t.drop()
	}
}

// Reset makes Best recompute the bounds, because other documents are found.
func (t *Tally) Reset() { t.keep = 0 }

// OnPage returns the documents for a page of the given number of hits, if bounds are scores but for the last digits: that many, and those that only
// these digits rank below them. ok is false if not all of these are kept.
func (t *Tally) OnPage(hits int) (list []int64, next float32, ok bool) {
	n := min(hits, len(t.ranked))
	if n > 0 {
		for least := t.LessThanScore(t.ranked[n-1].bound); n < len(t.ranked) && t.ranked[n].bound >= least; {
			n++
		}
	}
	list, next = t.first(n)
	return list, next, n < len(t.ranked) || next < 0
}

// first returns the n documents with the largest bounds, and the largest bound of the others, negative if there are none.
func (t *Tally) first(n int) (list []int64, next float32) {
	next = t.dropped
	if n < len(t.ranked) {
		next = t.ranked[n].bound
	}
	for _, r := range t.ranked[:min(n, len(t.ranked))] {
		list = append(list, r.seq)
	}
	return list, next
}

// LessThanScore returns a lower bound on the score of a document with this bound, if bounds are scores but for the last digits.
func (t *Tally) LessThanScore(bound float32) float32 {
	return bound - t.lastDigits(bound)
}

// moreThanBound returns an upper bound on the bound of a document with this score.
func (t *Tally) moreThanBound(score float32) float32 {
	return score + t.lastDigits(score)
}

func (t *Tally) lastDigits(of float32) float32 {
	score := of
	if t.query.Plan.AllFirst() && score >= EveryFirst {
		score -= EveryFirst
	}
	rounded := math.Nextafter32(of, math.MaxFloat32) - of // larger if it includes EveryFirst
	return score*2*(slack-1) + 2*rounded
}

// offer keeps a document if its bound is among the largest.
func (t *Tally) offer(seq int64, bound float32) {
	t.ranked = append(t.ranked, bounded{seq, bound})
	if len(t.ranked) >= 4*t.keep {
		t.sortRanked()
		t.drop()
		t.threshold = t.ranked[t.keep-1].bound
	}
}

// drop removes those that are not among the largest from the sorted list.
func (t *Tally) drop() {
	if len(t.ranked) > t.keep {
		t.dropped = max(t.dropped, t.ranked[t.keep].bound)
		t.ranked = t.ranked[:t.keep]
	}
}

func (t *Tally) sortRanked() {
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
