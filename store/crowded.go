package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// When PostgreSQL has no connection left, because servers together may open more than it allows, requests wait for one that others return to the
// pool, and the server's pools close idle ones.

const (
	// crowdedWait is how long a request waits in that case.
	crowdedWait = 10 * time.Second
	// refusedFor is how long PostgreSQL is not asked for another connection after it has refused one: each attempt makes it start one or two processes,
	// and all waiting requests would try.
	refusedFor = 200 * time.Millisecond
	// maxPause is the longest time for which a pooler is not asked after several attempts in vain.
	maxPause = 15 * time.Second
	// queuedFor is how long a connection waits in a pooler's queue if the pool has other connections.
	queuedFor = time.Second
	// refusalsEvery is the minimum interval between log messages about this.
	refusalsEvery = time.Minute
	// writesIdle and readsIdle are how long a connection may be idle before it is closed: other servers may have none, and cannot ask for it. Opening a
	// new one makes a write take a little longer, and a search of a few milliseconds several times as long.
	writesIdle = 15 * time.Second
	readsIdle  = time.Minute
	// writesKept and readsKept are how many idle connections are never closed, so that the first search after a pause does not wait for new ones. A
	// search alternates between two connections, because it does not wait for its transaction to end. It reads its key on a connection of the pool for
	// writes.
	writesKept = 1
	readsKept  = 2
	// A pool keeps at most 1/keptOf of its size: a small pool suggests few connections or many servers.
	keptOf = 8
)

// kept returns how many idle connections a pool of size most keeps. A pooler may have fewer sessions than there are servers, so none are kept with
// one.
func (s *Store) kept(most, asked int32) int32 {
	if s.pooled {
		return 0
	}
	return min(asked, most/keptOf)
}

// primaryPools are the pools to the primary, which share its connections.
type primaryPools struct {
	mu     sync.Mutex
	list   []*pgxpool.Pool
	seen   map[history]bool // histories of the servers that connections were opened to
	silent sync.Once        // guards a warning that the server does not tell its history
	latest map[int64]uint32 // the latest timeline of each cluster on which a server accepted writes
	former map[string]bool  // addresses of servers that were on an earlier one
	told   seldom           // that the log has told of
}

// outlived records the origin of the server at an address, and reports whether a later timeline of its cluster was seen.
func (p *primaryPools) outlived(address string, o origin) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.latest == nil {
		p.latest, p.former = map[int64]uint32{}, map[string]bool{}
	}
	if o.timeline < p.latest[o.cluster] {
		p.former[address] = true
		return true
	}
	p.latest[o.cluster] = o.timeline
	delete(p.former, address)
	return false
}

// promoted reports whether only earlier timelines of the cluster were known.
func (p *primaryPools) promoted(o origin) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	latest, known := p.latest[o.cluster]
	return known && latest < o.timeline
}

// reset closes all connections of the pools, those in use once they are returned.
func (p *primaryPools) reset() {
	p.mu.Lock()
	pools := slices.Clone(p.list)
	p.mu.Unlock()
	for _, pool := range pools {
		pool.Reset()
	}
}

// suspected reports whether the server at an address was a former primary when it was last asked.
func (p *primaryPools) suspected(address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.former[address]
}

func (p *primaryPools) add(pool *pgxpool.Pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, pool)
}

// reached records the history of a new connection, and reports whether it is a new one after others. If so, it resets the pools: a former primary
// that was not stopped would still answer on the earlier connections, and accept writes.
func (p *primaryPools) reached(h history) (another bool) {
	p.mu.Lock()
	another = len(p.seen) > 0 && !p.seen[h]
	if p.seen == nil {
		p.seen = map[history]bool{}
	}
	p.seen[h] = true
	p.mu.Unlock()
	if another {
		p.reset()
	}
	return another
}

// giveBackIdle closes idle connections except one in each pool: otherwise those of ended writes would leave none for searches.
func (p *primaryPools) giveBackIdle() {
	p.mu.Lock()
	pools := slices.Clone(p.list)
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, pool := range pools {
		for i, conn := range pool.AcquireAllIdle(ctx) {
			if i > 0 {
				_ = conn.Conn().Close(ctx) // it is closed in any case
			}
			conn.Release()
		}
	}
}

// crowded waits a moment and reports whether f, which failed for lack of a connection, may be run again.
func crowded(ctx context.Context, err error, began time.Time) bool {
	if !full(err) || time.Since(began) > crowdedWait {
		return false
	}
	return pause(ctx, time.Duration(10+rand.IntN(40))*time.Millisecond) == nil
}

// full reports whether PostgreSQL, or a pooler in front of it, has no connection left.
func full(err error) bool {
	if state(err) == stateTooManyConnections || errors.Is(err, errQueued) {
		return true
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == stateProtocolViolation && strings.Contains(e.Message, "max_client_conn") // from PgBouncer
}

// errQueued says that a pooler has accepted a connection, but has no session for it.
var errQueued = errors.New("the connection pooler in front of PostgreSQL has no free session")

// refusals remembers when PostgreSQL had no connection left for a pool. It is a tracer, because a tracer learns of every attempt, including those
// that the pool makes by itself.
//
// A pooler does not refuse: a client that connects waits for a session, and stays in the queue for minutes after it has given up. So connections to a
// pooler are opened one at a time, and rarely once one had to wait.
type refusals struct {
	noQueries
	log    *slog.Logger
	pooled bool   // there is a pooler in front of PostgreSQL
	then   func() // called after each refusal unless nil
	open   atomic.Int32

	turn sync.Mutex // held while a connection to a pooler is being opened

	mu          sync.Mutex
	last        error
	until, told time.Time
	pause       time.Duration // after consecutive connections that waited in vain
}

// recent returns the refusal of a moment ago, if there was one. If it returns nil, the caller opens a connection.
func (r *refusals) recent() error {
	if r.pooled {
		r.turn.Lock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Now().After(r.until) {
		return nil
	}
	if r.pooled {
		r.turn.Unlock()
	}
	return r.last
}

// patience returns how long a new connection waits for its first answer. If the pool has other connections, one of them may be returned before the
// pooler has a session free.
func (r *refusals) patience(most time.Duration) time.Duration {
	if r.pooled && r.open.Load() > 0 {
		return min(most, queuedFor)
	}
	return most
}

// queued converts the error of the first statement on a new connection: a pooler that does not answer it has no session for it.
func (r *refusals) queued(err error) error {
	if r.pooled && pgconn.Timeout(err) {
		return fmt.Errorf("%w: %w", errQueued, err)
	}
	return err
}

// TraceConnectStart does nothing.
func (r *refusals) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

// TraceConnectEnd records a refusal.
func (r *refusals) TraceConnectEnd(_ context.Context, data pgx.TraceConnectEndData) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pooled {
		defer r.turn.Unlock()
	}
	if !full(data.Err) {
		r.pause = 0
		return
	}
	r.last, r.until = data.Err, time.Now().Add(refusedFor)
	advice := "raise max_connections, or the limit of the role or database, or reduce ROWAN_POOL_SIZE"
	if r.pooled {
		r.pause = min(max(2*r.pause, refusedFor), maxPause)
		r.until = time.Now().Add(r.pause)
		advice = "raise the pooler's limits (PgBouncer: default_pool_size, max_client_conn), or reduce ROWAN_POOL_SIZE"
	}
	if r.then != nil {
		go r.then() // others wait for what this connection's pool does in the meantime
	}
	if time.Since(r.told) < refusalsEvery {
		return
	}
	r.told = time.Now()
	r.log.Warn("PostgreSQL has no connection left, so requests wait for existing ones: "+advice+". Each server opens up to twice the pool size", "error", data.Err)
}
