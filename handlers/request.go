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

// requestInfo is what is learnt about a request on its way down and logged on its way up. It belongs to
// the goroutine of the request.
type requestInfo struct {
	id        string
	host      string // application that the host name belongs to; "" when hosts do not matter
	principal service.Principal
	operation string
	trace     string // its id; "" when requests are not traced
	cause     error  // why it failed, when that was not the client's doing
	stack     []byte
}

func (i *requestInfo) realm() string {
	if i.host != "" {
		return i.host
	}
	return "rowan"
}

// infoOf never returns nil, so that errors can be rendered outside of a request, too.
func infoOf(ctx context.Context) *requestInfo {
	if info, ok := ctx.Value(infoKey).(*requestInfo); ok {
		return info
	}
	return &requestInfo{}
}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string { return infoOf(ctx).id }

// logged gives each request an id and writes its line in the log. Keys, bodies, paths and query strings
// stay out of it: any of them may hold what is private.
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
			if status >= http.StatusInternalServerError || info.stack != nil { // an answer that was cut off had another status
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

// requestID returns the id that the client chose if it is at most 128 visible ASCII characters, else a new one.
func requestID(given string) string {
	visible := func(c rune) bool { return c > ' ' && c <= '~' }
	if given != "" && len(given) <= 128 && strings.IndexFunc(given, func(c rune) bool { return !visible(c) }) < 0 {
		return given
	}
	id, err := uuid.NewV7()
	if err != nil { // no randomness: an id is still needed, and need not be secret
		return fmt.Sprintf("%d", time.Now().UnixNano())
	}
	return id.String()
}

// recovered answers a panic with a problem, or cuts the connection when an answer is under way already:
// half an answer must not look like a whole one.
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

// secured sets the headers that keep browsers from guessing, framing, caching or executing answers. Pages
// (docs, dashboard) replace the policy by their own.
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

// unnegotiated forgets what the request accepts: answers are JSON, and errors problems, whatever that is. huma would call
// what succeeds a problem where only these are accepted, and panics at an Accept of "a;b,c", also after a write.
func unnegotiated(ctx huma.Context, next func(huma.Context)) {
	r, _ := humachi.Unwrap(ctx)
	r.Header.Del("Accept")
	next(ctx)
}

// named notes which operation a request is for.
func (a *api) named(ctx huma.Context, next func(huma.Context)) {
	infoOf(ctx.Context()).operation = ctx.Operation().OperationID
	next(ctx)
}
