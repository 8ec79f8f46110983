package store

import (
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
)

// Pending lists only wait while an index is being loaded and nobody searches it, and not for long.
func TestPendingListsWaitForNobody(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	for name, test := range map[string]struct {
		since, last time.Duration
		searched    int64
		want        bool
	}{
		"loaded":             {time.Second, 0, 0, true},
		"searched":           {time.Second, 0, 1, false},
		"another searched":   {time.Second, 0, 2, true},
		"no more written to": {3 * time.Second, 2 * time.Second, 0, false},
		"waiting too long":   {cleanRest + time.Second, 0, 0, false},
	} {
		w := newWorker()
		w.searchedLately.note(test.searched)
		if got := w.mayRest(job{ix: &service.Index{ID: 1}, since: ago(test.since), last: ago(test.last)}); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// The first search after a while makes pending work due at once.
func TestWorkHurries(t *testing.T) {
	t.Parallel()
	w := newWorker()
	w.cleans.add(&service.Index{ID: 1}, time.Hour)
	w.cleans.hurry(2)
	if _, wait := w.cleans.next(); wait < time.Minute {
		t.Fatalf("due in %s", wait)
	}
	if !w.searchedLately.note(1) || w.searchedLately.note(1) {
		t.Error("the first search is not told from the next")
	}
	w.cleans.hurry(1)
	if j, wait := w.cleans.next(); wait > 0 || j.ix == nil || j.ix.ID != 1 {
		t.Errorf("due in %s", wait)
	}
}
