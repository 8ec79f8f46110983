package handlers_test

import (
	"fmt"
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

// witness keeps what an observer is told.
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

// Whatever clients send, there are few operations and methods.
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
