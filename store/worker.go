package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// worker does in the background what writers shall not wait for: it moves the pending lists of the GIN indexes
// into them, derives the vocabulary and the suggestions from what was written, builds postings, and has PostgreSQL look at
// tables that have changed much. Every server runs one; locks see to it that only one at a time works on an index.
type worker struct {
	workMu  sync.Mutex
	stop    context.CancelFunc // nil until Start
	running sync.WaitGroup
	derives queue
	cleans  queue
	// Analyzing takes long where cleaning must not wait.
	analyzes queue
	// Building postings takes long, too.
	accelerates queue
	pending     pendingChanges
	failures    seldom
	searchedLately
}

func newWorker() *worker {
	return &worker{derives: newQueue(), cleans: newQueue(), analyzes: newQueue(), accelerates: newQueue(), pending: newPendingChanges(), searchedLately: newSearchedLately()}
}

const (
	// workDelay is how long after a write the worker wakes: a few batches are one piece of work.
	workDelay = 250 * time.Millisecond
	// cleanDelay is how long after a write the pending lists are moved: most of that is to take posting lists apart and put
	// them together again, once for each lexeme, however many documents have it. Loading gains 15 % over 250 ms, and
	// searches beside it take as long; with three seconds it gains a little more, and they take up to six times as long.
	cleanDelay = 1500 * time.Millisecond
	// sweepEvery is how often all indices are looked at, for what a server that is gone has left.
	sweepEvery = 30 * time.Second
	// loadDelay is how long the log of an index that is being loaded may grow, up to stepRows: counting many
	// documents at once costs half as much a document.
	loadDelay = 3 * time.Second
	// backgroundLocks is how long the worker waits for a lock that somebody else holds on a table: it does one index after the
	// other, and all others would wait, too.
	backgroundLocks = firstLockTimeout
	// retryDelay is how long after an error an index is tried again.
	retryDelay = 2 * time.Second
)

// Start starts the background work. It ends with ctx or with Close. Call it once.
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
		tick := time.NewTicker(sweepEvery)
		defer tick.Stop()
		for {
			// Rebuilds, too: PostgreSQL may have been away when one was interrupted, and writes go on logging for it until then.
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

// stopWork ends the background work and waits for it.
func (s *Store) stopWork() {
	s.workMu.Lock()
	stop := s.stop
	s.workMu.Unlock()
	if stop != nil {
		stop()
	}
	s.running.Wait()
}

// wrote notes that n documents of ix were written.
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

// dirty notes that there may be work for ix.
func (s *Store) dirty(ix *service.Index) {
	if s.working() {
		s.derives.add(ix, workDelay)
		s.cleans.add(ix, cleanDelay)
		s.analyzes.add(ix, analyzeDelay)
		s.accelerates.add(ix, accelerateDelay)
	}
}

// job is an index to work on.
type job struct {
	ix    *service.Index
	since time.Time // of the first write that it has not dealt with
	last  time.Time // of the last one
	due   time.Time
}

// queue holds each index once.
type queue struct {
	mu   sync.Mutex
	jobs map[int64]job
	wake chan struct{}
	rounds
}

func newQueue() queue { return queue{jobs: map[int64]job{}, wake: make(chan struct{}, 1)} }

// add asks for work on ix after a while; what is due already stays so.
func (q *queue) add(ix *service.Index, after time.Duration) {
	now := time.Now()
	q.put(job{ix: ix, since: now, last: now, due: now.Add(after)})
}

// hurry has work on an index, if there is any, done at once.
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

// set puts a job into the place of what is known of its index. The caller holds the lock.
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

// next takes the job that is due first, or tells how long there is none.
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
	out, err := survived(func() (outcome, error) { return s.step(ctx, j.ix, stepRows, false) })
	s.derives.round(time.Since(began), err != nil && !errors.Is(err, errBusy) && !superseded(err))
	if err == nil {
		s.counted.roundEnded()
	}
	switch {
	case errors.Is(err, errBusy):
		again(retryDelay)
	case superseded(err):
		if s.renew(ctx, &j) {
			again(workDelay)
		}
	case err != nil:
		s.derivedFailed(j.ix, err)
		again(retryDelay)
	case out.more:
		j.since = time.Now()
		again(0)
	}
	if err == nil && len(suggestedOf(j.ix)) > 0 {
		s.cleans.add(j.ix, cleanDelay) // the index on the words of suggestions
	}
	if err == nil && out.rows > freshLog {
		s.tidyLog(ctx, j.ix)
	}
}

// derivedFailed reports an error of the background work, unless it comes from the end of the server or the index.
func (s *Store) derivedFailed(ix *service.Index, err error) {
	if errors.Is(err, context.Canceled) || superseded(err) {
		return
	}
	s.failures.warn(s.log, "the vocabulary and the suggestions could not be brought up to date; this is tried again", err, "application", ix.Application, "index", ix.Name)
}

// loading tells that an index is being loaded and its log is still worth growing.
func (s *Store) loading(ctx context.Context, j job) (bool, error) {
	if time.Since(j.since) > loadDelay || time.Since(j.last) > workDelay+50*time.Millisecond {
		return false, nil
	}
	var n int
	err := s.hastily(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s LIMIT %d) AS l",
			relationsOf(j.ix.Application, j.ix.Name).changes, stepRows)).Scan(&n)
	})
	return n > freshLog && n < stepRows, err
}

// tidyLog frees the room of log rows that were deleted, so that searches that look whether the log is empty need
// not read past them.
func (s *Store) tidyLog(ctx context.Context, ix *service.Index) {
	_, err := s.pool.Exec(ctx, "VACUUM (SKIP_LOCKED) "+relationsOf(ix.Application, ix.Name).changes)
	if err != nil {
		s.derivedFailed(ix, err)
	}
}

// sweepLogs finds indices with work that no server remembers. One that cannot be looked at keeps no other from it.
func (s *Store) sweepLogs(ctx context.Context) error {
	rows, err := s.pool.Query(ctx, selectListed)
	if err != nil {
		return err
	}
	list, err := pgx.CollectRows(rows, scanIndex)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(list, sweptAtOnce) {
		if err := s.hastily(ctx, func(conn *pgx.Conn) error { return s.sweepLogsOf(ctx, conn, some) }); err != nil {
			return err
		}
	}
	return nil
}

// sweptAtOnce is how many indices one connection is asked for before it may be replaced: it meets them all.
const sweptAtOnce = 100

// sweepLogsOf is sweepLogs, of some indices.
func (s *Store) sweepLogsOf(ctx context.Context, conn *pgx.Conn, list []*service.Index) error {
	for _, ix := range list {
		following, postings, err := s.mayHaveWork(ctx, conn, ix)
		switch {
		case connectionLost(err), err != nil && ctx.Err() != nil:
			return err
		case state(err) == stateLockNotAvailable: // the next round looks again
		case err != nil:
			s.failures.warn(s.log, "the background worker could not look for unfinished work of an index", err, "application", ix.Application, "index", ix.Name)
		}
		if following {
			s.derives.add(ix, 0)
			s.cleans.add(ix, 0)
		}
		if postings {
			s.accelerates.add(ix, 0)
		}
	}
	return nil
}

// mayHaveWork tells whether there may be work on what follows the documents of an index, and on its postings. All of it is one
// round trip: every server asks it of every index, twice a minute.
func (s *Store) mayHaveWork(ctx context.Context, conn *pgx.Conn, ix *service.Index) (following, postings bool, err error) {
	r := relationsOf(ix.Application, ix.Name)
	err = conn.QueryRow(ctx, `SELECT bool_or(counted_to IS NOT NULL) IS NOT FALSE OR EXISTS (SELECT FROM `+r.changes+`) OR `+outdatedKeysSQL+`,
			(SELECT last_value FROM `+r.sequence+`) >= $3 OR EXISTS (SELECT FROM rowan.accelerators WHERE index_id = $4)
			OR EXISTS (SELECT FROM rowan.indices WHERE id = $4 AND accelerated)
		FROM `+r.progress(), r.words(), keysForm, s.limits.documents, ix.ID).Scan(&following, &postings)
	if gone(err) {
		return true, true, nil
	}
	return following, postings, err
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
			_ = conn.Conn().Close(ctx) // others are not to get it so
		}
	}()
	return f(conn.Conn())
}

// The classes of the advisory locks under which one server at a time maintains an index.
const (
	cleanLockClass   = "1919907697"
	analyzeLockClass = "1919907698"
)

// maintain does what an index's tables need from time to time, and sees to its errors. do tells whether it is to
// be done again.
func (s *Store) maintain(ctx context.Context, q *queue, j job, do func(ctx context.Context, j job) (again bool, err error)) {
	began := time.Now()
	again, err := survived(func() (bool, error) { return do(ctx, j) })
	took, failed := time.Since(began), err != nil && !superseded(err)
	if err != nil {
		was := j.ix
		again = s.renew(ctx, &j)
		// PostgreSQL has many words for a table that is gone.
		failed = failed && again && j.ix.ID == was.ID && j.ix.Version == was.Version
		if failed && ctx.Err() == nil { // at the end each is cut off
			s.failures.warn(s.log, "the tables of an index could not be maintained; this is tried again", err, "application", j.ix.Application, "index", j.ix.Name)
		}
	}
	q.round(took, failed)
	if again {
		j.due = time.Now().Add(retryDelay)
		q.put(j)
	}
}

// superseded tells that work was for an index as it is no more: it was dropped or rebuilt meanwhile. That is no fault.
func superseded(err error) bool { return errors.Is(err, service.ErrStale) || gone(err) }

// renew looks up what the index of a job is now: its tables are others when it was dropped or rebuilt meanwhile, and it is
// another one when one of its name was made since. It tells whether there may still be work, as where the database cannot be
// asked.
func (s *Store) renew(ctx context.Context, j *job) bool {
	current, err := s.CurrentIndex(ctx, j.ix.Application, j.ix.Name)
	notFound := service.ErrorCode(err) == service.CodeIndexNotFound
	if notFound || err == nil && current.ID != j.ix.ID {
		s.dropped(j.ix.ID)
	}
	if err == nil {
		j.ix = current
	}
	return !notFound
}

// dropped forgets an index that is gone, and what was to be done for it: PostgreSQL would log that its tables are not there.
func (s *Store) dropped(index int64) {
	for _, q := range []*queue{&s.derives, &s.cleans, &s.analyzes, &s.accelerates} {
		q.forget(index)
	}
	s.pending.forget(index)
	s.logs.forget(index)
	s.forgetUnfit(index)
	s.touchLogs.note(index, false)
}

// alone runs f on a connection that holds the index's lock of a class; free is false if another server does. Statements of f wait
// as long for other locks as lockTimeout says.
func (s *Store) alone(ctx context.Context, class string, ix *service.Index, lockTimeout time.Duration, f func(conn *pgx.Conn) error) (free bool, err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	const setTimeout = "set_config('lock_timeout', $2, false)"
	err = conn.QueryRow(ctx, "SELECT free, CASE WHEN free THEN "+setTimeout+" END FROM (SELECT pg_try_advisory_lock("+class+", $1::int) AS free OFFSET 0) AS l",
		ix.ID, fmt.Sprint(lockTimeout.Milliseconds())).Scan(&free, nil)
	if err != nil || !free {
		return free, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		var held bool
		unlockErr := conn.QueryRow(ctx, "SELECT pg_advisory_unlock("+class+", $1::int), "+setTimeout, ix.ID, fmt.Sprint(s.config.LockTimeout.Milliseconds())).Scan(&held, nil)
		if unlockErr != nil || !held {
			_ = conn.Conn().Close(ctx) // the lock goes with the connection
		}
		if unlockErr == nil && !held {
			// checkSessions has seen to it at the start, but a pooler may be set anew.
			s.log.Error("a session has lost its lock", "error", errSharedSessions)
		}
	}()
	return true, f(conn.Conn())
}

// clean moves the pending lists of an index's GIN indexes into them.
func (s *Store) clean(ctx context.Context, j job) (again bool, err error) {
	if s.mayRest(j) {
		return true, nil
	}
	r := relationsOf(j.ix.Application, j.ix.Name)
	free, err := s.alone(ctx, cleanLockClass, j.ix, backgroundLocks, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT i.indexrelid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
			WHERE i.indrelid IN (to_regclass($1), to_regclass($2)) AND a.amname = 'gin' AND i.indisvalid`, r.table, r.suggestions())
		if err != nil {
			return err
		}
		indexes, err := pgx.CollectRows(rows, pgx.RowTo[uint32])
		for _, oid := range indexes {
			// Each in a transaction of its own: none of its locks outlasts it.
			if err == nil {
				_, err = conn.Exec(ctx, "SELECT gin_clean_pending_list($1::oid::regclass)", oid)
			}
		}
		return err
	})
	if state(err) == stateLockNotAvailable {
		return true, nil // a writer is moving them itself, or somebody has the table for himself
	}
	return !free, err
}

const (
	// analyzeDelay is how long after a write it is first looked how much has changed, and knownDelay how long
	// after it PostgreSQL is sure to tell: a session that idles reports its changes up to ten seconds late.
	analyzeDelay = 2 * time.Second
	knownDelay   = 12 * time.Second
	// analyzeRows and analyzeShare are how many rows, and what share of a table, must have changed for it to be
	// analyzed. To analyze takes seconds, because of what the planner has to know of the lexemes: while an
	// index is being loaded it is done only each time that the table has grown tenfold.
	analyzeRows    = 1000
	analyzeShare   = 0.2
	analyzeLoading = 9.0
)

// analyze has the planner's statistics made anew of tables that have changed much, sooner than autovacuum would.
func (s *Store) analyze(ctx context.Context, j job) (again bool, err error) {
	share := analyzeShare
	if time.Since(j.last) < analyzeDelay+time.Second {
		share = analyzeLoading
	}
	r := relationsOf(j.ix.Application, j.ix.Name)
	free, err := s.alone(ctx, analyzeLockClass, j.ix, backgroundLocks, func(conn *pgx.Conn) error {
		for _, table := range []string{r.table, r.words(), r.suggestions(), r.contributions()} {
			var changed, rows float64
			err := conn.QueryRow(ctx, "SELECT coalesce(pg_stat_get_mod_since_analyze(oid), 0), greatest(reltuples, 0) FROM pg_class WHERE oid = to_regclass($1)", table).Scan(&changed, &rows)
			if errors.Is(err, pgx.ErrNoRows) {
				continue // it is being built anew
			}
			if err == nil && changed >= analyzeRows && changed >= analyzeShare*rows {
				if changed < share*rows {
					again = true
					continue
				}
				_, err = conn.Exec(ctx, "ANALYZE (SKIP_LOCKED) "+table)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return again || !free || time.Since(j.last) < knownDelay, err
}
