package store

import (
	"time"

	"github.com/rowansearch/rowan/service/remembered"
)

// searchedLately remembers which indices have been searched on this server.
type searchedLately struct {
	searched remembered.Map[int64, struct{}]
}

const (
	// lately is how long after a search others are expected.
	lately = 10 * time.Minute
	// cleanRest is how long the pending lists of an index may grow that is written to all the time and not searched: loading becomes a sixth faster.
	// With five seconds or more it would become a quarter faster, but whoever then begins to search during the load would wait half a second for each
	// answer until the lists are moved. Another server whose searches find a long log cleans the lists itself.
	cleanRest = 3 * time.Second
)

func newSearchedLately() searchedLately {
	return searchedLately{searched: remembered.Map[int64, struct{}]{Life: lately, Room: maxCached}}
}

// note records a search, and reports whether it is the first for a while.
func (s *searchedLately) note(index int64) (first bool) {
	first = !s.has(index)
	s.searched.Put(index, struct{}{})
	return first
}

// has reports whether an index was searched lately.
func (s *searchedLately) has(index int64) bool {
	_, ok := s.searched.Get(index)
	return ok
}

// mayRest reports whether the pending lists of an index can wait: it is being loaded, and nobody searches it.
func (w *worker) mayRest(j job) bool {
	return time.Since(j.last) < cleanDelay && time.Since(j.since) < cleanRest && !w.searchedLately.has(j.ix.ID)
}
