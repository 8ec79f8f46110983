package store

import (
	"sync"
	"time"
)

// searchedLately remembers which indices have been searched on this server, and when.
type searchedLately struct {
	searchedMu sync.Mutex
	searched   map[int64]time.Time
}

const (
	// lately is how long after a search others are expected.
	lately = 10 * time.Minute
	// cleanRest is how long the pending lists of an index may grow that is written to all the time and that nobody searches:
	// loading gains a sixth. With five seconds and more it gains a quarter, and whoever then begins to search while it goes on
	// waits half a second for each answer, for as long as it takes to move the lists. Another server whose searches find a
	// long log cleans them itself.
	cleanRest = 3 * time.Second
)

func newSearchedLately() searchedLately { return searchedLately{searched: map[int64]time.Time{}} }

// note notes a search, and tells whether it is the first for a while.
func (s *searchedLately) note(index int64) (first bool) {
	now := time.Now()
	s.searchedMu.Lock()
	defer s.searchedMu.Unlock()
	first = now.Sub(s.searched[index]) > lately
	if first && len(s.searched) >= maxCached {
		clear(s.searched)
	}
	s.searched[index] = now
	return first
}

// has tells whether an index was searched lately.
func (s *searchedLately) has(index int64) bool {
	s.searchedMu.Lock()
	defer s.searchedMu.Unlock()
	return time.Since(s.searched[index]) <= lately
}

// mayRest tells whether the pending lists of an index can wait: it is being loaded, and nobody searches it.
func (w *worker) mayRest(j job) bool {
	return time.Since(j.last) < cleanDelay && time.Since(j.since) < cleanRest && !w.searchedLately.has(j.ix.ID)
}
