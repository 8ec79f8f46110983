package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// tracerOf returns the tracer that pgx calls for each statement, and each acquisition and opening of a connection.
func tracerOf(config Config, refused *refusals) pgx.QueryTracer {
	tracers := []pgx.QueryTracer{acquireLimit{wait: config.ConnectionWait}, refused, meetTracer{}}
	if config.WatchSearches {
		tracers = append(tracers, watchTracer{})
	}
	if config.Tracer != nil {
		tracers = append(tracers, spanTracer{config.Tracer})
	}
	return multitracer.New(tracers...)
}

// spanTracer creates a span for each statement that is run within a span: statements of the background work belong to no request. The span contains
// the SQL without arguments, and of an error only its SQLSTATE, because PostgreSQL's message may repeat a value.
type spanTracer struct{ tracer trace.Tracer }

// tracedSQL is the maximum length of a statement in a span.
const tracedSQL = 4 << 10 // bytes

type spanKey struct{}

// batchSpan is the span of a batch in progress.
type batchSpan struct {
	trace.Span
	statementBegan time.Time
}

func (t spanTracer) begin(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	options = append(options, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("db.system.name", "postgresql")))
	return t.tracer.Start(ctx, name, options...)
}

func traced(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

func statementText(sql string) attribute.KeyValue {
	return attribute.String("db.query.text", cutText(sql, tracedSQL))
}

func endSpan(span trace.Span, err error, options ...trace.SpanEndOption) {
	if err != nil {
		code := state(err)
		if code != "" {
			span.SetAttributes(attribute.String("db.response.status_code", code))
		}
		span.SetStatus(codes.Error, code)
	}
	span.End(options...)
}

// TraceQueryStart starts the span of a statement.
func (t spanTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if !traced(ctx) {
		return ctx
	}
	ctx, span := t.begin(ctx, "sql", trace.WithAttributes(statementText(data.SQL)))
	return context.WithValue(ctx, spanKey{}, span)
}

// TraceQueryEnd ends the span.
func (t spanTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if span, ok := ctx.Value(spanKey{}).(trace.Span); ok {
		endSpan(span, data.Err)
	}
}

// TraceBatchStart starts the span of statements that are sent together.
func (t spanTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	if !traced(ctx) {
		return ctx
	}
	began := time.Now()
	ctx, span := t.begin(ctx, "sql batch", trace.WithTimestamp(began), trace.WithAttributes(attribute.Int("db.operation.batch.size", data.Batch.Len())))
	return context.WithValue(ctx, spanKey{}, &batchSpan{Span: span, statementBegan: began})
}

// TraceBatchQuery creates the span of one of these statements. It is called after the result has been read, so each span begins where the previous
// one ended.
func (t spanTracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	batch, ok := ctx.Value(spanKey{}).(*batchSpan)
	if !ok {
		return
	}
	now := time.Now()
	_, span := t.begin(ctx, "sql", trace.WithTimestamp(batch.statementBegan), trace.WithAttributes(statementText(data.SQL)))
	endSpan(span, data.Err, trace.WithTimestamp(now))
	batch.statementBegan = now
}

// TraceBatchEnd ends the span of the batch.
func (t spanTracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	if batch, ok := ctx.Value(spanKey{}).(*batchSpan); ok {
		endSpan(batch, data.Err)
	}
}
