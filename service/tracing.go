package service

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// span starts the span of a use case. Without a tracer it costs nothing. Spans hold names and counts, never a query, an id or a body.
func (s *Service) span(ctx context.Context, name, application string) (context.Context, trace.Span) {
	if s.config.Tracer == nil {
		return ctx, noop.Span{}
	}
	return s.config.Tracer.Start(ctx, name, trace.WithAttributes(attribute.String("rowan.application", application)))
}

// endSpan ends a span and records the code of err in it.
func endSpan(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		code := string(ErrorCode(err))
		span.SetAttributes(attribute.String("rowan.error", code))
		span.SetStatus(codes.Error, code)
	}
	span.End()
}
