package store

import (
	"context"
	"sync"
	"time"

	"github.com/rowansearch/rowan/service"
)

// job is an index to work on.
type job struct {
	ix    *service.Index
	since time.Time // of the first write that has not been dealt with
	last  time.Time // of the last such write
	due   time.Time
}

// queue holds at most one job for each index.
type queue struct {
	mu   sync.Mutex
	jobs map[int64]job
	wake chan struct{}
	rounds
}

func newQueue() queue { return queue{jobs: map[int64]job{}, wake: make(chan struct{}, 1)} }

// add requests work on ix after a delay. It never postpones a job that is already queued.
func (q *queue) add(ix *service.Index, after time.Duration) {
	now := time.Now()
	q.put(job{ix: ix, since: now, last: now, due: now.Add(after)})
}

// hurry makes the work on an index, if there is any, due at once.
func (q *queue) hurry(index int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if j, ok := q.jobs[index]; ok {
		j.due = time.Now()
		q.set(j)
	}
}

func (q *queue) put(j job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if old, ok := q.jobs[j.ix.ID]; ok {
		if old.since.Before(j.since) {
			j.since = old.since
		}
		if old.last.After(j.last) {
			j.last = old.last
		}
		if old.due.Before(j.due) {
			j.due = old.due
		}
	}
	q.set(j)
}

// set replaces the job of an index. The caller must hold the lock.
func (q *queue) set(j job) {
	q.jobs[j.ix.ID] = j
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// forget drops the work on an index.
func (q *queue) forget(index int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.jobs, index)
}

// next removes and returns the job that is due first, or returns the time until one is due.
func (q *queue) next() (j job, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	wait = time.Hour
	for _, candidate := range q.jobs {
		if d := time.Until(candidate.due); d < wait {
			wait, j = d, candidate
		}
	}
	if j.ix != nil && wait <= 0 {
		delete(q.jobs, j.ix.ID)
	}
	return j, wait
}

// serve does the jobs until ctx ends.
func (q *queue) serve(ctx context.Context, do func(job)) {
	for ctx.Err() == nil {
		j, wait := q.next()
		if wait <= 0 {
			do(j)
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-q.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}
