package handlers

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"github.com/rowansearch/rowan/service"
)

type contextKey int

const (
	infoKey contextKey = iota
	principalKey
	bodyKey
)

// requestInfo collects what the handlers learn about a request, for its line in the log. It belongs to the goroutine of the
// request.
type requestInfo struct {
	id        string
	host      string // application that the host name belongs to; "" if hosts do not matter
	principal service.Principal
	operation string
	trace     string // trace id; "" if requests are not traced
	cause     error  // why the request failed, if that was not the client's doing
	stack     []byte
}

func (i *requestInfo) realm() string {
	if i.host != "" {
		return i.host
	}
	return "rowan"
}

// infoOf returns the info of the request that ctx belongs to. It never returns nil, so that errors can also be rendered
// outside of a request.
func infoOf(ctx context.Context) *requestInfo {
	if info, ok := ctx.Value(infoKey).(*requestInfo); ok {
		return info
	}
	return &requestInfo{}
}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string { return infoOf(ctx).id }

// logged gives each request an id and logs it. Keys, bodies, paths and query strings are kept out of the log: any of them
// may be private.
func logged(logger *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		info := &requestInfo{id: requestID(r.Header.Get("X-Request-Id"))}
		w.Header().Set("X-Request-Id", info.id)
		out := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		r = r.WithContext(context.WithValue(r.Context(), infoKey, info))
		defer func() {
			status := statusOf(out)
			level := slog.LevelInfo
			if status >= http.StatusInternalServerError || info.stack != nil { // a panic that cut off an answer came after its status
				level = slog.LevelError
			} else if isHealthCheck(info.operation) {
				level = slog.LevelDebug
			}
			attrs := []slog.Attr{
				slog.String("request_id", info.id),
				slog.String("application", info.principal.Application),
				slog.String("method", cut(r.Method, 20)),
				slog.String("operation", info.operation),
				slog.Int("status", status),
				slog.Float64("duration_ms", float64(time.Since(started).Microseconds())/1000),
				slog.Int("bytes", out.BytesWritten()),
			}
			if info.trace != "" {
				attrs = append(attrs, slog.String("trace_id", info.trace))
			}
			if info.cause != nil {
				attrs = append(attrs, slog.String("error", info.cause.Error()))
			}
			if info.stack != nil {
				attrs = append(attrs, slog.String("stack", string(info.stack)))
			}
			logger.LogAttrs(r.Context(), level, "request", attrs...)
		}()
		next.ServeHTTP(out, r)
	})
}

// requestID returns the id that the client chose if it is at most 128 visible ASCII characters, otherwise a new one.
func requestID(given string) string {
	visible := func(c rune) bool { return c > ' ' && c <= '~' }
	if given != "" && len(given) <= 128 && strings.IndexFunc(given, func(c rune) bool { return !visible(c) }) < 0 {
		return given
	}
	id, err := uuid.NewV7()
	if err != nil { // no randomness; an id is still needed, and need not be secret
		return fmt.Sprintf("%d", time.Now().UnixNano())
	}
	return id.String()
}

// recovered answers a panic with a problem. If an answer is already under way, it cuts the connection instead: half an
// answer must not look like a whole one.
func recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares the panic value itself
				panic(v)
			}
			err := fmt.Errorf("panic: %v", v)
			if r.Context().Err() == nil { // else the client has gone, and writing to it failed
				info := infoOf(r.Context())
				info.cause, info.stack = err, debug.Stack()
			}
			if out, ok := w.(middleware.WrapResponseWriter); ok && out.Status() != 0 {
				panic(http.ErrAbortHandler)
			}
			writeProblem(w, r, err)
		}()
		next.ServeHTTP(w, r)
	})
}

// secured sets the headers that keep browsers from guessing the type of answers, and from framing, caching or executing
// them. Pages (docs, dashboard) replace the policy by their own.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		next.ServeHTTP(w, r)
	})
}

// unnegotiated drops the Accept header: answers are JSON and errors are problems, whatever the client accepts. huma would
// call a successful answer a problem if only problems are accepted, and panics at an Accept of "a;b,c", even after a write.
func unnegotiated(ctx huma.Context, next func(huma.Context)) {
	r, _ := humachi.Unwrap(ctx)
	r.Header.Del("Accept")
	next(ctx)
}

// named records which operation a request is for.
func (a *api) named(ctx huma.Context, next func(huma.Context)) {
	infoOf(ctx.Context()).operation = ctx.Operation().OperationID
	next(ctx)
}
