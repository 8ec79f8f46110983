package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/hosts"
)

// Searches and reads go to standbys of the primary, if there are any. A search must find what was written before it began, whichever server wrote it:
// so it asks the primary for its position in the log of commits (WAL), and takes a standby that has replayed the log up to there. That takes two
// short round trips. If no standby has reached the position within replicaWait, the primary answers.
//
// A standby is left out while it cannot be reached, while it is behind, and while it may have another history than the primary: if it was promoted,
// belongs to another cluster, or has not followed a failover.

const (
	// replicaWait is how long a search waits for a standby to catch up.
	replicaWait = 40 * time.Millisecond
	// replicaTimeout is how long a standby or the primary may take to report its position.
	replicaTimeout = 250 * time.Millisecond
	// watchEvery is the interval at which a standby is checked, maxWatch the longest interval for one that cannot be reached.
	watchEvery = time.Second
	maxWatch   = 15 * time.Second
)

// The states of a standby.
const (
	replicaLeftOut int32 = iota
	replicaReady
)

// replica is a standby.
type replica struct {
	name     string // host and port, for logs
	pool     *pgxpool.Pool
	state    atomic.Int32
	timeline atomic.Uint32 // that it followed when last checked
	behind   atomic.Int64  // bytes of log that it still had to replay when last checked; -1: unknown
	sessions bool          // it was found to keep the sessions of connections
	quiet    atomic.Bool   // the log does not say that it is left out
}

// replicas are all standbys.
type replicas struct {
	list   []*replica
	next   atomic.Uint32 // for taking turns
	behind seldom        // that the log has told of
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// position is a place in the primary's log.
type position struct {
	lsn      string
	timeline uint32
	history  history
}

// chosenReplica is the standby chosen for a search or read, with the history of the primary that it was found to follow.
type chosenReplica struct {
	*replica
	history history
}

// Replica is the state of a standby.
type Replica struct {
	// Name is its host and port.
	Name string
	// Ready is false while it is left out: unreachable, too far behind, or not a standby of the primary.
	Ready bool
	// Behind is the number of bytes of the primary's log that it still had to replay a moment ago; negative if unknown.
	Behind int64
}

// Replicas returns the states of the standbys, in the order of Config.ReplicaURLs.
func (s *Store) Replicas() []Replica {
	list := make([]Replica, len(s.replicas.list))
	for i, r := range s.replicas.list {
		list[i] = Replica{Name: r.name, Ready: r.state.Load() == replicaReady, Behind: r.behind.Load()}
	}
	return list
}

// openReplicas creates the pools and begins to watch the standbys. An unreachable standby is not an error.
func (s *Store) openReplicas(ctx context.Context) error {
	for _, address := range s.config.ReplicaURLs {
		address = strings.TrimSpace(address)
		if address == "" { // pgx would use any server on this machine
			return errors.New("DATABASE_REPLICA_URLS: an address is empty: there is a comma too many")
		}
		config := s.config
		config.silent = new(hosts.Silent)
		pc, err := poolConfig(address, config, s.forReads, &refusals{log: s.log})
		if err != nil {
			return fmt.Errorf("DATABASE_REPLICA_URLS: %w", err)
		}
		pool, err := pgxpool.NewWithConfig(ctx, pc)
		if err != nil {
			return err
		}
		r := &replica{name: pc.ConnConfig.Host + ":" + strconv.Itoa(int(pc.ConnConfig.Port)), pool: pool}
		r.behind.Store(-1)
		s.replicas.list = append(s.replicas.list, r)
	}
	ctx, s.replicas.stop = context.WithCancel(context.WithoutCancel(ctx))
	for _, r := range s.replicas.list {
		s.replicas.done.Go(func() { s.watchReplica(ctx, r) })
	}
	return nil
}

func (rs *replicas) close() {
	if rs.stop != nil {
		rs.stop()
	}
	rs.done.Wait()
	for _, r := range rs.list {
		r.pool.Close()
	}
}

type replicaKey struct{}

// readPool returns the pool for the statements of a search or read: that of the standby that reading has chosen, otherwise the primary's.
func (s *Store) readPool(ctx context.Context) *pgxpool.Pool {
	if r, ok := ctx.Value(replicaKey{}).(chosenReplica); ok {
		return r.pool
	}
	return s.reads
}

// reading runs f, whose statements use readPool of its context, such that it sees everything written before. If a standby fails or a connection
// breaks, it runs f again on the primary, so f must not keep results of an attempt.
func reading[T any](ctx context.Context, s *Store, f func(ctx context.Context) (T, error)) (T, error) {
	giveUp := service.Held(ctx)
	if r, ok := s.chooseReplica(ctx); ok {
		out, err := f(context.WithValue(ctx, replicaKey{}, r))
		if err == nil || ctx.Err() != nil || !replicaFault(err) {
			return out, err
		}
		if connectionLost(err) {
			s.leaveOut(r.replica, err)
		} else {
			// Usually because replaying a change of a table had to cancel the search.
			s.log.Info("a read replica could not answer; the primary does", "replica", r.name, "error", err)
		}
	}
	return onPool(ctx, s.reads, func() (T, error) {
		giveUp()
		return f(ctx)
	})
}

// replicaFault reports whether an error comes from the standby rather than from what was asked of it.
func replicaFault(err error) bool {
	if _, ok := errors.AsType[*service.Error](err); ok {
		return false
	}
	return !errors.Is(err, service.ErrStale) && !gone(err) && state(err) != stateQueryCanceled
}

// chooseReplica returns a standby that has replayed everything written until now; ok is false if there is none, and the primary must answer.
func (s *Store) chooseReplica(ctx context.Context) (chosen chosenReplica, ok bool) {
	var ready []*replica
	n := uint32(len(s.replicas.list))
	if n == 0 {
		return chosen, false
	}
	first := s.replicas.next.Add(1)
	for i := range n {
		if r := s.replicas.list[(first+i)%n]; r.state.Load() == replicaReady {
			ready = append(ready, r)
		}
	}
	if len(ready) == 0 {
		return chosen, false
	}
	p, err := s.primaryPosition(ctx)
	if err != nil {
		return chosen, false // the search will fail there, too, or the primary is busy: then the search waits there
	}
	deadline := time.Now().Add(replicaWait)
	for next := time.Millisecond; ; next *= 2 {
		for _, r := range ready {
			has, err := r.has(ctx, p)
			if has {
				return chosenReplica{r, p.history}, true
			}
			if connectionLost(err) && ctx.Err() == nil {
				s.leaveOut(r, err)
			}
		}
		if time.Now().Add(next).After(deadline) {
			break
		}
		if pause(ctx, next) != nil {
			return chosen, false
		}
	}
	for _, r := range ready {
		s.leaveOut(r, errBehind) // so that not every search waits for it
	}
	return chosen, false
}

var errBehind = errors.New("it is behind the primary")

// primaryPosition returns the end of what the primary has committed. Commits that do not wait for the disk may be acknowledged before they are
// flushed; all others are flushed first, and a standby cannot have more.
func (s *Store) primaryPosition(ctx context.Context) (p position, err error) {
	ctx, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	conn, err := s.reads.Acquire(ctx)
	if err != nil {
		return p, err
	}
	defer conn.Release()
	p.history = historyOf(ctx, conn.Conn())
	var file string
	err = conn.QueryRow(ctx, `SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
		ELSE pg_current_wal_flush_lsn() END::text, pg_walfile_name(pg_current_wal_insert_lsn())`).Scan(&p.lsn, &file)
	if err != nil {
		return p, err
	}
	timeline, err := strconv.ParseUint(file[:8], 16, 32) // the first eight digits of each file name
	p.timeline = uint32(timeline)
	return p, err
}

// has reports whether the standby has replayed everything up to p.
func (r *replica) has(ctx context.Context, p position) (has bool, err error) {
	if r.state.Load() != replicaReady || r.timeline.Load() != p.timeline {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	err = r.pool.QueryRow(ctx, "SELECT pg_is_in_recovery() AND coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false)", p.lsn).Scan(&has)
	return has, err
}

func (s *Store) leaveOut(r *replica, why error) {
	switch {
	case r.state.Swap(replicaLeftOut) != replicaReady:
	case errors.Is(why, errBehind):
		s.tellBehind(r)
	default:
		r.quiet.Store(false)
		s.log.Warn(leftOut, "replica", r.name, "error", why)
	}
}

const leftOut = "a read replica is left out for now"

// tellBehind logs at most once a minute that a standby is behind: while much is written, a busy one falls behind and catches up every second.
func (s *Store) tellBehind(r *replica) {
	told := s.replicas.behind.first(r.name, time.Now())
	r.quiet.Store(!told)
	if told {
		s.log.Warn(leftOut, "replica", r.name, "error", errBehind)
	}
}

// watchReplica checks a standby at intervals until ctx ends, and uses it again once it is well.
func (s *Store) watchReplica(ctx context.Context, r *replica) {
	next, told := watchEvery, ""
	for {
		err := s.inspectReplica(ctx, r)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			next, told = watchEvery, ""
			if r.state.Swap(replicaReady) != replicaReady && !r.quiet.Load() {
				s.log.Info("a read replica takes part", "replica", r.name)
			}
		default:
			if r.state.Load() == replicaReady {
				s.leaveOut(r, err)
			} else if errors.Is(err, errBehind) {
				if r.quiet.Load() {
					s.tellBehind(r)
				}
			} else if err.Error() != told {
				r.quiet.Store(false)
				s.log.Warn("a read replica cannot be used", "replica", r.name, "error", err)
			}
			told = err.Error()
			if connectionLost(err) {
				next = min(2*next, maxWatch)
			} else {
				next = watchEvery
			}
		}
		if pause(ctx, next) != nil {
			return
		}
	}
}

// inspectReplica returns nil if r is a standby of the primary and up to date.
func (s *Store) inspectReplica(ctx context.Context, r *replica) error {
	if !r.sessions { // as for the primary (sessions.go): settings of searches would be missing, which change answers
		if _, err := checkSessions(ctx, r.pool.Config().ConnConfig); err != nil {
			return err
		}
		r.sessions = true
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	const identity = `(SELECT system_identifier FROM pg_control_system()), (SELECT oid::bigint FROM pg_database WHERE datname = current_database())`
	var primary, standby struct{ system, database int64 }
	if err := s.reads.QueryRow(ctx, "SELECT "+identity).Scan(&primary.system, &primary.database); err != nil {
		return fmt.Errorf("the primary does not answer: %w", err)
	}
	p, err := s.primaryPosition(ctx)
	if err != nil {
		return fmt.Errorf("the primary does not answer: %w", err)
	}
	// The control file may lag behind the timeline that the standby follows by one checkpoint: that errs on the safe side.
	var recovering, has bool
	var timeline uint32
	var behind int64
	err = r.pool.QueryRow(ctx, `SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false),
		greatest((SELECT timeline_id FROM pg_control_checkpoint()), (SELECT min_recovery_end_timeline FROM pg_control_recovery())),
		coalesce(greatest($1::text::pg_lsn - pg_last_wal_replay_lsn(), 0)::bigint, -1), `+identity, p.lsn).
		Scan(&recovering, &has, &timeline, &behind, &standby.system, &standby.database)
	if err != nil {
		r.behind.Store(-1)
		return err
	}
	r.behind.Store(behind)
	switch {
	case primary != standby:
		return errors.New("it does not have the database of the primary: DATABASE_REPLICA_URLS must name streaming standbys of DATABASE_URL")
	case !recovering:
		return errors.New("it is not a standby: it was promoted, or is the primary itself")
	case timeline != p.timeline:
		return fmt.Errorf("it follows the history of a former primary (timeline %d, the primary's is %d)", timeline, p.timeline)
	}
	r.timeline.Store(timeline)
	for range 10 { // while there are writes, it is always a little behind
		if has {
			return nil
		}
		if pause(ctx, replicaWait/10) != nil {
			return errBehind
		}
		err := r.pool.QueryRow(ctx, "SELECT coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false)", p.lsn).Scan(&has)
		if err != nil {
			return err
		}
	}
	return errBehind
}
