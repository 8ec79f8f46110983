package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/table"
)

// worker does in the background what writers should not wait for: it moves the pending lists of GIN indexes into the indexes, derives the vocabulary
// and the suggestions from what was written, builds postings, and has PostgreSQL analyze tables that have changed much. Every server has one; locks
// ensure that only one at a time works on an index.
type worker struct {
	workMu  sync.Mutex
	stop    context.CancelFunc // nil until Start
	running sync.WaitGroup
	derives queue
	cleans  queue
	// Analyzing takes long, and cleaning must not wait for it.
	analyzes queue
	// Building postings takes long, too.
	accelerates queue
	// So does comparing all documents.
	recomputes  queue
	comparisons remembered.Map[int64, comparison] // by index
	pending     pendingChanges
	dealtWith   remembered.Map[int64, int64] // by index, as the last sweep that asked found it
	failures    seldom
	searchedLately
	keptLately remembered.Map[int64, struct{}] // indices for which a step has ended with errKept within keptDelay
}

func newWorker() *worker {
	return &worker{
		derives: newQueue(), cleans: newQueue(), analyzes: newQueue(), accelerates: newQueue(), recomputes: newQueue(), pending: newPendingChanges(), searchedLately: newSearchedLately(),
		comparisons: remembered.Map[int64, comparison]{Room: maxCached},
		dealtWith:   remembered.Map[int64, int64]{Room: maxCached},
		keptLately:  remembered.Map[int64, struct{}]{Life: keptDelay, Room: maxCached},
	}
}

const (
	// workDelay is how long after a write the worker wakes: several batches are then handled together.
	workDelay = 250 * time.Millisecond
	// cleanDelay is how long after a write the pending lists are moved: most of that work is unpacking and repacking posting lists, once for each
	// lexeme, however many documents have it. Compared with 250 ms, loading becomes 15 % faster, and concurrent searches take as long; three seconds
	// would gain a little more, but searches would take up to six times as long.
	cleanDelay = 1500 * time.Millisecond
	// sweepEvery is the interval at which all indices are checked for what a server that is gone has left unfinished.
	sweepEvery = 30 * time.Second
	// loadDelay is how long the log of an index that is being loaded may grow, up to stepRows: counting many documents at once takes half as long per
	// document.
	loadDelay = 3 * time.Second
	// backgroundLocks is how long the worker waits for a lock on a table that somebody else holds: it handles one index after the other, and all others
	// would wait, too.
	backgroundLocks = firstLockTimeout
	// retryDelay is the time after an error until an index is tried again.
	retryDelay = 2 * time.Second
	// keptDelay is the time after errKept until an exchange is tried again: while it waits for its lock, for backgroundLocks, searches wait behind it.
	keptDelay = 10 * time.Second
)

// Start starts the background work, which ends with ctx or with Close. It must be called only once.
func (s *Store) Start(ctx context.Context) {
	s.workMu.Lock()
	defer s.workMu.Unlock()
	if s.stop != nil {
		return
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.running.Go(func() { s.derives.serve(ctx, func(j job) { s.derive(ctx, j) }) })
	s.running.Go(func() { s.cleans.serve(ctx, func(j job) { s.maintain(ctx, &s.cleans, j, s.clean) }) })
	s.running.Go(func() { s.analyzes.serve(ctx, func(j job) { s.maintain(ctx, &s.analyzes, j, s.analyze) }) })
	s.running.Go(func() {
		s.accelerates.serve(ctx, func(j job) { s.maintain(ctx, &s.accelerates, j, s.rebuildPostings) })
	})
	s.running.Go(func() {
		s.recomputes.serve(ctx, func(j job) { s.maintain(ctx, &s.recomputes, j, s.recompute) })
	})
	s.running.Go(func() {
		tick := time.NewTicker(sweepEvery)
		defer tick.Stop()
		for {
			// Rebuilds, too: PostgreSQL may have been unreachable when one was interrupted, and until it is swept, writes keep logging for it.
			err := errors.Join(s.Sweep(ctx), s.sweepLogs(ctx))
			if err == nil {
				s.counted.roundEnded()
			} else if ctx.Err() == nil {
				s.failures.warn(s.log, "the background worker could not look for unfinished work", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
}

// stopWork ends the background work; s.running tells when it has ended.
func (s *Store) stopWork() {
	s.workMu.Lock()
	defer s.workMu.Unlock()
	if s.stop != nil {
		s.stop()
	}
}

// wrote records that n documents of ix were written.
func (s *Store) wrote(ix *service.Index, n int64) {
	s.words.seen.changed(ix.ID)
	if s.working() {
		s.pending.add(ix.ID, n)
	}
	s.dirty(ix)
}

func (s *Store) working() bool {
	s.workMu.Lock()
	defer s.workMu.Unlock()
	return s.stop != nil
}

// dirty records that there may be work for ix.
func (s *Store) dirty(ix *service.Index) {
	if s.working() {
		s.derives.add(ix, workDelay)
		s.cleans.add(ix, cleanDelay)
		s.analyzes.add(ix, analyzeDelay)
		s.accelerates.add(ix, accelerateDelay)
	}
}

// derive does one step for an index.
func (s *Store) derive(ctx context.Context, j job) {
	again := func(after time.Duration) {
		j.due = time.Now().Add(after)
		s.derives.put(j)
	}
	if loading, err := s.loading(ctx, j); loading && err == nil {
		again(workDelay)
		return
	}
	began := time.Now()
	_, kept := s.keptLately.Get(j.ix.ID)
	out, err := survived(func() (outcome, error) { return s.step(ctx, j.ix, stepRows, kept) })
	if errors.Is(err, errKept) && !kept {
		// Somebody may keep a recounted vocabulary from being exchanged for hours, as a dump does. Meanwhile the one in use follows the log.
		kept = true
		s.keptLately.Put(j.ix.ID, struct{}{})
		out, err = survived(func() (outcome, error) { return s.step(ctx, j.ix, stepRows, true) })
	}
	took, there, failed := time.Since(began), true, err != nil && !errors.Is(err, errBusy)
	if superseded(err) {
		there, failed = s.renew(ctx, &j, err)
	}
	s.derives.round(took, failed)
	if failed {
		s.derivedFailed(j.ix, err)
	}
	if err == nil {
		s.counted.roundEnded()
	}
	switch {
	case err == nil && out.more:
		j.since = time.Now()
		again(0)
	case failed || errors.Is(err, errBusy) && there:
		again(retryDelay)
	case err != nil && there:
		again(workDelay)
	case err == nil && kept:
		again(keptDelay)
	}
	if err == nil && len(table.SuggestedOf(j.ix)) > 0 {
		s.cleans.add(j.ix, cleanDelay) // the index on the words of suggestions
	}
	if err == nil && out.rows > freshLog {
		s.tidyLog(ctx, j.ix)
	}
}

// derivedFailed logs an error of the background work, unless it is due to the server's end.
func (s *Store) derivedFailed(ix *service.Index, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	s.failures.warn(s.log, "the vocabulary and the suggestions could not be brought up to date; this will be retried", err, "application", ix.Application, "index", ix.Name)
}

// loading reports whether an index is being loaded and its log should grow further.
func (s *Store) loading(ctx context.Context, j job) (bool, error) {
	if time.Since(j.since) > loadDelay || time.Since(j.last) > workDelay+50*time.Millisecond {
		return false, nil
	}
	var n int
	err := s.hastily(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s LIMIT %d) AS l",
			table.RelationsOf(j.ix.Application, j.ix.Name).Changes, stepRows)).Scan(&n)
	})
	return n > freshLog && n < stepRows, err
}

// tidyLog frees the space of deleted log rows, so that searches that check whether the log is empty need not read past them.
func (s *Store) tidyLog(ctx context.Context, ix *service.Index) {
	_, err := s.pool.Exec(ctx, "VACUUM (SKIP_LOCKED) "+table.RelationsOf(ix.Application, ix.Name).Changes)
	if err != nil && !superseded(err) {
		s.derivedFailed(ix, err)
	}
}

// hastily runs f on a connection whose statements do not wait long for locks.
func (s *Store) hastily(ctx context.Context, f func(conn *pgx.Conn) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	wait := func(ctx context.Context, d time.Duration) error {
		_, err := conn.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d", d.Milliseconds()))
		return err
	}
	if err := wait(ctx, backgroundLocks); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if wait(ctx, s.config.LockTimeout) != nil {
			_ = conn.Conn().Close(ctx) // nobody else must get it in this state
		}
	}()
	return f(conn.Conn())
}
