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

// Best returns the n matching documents with the largest bounds, equal bounds in the order of document numbers, and the largest bound of the others,
// negative if there are none. The first call keeps more, namely kept of them, so that a page that takes more to prove need not go through all again.
// ok is false if bounds overflow.
func (t *Tally) Best(blocks []*Block, n, kept int) (list []int64, next float32, ok bool) {
	t.keepBest(blocks, n, kept)
	if t.inexact && t.ceiling > 0 { // a document above the ceiling may have a lower score
		t.ceiling, t.keep = 0, 0
		t.keepBest(blocks, n, kept)
	}
	if t.overflow {
		return nil, 0, false
	}
	list, next = t.first(n)
	return list, next, true
}

// keepBest ensures that at least n documents are kept.
func (t *Tally) keepBest(blocks []*Block, n, kept int) {
	if n > t.keep {
		t.keep = max(n, kept)
		t.bound(blocks)
		t.sortRanked()
		t.drop()
	}
}

// Reset makes the next call of Best compute bounds again, because other documents match.
func (t *Tally) Reset() { t.keep = 0 }

// OnPage returns the documents that make up a page with the given number of hits, assuming that bounds are scores except for the last digits: that
// many, and those that these digits decide about. ok is false if not all of these were kept.
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

// LessThanScore returns a value below every score that can have this bound, where bounds are scores except for the last digits.
func (t *Tally) LessThanScore(bound float32) float32 {
	return bound - t.lastDigits(bound)
}

// moreThanBound returns a value above every bound that can belong to this score.
func (t *Tally) moreThanBound(score float32) float32 {
	return score + t.lastDigits(score)
}

func (t *Tally) lastDigits(of float32) float32 {
	score := of
	if t.query.Plan.AllFirst() && score >= EveryFirst {
		score -= EveryFirst
	}
	rounded := math.Nextafter32(of, math.MaxFloat32) - of // more if EveryFirst is included
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

// drop removes the documents that are not among the largest. t.ranked must be sorted.
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
