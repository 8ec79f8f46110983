package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// acquireLimit bounds how long a request waits for a connection while all are in use: pgxpool would wait as long as the request lives. It is a
// tracer, because the context that a tracer returns only applies to the acquisition, not to the statement that follows.
type acquireLimit struct {
	noQueries
	wait time.Duration
}

type acquireKey struct{}

// TraceAcquireStart starts the time limit.
func (l acquireLimit) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	ctx, cancel := context.WithTimeout(ctx, l.wait)
	return context.WithValue(ctx, acquireKey{}, cancel)
}

// TraceAcquireEnd ends the time limit.
func (acquireLimit) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireEndData) {
	if cancel, ok := ctx.Value(acquireKey{}).(context.CancelFunc); ok {
		cancel()
	}
}

// noQueries is a tracer of queries that does nothing: pgx accepts tracers of other things only if they also trace queries.
type noQueries struct{}

// TraceQueryStart does nothing.
func (noQueries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (noQueries) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
