package handlers

import (
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Answered describes a request that has been answered.
type Answered struct {
	// Operation is the operation's id in the OpenAPI document, "dashboard" for the dashboard's pages, or "other".
	Operation string
	// Method is a method of HTTP, or "other".
	Method string
	Status int
	Took   time.Duration
}

// Observer is told of requests. Its methods are called by the goroutines that answer, and must not hold them up.
type Observer interface {
	// Began is called when a request begins, and Answered when it has ended.
	Began()
	Answered(a Answered)
}

// unobserved is the Observer of a Config without one.
type unobserved struct{}

// Began does nothing.
func (unobserved) Began() {}

// Answered does nothing.
func (unobserved) Answered(Answered) {}

const (
	dashboardOperation = "dashboard"
	otherOperation     = "other"
)

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// observed tells the observer of each request. next gets a middleware.WrapResponseWriter.
func observed(o Observer, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		o.Began()
		defer func() {
			o.Answered(Answered{Operation: operationOf(r), Method: methodOf(r), Status: statusOf(w), Took: time.Since(began)})
		}()
		next.ServeHTTP(w, r)
	})
}

// traced makes a span for each request, under the span that the request names (W3C traceparent). Paths, queries and headers
// are kept out of it, as they are kept out of the log.
func traced(tracer trace.Tracer, next http.Handler) http.Handler {
	if tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := tracer.Start(ctx, methodOf(r), trace.WithSpanKind(trace.SpanKindServer))
		info := infoOf(ctx)
		info.trace = span.SpanContext().TraceID().String()
		defer func() {
			status := statusOf(w)
			span.SetName(operationOf(r))
			span.SetAttributes(attribute.String("http.request.method", methodOf(r)), attribute.Int("http.response.status_code", status),
				attribute.String("rowan.application", info.principal.Application), attribute.String("rowan.request_id", info.id))
			if status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func operationOf(r *http.Request) string {
	if operation := infoOf(r.Context()).operation; operation != "" {
		return operation
	}
	return otherOperation
}

// methodOf returns the method of a request, or "other" if it is not one of methods: clients can make up any number of them.
func methodOf(r *http.Request) string {
	if slices.Contains(methods, r.Method) {
		return r.Method
	}
	return "other"
}

func statusOf(w http.ResponseWriter) int {
	if out, ok := w.(middleware.WrapResponseWriter); ok && out.Status() != 0 {
		return out.Status()
	}
	return http.StatusOK // what net/http sends when a handler writes nothing
}

// ofOperation records the operation of requests that do not go through huma.
func ofOperation(operation string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		infoOf(r.Context()).operation = operation
		next.ServeHTTP(w, r)
	})
}
