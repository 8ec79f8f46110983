package store

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Where PostgreSQL has no connection left, because servers together may open more than it has, requests wait for one that the
// pool's others give back.

const (
	// crowdedWait is how long a request waits then.
	crowdedWait = 10 * time.Second
	// refusedFor is how long PostgreSQL is not asked for another connection after it had none: each question makes it start
	// one or two processes, and all that wait would ask.
	refusedFor = 200 * time.Millisecond
	// refusalsEvery is how often the log tells of it.
	refusalsEvery = time.Minute
)

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
	log *slog.Logger

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
