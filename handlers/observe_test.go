package handlers_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/rowansearch/rowan/handlers"
)

// witness records what an Observer is told.
type witness struct {
	mu       sync.Mutex
	began    int
	answered []string
}

func (w *witness) Began() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began++
}

func (w *witness) Answered(a handlers.Answered) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = append(w.answered, fmt.Sprint(a.Operation, " ", a.Method, " ", a.Status))
}

// Whatever clients send, there are only a few operations and methods.
func TestRequestsAreObserved(t *testing.T) {
	t.Parallel()
	w := &witness{}
	spans := tracetest.NewInMemoryExporter()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)).Tracer("test")
	pages := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	c := newAPI(t, handlers.Config{Observer: w, Tracer: tracer, Dashboard: pages})
	c.do("POST", "/v1/index/hushhush", "{}")
	c.do("GET", "/v1/index/hushhush/document/hushhush?hushhush=1", "")
	c.do("GET", "/v1/index/hushhush", "", "Authorization", "")
	c.do("GET", "/hushhush", "")
	c.do("HUSHHUSH", "/hushhush", "")
	c.do("GET", "/dashboard/keys", "")
	want := []string{"createIndex POST 202", "getDocument GET 422", "getIndex GET 401", "other GET 404", "other other 404", "dashboard GET 200"}
	if diff := cmp.Diff(want, w.answered); diff != "" || w.began != len(want) {
		t.Errorf("%d began; answered (-want +got):\n%s", w.began, diff)
	}
	var names []string
	for _, span := range spans.GetSpans() {
		names = append(names, span.Name)
		if text := fmt.Sprint(span.Name, span.Attributes, span.Status, span.Events); strings.Contains(strings.ToLower(text), "hushhush") {
			t.Errorf("a span tells of what was sent: %s", text)
		}
	}
	if diff := cmp.Diff([]string{"createIndex", "dashboard", "getDocument", "getIndex", "other", "other"}, slices.Sorted(slices.Values(names))); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// logLines passes on the lines of a log one by one: the last line of a request comes after its answer.
type logLines chan string

func (l logLines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// Pages that search while somebody types cancel most of their requests: the server has not failed then.
func TestRequestsWhoseClientHasGoneAreNoFailures(t *testing.T) {
	t.Parallel()
	w := &witness{}
	lines := make(logLines, 10)
	c := newAPI(t, handlers.Config{Observer: w, Logger: slog.New(slog.NewTextHandler(lines, nil))})
	c.do("POST", "/v1/index/shop", "{}")
	<-lines
	tx, err := c.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), "LOCK TABLE app_demo.shop"); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/v1/search/shop", strings.NewReader(`{"query":"lamp"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("demo", c.search)
	go func() {
		for waits := false; !waits; {
			if err := tx.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'app_demo.shop'::regclass)").Scan(&waits); err != nil {
				t.Error(err)
				break
			}
		}
		leave()
	}()
	if response, err := c.http.Do(r); err == nil {
		_ = response.Body.Close()
		t.Errorf("answered %d", response.StatusCode)
	}
	if line := <-lines; !strings.Contains(line, "level=INFO") || !strings.Contains(line, "status=499") {
		t.Errorf("logged %s", line)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if got := w.answered[len(w.answered)-1]; got != "search POST 499" {
		t.Errorf("observed %q", got)
	}
}
