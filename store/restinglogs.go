package store

import (
	"sync"
	"time"
)

// restingLogs remembers how long the logs of changed documents have been as they are. A log only grows, but for what the
// builder takes from it; so one that is as long as it was is the same.
type restingLogs struct {
	mu    sync.Mutex
	known map[int64]restingLog
}

type restingLog struct {
	rows  int64
	since time.Time
}

// resting tells that the log of an index, of so many rows, has not grown for a while, and is worth having its blocks
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
		if len(l.known) >= maxCached { // most are of indices that are gone
			clear(l.known)
		}
		l.known[index] = restingLog{rows, time.Now()}
		return false
	}
	return time.Since(known.since) >= limits.resting
}

// shortened notes that the builder has taken rows from a log.
func (l *restingLogs) shortened(index, rows int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.known[index]; ok {
		known.rows -= rows
		l.known[index] = known
	}
}

// forget is for an index that is gone.
func (l *restingLogs) forget(index int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, index)
}
