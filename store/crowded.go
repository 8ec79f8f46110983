package store

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
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
	// refusalsEvery is how often the log tells of it.
	refusalsEvery = time.Minute
	// writesIdle and readsIdle are how long a connection may idle before it is given back: other servers may have none, and cannot
	// ask for it. A new one makes a write a little longer, and a search that takes milliseconds several times as long.
	writesIdle = 15 * time.Second
	readsIdle  = time.Minute
)

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
	if state(err) != stateTooManyConnections || time.Since(began) > crowdedWait {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(10+rand.IntN(40)) * time.Millisecond):
		return true
	}
}

// refusals remembers when PostgreSQL had no connection left for a pool. It is a tracer because that is told of each attempt,
// those of the pool itself, too.
type refusals struct {
	log  *slog.Logger
	then func() // is called after each; nil: nothing is

	mu       sync.Mutex
	last     error
	at, told time.Time
}

// recent returns the refusal of a moment ago, if there was one; it is for pgxpool's BeforeConnect.
func (r *refusals) recent(context.Context, *pgx.ConnConfig) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) < refusedFor {
		return r.last
	}
	return nil
}

// TraceConnectStart does nothing.
func (r *refusals) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

// TraceConnectEnd notes a refusal.
func (r *refusals) TraceConnectEnd(_ context.Context, data pgx.TraceConnectEndData) {
	if state(data.Err) != stateTooManyConnections {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.at = data.Err, time.Now()
	if r.then != nil {
		go r.then() // others wait for what this connection's pool does meanwhile
	}
	if time.Since(r.told) < refusalsEvery {
		return
	}
	r.told = r.at
	r.log.Warn("PostgreSQL has no connection left, requests wait for those that there are: raise max_connections, or the limit of the role or database, or make ROWAN_POOL_SIZE smaller. "+
		"All servers together open up to twice the pool size each", "error", data.Err)
}

// TraceQueryStart and TraceQueryEnd are there because pgx takes tracers of queries only.
func (r *refusals) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (r *refusals) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
