package store

import (
	"sync"
	"time"
)

// restingLogs remembers since when the logs of changed documents have had their length. A log only grows, except for what the builder removes; so a
// log of unchanged length is the same.
type restingLogs struct {
	mu    sync.Mutex
	known map[int64]restingLog
}

type restingLog struct {
	rows  int64
	since time.Time
}

// resting reports whether the log of an index, which has the given number of rows, has not grown for a while and is long enough for its blocks to be
// rebuilt.
func (l *restingLogs) resting(index, rows int64, limits accelerationLimits) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.known[index]
	switch {
	case rows < max(1, int64(limits.restingRebuild)):
		delete(l.known, index)
		return false
	case !ok || known.rows != rows:
		if len(l.known) >= maxCached { // most belong to indices that are gone
			clear(l.known)
		}
		l.known[index] = restingLog{rows, time.Now()}
		return false
	}
	return time.Since(known.since) >= limits.resting
}

// shortened records that the builder has removed rows from a log.
func (l *restingLogs) shortened(index, rows int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.known[index]; ok {
		known.rows -= rows
		l.known[index] = known
	}
}

// forget forgets an index that is gone.
func (l *restingLogs) forget(index int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, index)
}
