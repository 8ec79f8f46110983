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

// Where PostgreSQL has no connection left, because servers together may open more than it has, requests wait for one that the
// pool's others give back, and the server's pools give back those that idle.

const (
	// crowdedWait is how long a request waits then.
	crowdedWait = 10 * time.Second
	// refusedFor is how long PostgreSQL is not asked for another connection after it had none: each question makes it start
	// one or two processes, and all that wait would ask.
	refusedFor = 200 * time.Millisecond
	// maxPause is how long a pooler is not asked after several that it had none for.
	maxPause = 15 * time.Second
	// queuedFor is how long a connection waits in the queue of a pooler, if there are others.
	queuedFor = time.Second
	// refusalsEvery is how often the log tells of it.
	refusalsEvery = time.Minute
	// writesIdle and readsIdle are how long a connection may idle before it is given back: other servers may have none, and cannot
	// ask for it. A new one makes a write a little longer, and a search that takes milliseconds several times as long.
	writesIdle = 15 * time.Second
	readsIdle  = time.Minute
	// writesKept and readsKept are how many are kept however long they idle, so that the first search after a pause does not wait
	// for new ones. A search reads on two connections in turn, because it does not wait for the end of a transaction. Of the writes'
	// pool it has its key.
	writesKept = 1
	readsKept  = 2
	// keptOf is the share of a pool that may be kept: who has a small one has few connections, or many servers.
	keptOf = 8
)

// kept is how many connections a pool keeps that may have so many. A pooler may have fewer sessions than there are servers.
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
	seen   map[history]bool // what connections were opened to
	silent sync.Once        // a warning that the server does not tell its history
}

func (p *primaryPools) add(pool *pgxpool.Pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, pool)
}

// reached notes the history that a new connection has, and tells whether it is a new one after others. Then all connections of before
// are given up: a former primary that was not stopped would still answer on them, and take writes.
func (p *primaryPools) reached(h history) (another bool) {
	p.mu.Lock()
	another = len(p.seen) > 0 && !p.seen[h]
	if p.seen == nil {
		p.seen = map[history]bool{}
	}
	p.seen[h] = true
	pools := slices.Clone(p.list)
	p.mu.Unlock()
	if another {
		for _, pool := range pools {
			pool.Reset()
		}
	}
	return another
}

// giveBackIdle closes the connections that idle, but for one of each pool: writes that have ended would keep searches from any.
func (p *primaryPools) giveBackIdle() {
	p.mu.Lock()
	pools := slices.Clone(p.list)
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, pool := range pools {
		for i, conn := range pool.AcquireAllIdle(ctx) {
			if i > 0 {
				_ = conn.Conn().Close(ctx) // it is gone all the same
			}
			conn.Release()
		}
	}
}

// crowded tells that f failed for want of a connection and may be run again, after a moment.
func crowded(ctx context.Context, err error, began time.Time) bool {
	if !full(err) || time.Since(began) > crowdedWait {
		return false
	}
	return pause(ctx, time.Duration(10+rand.IntN(40))*time.Millisecond) == nil
}

// full tells that PostgreSQL, or a pooler before it, has no connection left.
func full(err error) bool {
	if state(err) == stateTooManyConnections || errors.Is(err, errQueued) {
		return true
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == stateProtocolViolation && strings.Contains(e.Message, "max_client_conn") // of PgBouncer
}

// errQueued tells that a pooler has taken a connection, but has no session for it.
var errQueued = errors.New("the connection pooler in front of PostgreSQL has no free session")

// refusals remembers when PostgreSQL had no connection left for a pool. It is a tracer because that is told of each attempt,
// those of the pool itself, too.
//
// A pooler does not refuse: who connects waits there for a session, and stays in its queue for minutes after giving that up. So
// connections to a pooler are opened one after the other, and seldom once one had to wait.
type refusals struct {
	noQueries
	log    *slog.Logger
	pooled bool   // a pooler stands before PostgreSQL
	then   func() // is called after each; nil: nothing is
	open   atomic.Int32

	turn sync.Mutex // is held while a connection is opened to a pooler

	mu          sync.Mutex
	last        error
	until, told time.Time
	pause       time.Duration // after connections that had to wait in vain, one after the other
}

// recent returns the refusal of a moment ago, if there was one. Where it returns none, a connection is opened.
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

// patience is how long a new connection waits for its first answer. Where the pool has others, one of these may be given back sooner
// than the pooler has a session free.
func (r *refusals) patience(most time.Duration) time.Duration {
	if r.pooled && r.open.Load() > 0 {
		return min(most, queuedFor)
	}
	return most
}

// queued is the error of the first statement on a new connection: a pooler that does not answer it has no session for it.
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

// TraceConnectEnd notes a refusal.
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
		go r.then() // others wait for what this connection's pool does meanwhile
	}
	if time.Since(r.told) < refusalsEvery {
		return
	}
	r.told = time.Now()
	r.log.Warn("PostgreSQL has no connection left, so requests wait for existing ones: "+advice+". Each server opens up to twice the pool size", "error", data.Err)
}
