package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// The classes of the advisory locks that ensure that one server at a time maintains an index.
const (
	cleanLockClass   = "1919907697"
	analyzeLockClass = "1919907698"
)

// maintain does what an index's tables need from time to time, and handles its errors. do reports whether it is to be done again.
func (s *Store) maintain(ctx context.Context, q *queue, j job, do func(ctx context.Context, j job) (again bool, err error)) {
	began := time.Now()
	again, err := survived(func() (bool, error) { return do(ctx, j) })
	took, failed := time.Since(began), false
	if err != nil {
		again, failed = s.renew(ctx, &j, err)
		if failed && ctx.Err() == nil { // at the end of the server, all work is cut off
			s.failures.warn(s.log, "the tables of an index could not be maintained; this will be retried", err, "application", j.ix.Application, "index", j.ix.Name)
		}
	}
	q.round(took, failed)
	if again {
		j.due = time.Now().Add(retryDelay)
		q.put(j)
	}
}

// superseded reports whether work failed because the index, or its postings, were dropped or rebuilt in the meantime. That is not a fault, unless the
// index is the same and somebody else has dropped a table or column of it: renew decides.
func superseded(err error) bool {
	return errors.Is(err, service.ErrStale) || errors.Is(err, errRebuilt) || gone(err)
}

// renew looks up the current index for a job: its tables have changed if it was dropped or rebuilt, and it is another index if one with its name was
// created since. there reports whether there may still be work, as when the database cannot be asked, and fault whether the error that ended the work
// is one. It is not if the index has changed: PostgreSQL has many errors for a table that is gone.
func (s *Store) renew(ctx context.Context, j *job, ended error) (there, fault bool) {
	was := j.ix
	current, err := s.CurrentIndex(ctx, j.ix.Application, j.ix.Name)
	notFound := service.ErrorCode(err) == service.CodeIndexNotFound
	if notFound || err == nil && current.ID != j.ix.ID {
		s.dropped(j.ix.ID)
	}
	if err == nil {
		j.ix = current
	}
	same := j.ix.ID == was.ID && j.ix.Version == was.Version
	return !notFound, !notFound && same && !errors.Is(ended, service.ErrStale)
}

// dropped forgets an index that is gone and its queued work: PostgreSQL would log errors about missing tables.
func (s *Store) dropped(index int64) {
	for _, q := range []*queue{&s.derives, &s.cleans, &s.analyzes, &s.accelerates, &s.recomputes} {
		q.forget(index)
	}
	s.pending.forget(index)
	s.logs.forget(index)
	s.unfits.Remove(index)
	s.comparisons.Remove(index)
	s.keptLately.Remove(index)
	s.seenByWrites.forget(index)
}

// alone runs f on a connection that holds the index's lock of a class; free is false if another server holds it. Statements of f wait up to
// lockTimeout for other locks.
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
			_ = conn.Conn().Close(ctx) // the lock ends with the connection
		}
		if unlockErr == nil && !held {
			// checkSessions has verified this at the start, but a pooler may have been reconfigured.
			s.log.Error("a session has lost its lock", "error", errSharedSessions)
		}
	}()
	return true, f(conn.Conn())
}

// clean moves the pending lists of an index's GIN indexes into the indexes.
func (s *Store) clean(ctx context.Context, j job) (again bool, err error) {
	if s.mayRest(j) {
		return true, nil
	}
	r := table.RelationsOf(j.ix.Application, j.ix.Name)
	free, err := s.alone(ctx, cleanLockClass, j.ix, backgroundLocks, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT i.indexrelid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
			WHERE i.indrelid IN (to_regclass($1), to_regclass($2)) AND a.amname = 'gin' AND i.indisvalid`, r.Table, r.Suggestions())
		if err != nil {
			return err
		}
		indexes, err := pgx.CollectRows(rows, pgx.RowTo[uint32])
		for _, oid := range indexes {
			// Each in a transaction of its own, which holds its locks only briefly.
			if err == nil {
				_, err = conn.Exec(ctx, "SELECT gin_clean_pending_list($1::oid::regclass)", oid)
			}
		}
		return err
	})
	if state(err) == stateLockNotAvailable {
		return true, nil // a writer is moving them, or somebody has locked the table
	}
	return !free, err
}

const (
	// analyzeDelay is how long after a write the number of changes is first checked, and knownDelay how long after it PostgreSQL surely knows them: an
	// idle session reports its changes up to ten seconds late.
	analyzeDelay = 2 * time.Second
	knownDelay   = 12 * time.Second
	// analyzeRows and analyzeShare are how many rows, and what share of a table, must have changed for it to be analyzed. Analyzing takes seconds,
	// because of the statistics of lexemes: while an index is being loaded, it is only done each time that the table has grown tenfold (analyzeLoading).
	analyzeRows    = 1000
	analyzeShare   = 0.2
	analyzeLoading = 9.0
)

// analyze updates the planner's statistics of tables that have changed much, sooner than autovacuum would.
func (s *Store) analyze(ctx context.Context, j job) (again bool, err error) {
	share := analyzeShare
	if time.Since(j.last) < analyzeDelay+time.Second {
		share = analyzeLoading
	}
	r := table.RelationsOf(j.ix.Application, j.ix.Name)
	free, err := s.alone(ctx, analyzeLockClass, j.ix, backgroundLocks, func(conn *pgx.Conn) error {
		for _, table := range []string{r.Table, r.Words(), r.Suggestions(), r.Contributions()} {
			var changed, rows float64
			err := conn.QueryRow(ctx, "SELECT coalesce(pg_stat_get_mod_since_analyze(oid), 0), greatest(reltuples, 0) FROM pg_class WHERE oid = to_regclass($1)", table).Scan(&changed, &rows)
			if errors.Is(err, pgx.ErrNoRows) {
				continue // it is being recreated
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
