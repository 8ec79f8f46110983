package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/cmd/rowan/internal/metrics"
	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
)

func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	for _, s := range []service.Searched{
		{Total: 3, Took: 20 * time.Millisecond, Remembered: true},
		{Took: 2 * time.Second},
		{Err: service.Errorf(service.CodeSearchTimeout, "too long"), Took: 10 * time.Second},
		{Err: service.Errorf(service.CodeTooManyRequests, "no"), Refused: true},
		{Err: service.Errorf(service.CodeUnavailable, "no"), Refused: true},
		{Err: service.Errorf(service.CodeUnavailable, "no connection")},
		{Err: errors.New("what we did not think of")},
		{Err: service.Errorf(service.CodeInvalidFilter, "no filter")},
		{Err: service.Errorf(service.CodeSearchNotFound, "no search")},
		{Err: fmt.Errorf("reading: %w", context.Canceled), Refused: true},
	} {
		s.Application = "shop"
		m.Searched(t.Context(), s)
	}
	m.Suggested(t.Context(), service.Suggested{Application: "shop", Took: time.Millisecond})
	m.Began()
	m.Began()
	m.Answered(handlers.Answered{Operation: "search", Method: "POST", Status: 200, Took: 30 * time.Millisecond})
	got := scrape(t, m)
	for _, want := range []string{
		`rowan_searches_total{application="shop",outcome="ok"} 1`,
		`rowan_searches_remembered_total 1`,
		`rowan_searches_total{application="shop",outcome="nothing_found"} 1`,
		`rowan_searches_total{application="shop",outcome="timeout"} 1`,
		`rowan_searches_total{application="shop",outcome="refused"} 2`,
		`rowan_searches_total{application="shop",outcome="error"} 2`,
		`rowan_searches_total{application="shop",outcome="invalid"} 2`,
		`rowan_searches_total{application="shop",outcome="cancelled"} 1`,
		`rowan_search_duration_seconds_count 3`,
		`rowan_search_duration_seconds_bucket{le="0.025"} 1`,
		`rowan_search_duration_seconds_bucket{le="2.5"} 2`,
		`rowan_suggestions_total{outcome="ok"} 1`,
		`rowan_suggestions_total{outcome="error"} 0`,
		`rowan_suggestion_duration_seconds_count 1`,
		`rowan_http_requests_in_flight 1`,
		`rowan_http_requests_total{method="POST",operation="search",status="200"} 1`,
		`rowan_build_info{version="test"} 1`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestApplicationsAreBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	for range 2 {
		for i := range 250 {
			m.Searched(t.Context(), service.Searched{Application: fmt.Sprint("app", i), Total: 1})
		}
	}
	got := scrape(t, m)
	if n := strings.Count(got, "\nrowan_searches_total{"); n != 201 {
		t.Errorf("%d series, want one for each of 200 applications and one for the others", n)
	}
	for _, want := range []string{`{application="app199",outcome="ok"} 2`, `{application="other",outcome="ok"} 100`} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s", want)
		}
	}
}

func TestBackend(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	there := false
	m.Collect(func() (metrics.Backend, bool) {
		return metrics.Backend{
			Store: store.Stats{
				Pools:    []store.PoolStats{{Name: "writes", Max: 16, Waited: 1500 * time.Millisecond}, {Name: "standby:5432"}, {Name: "standby:5432"}},
				Replicas: []store.Replica{{Name: "standby:5432", Behind: 8}, {Name: "standby:5432"}, {Name: "lost:5432", Behind: -1}},
				Work:     []store.WorkStats{{Kind: "derive", Took: time.Second, Rounds: 2, Failed: 1, Indices: 3}}, LastRound: time.Unix(1_800_000_000, 0),
			},
			Load: service.Load{Searches: service.GateLoad{Capacity: 16, Inside: 2, Waiting: 1, Refused: 5}, Bodies: service.GateLoad{Capacity: 1 << 20, Inside: 7}},
		}, there
	})
	if got := scrape(t, m); strings.Contains(got, "rowan_pool") {
		t.Errorf("there is no backend yet:\n%s", got)
	}
	there = true
	got := scrape(t, m)
	for _, want := range []string{
		`rowan_pool_wait_seconds_total{pool="writes"} 1.5`,
		`rowan_replica_behind_bytes{replica="standby:5432"} 8`,
		`rowan_replica_ready{replica="lost:5432"} 0`,
		`rowan_worker_seconds_total{work="derive"} 1`,
		`rowan_worker_failed_rounds_total{work="derive"} 1`,
		`rowan_worker_waiting_indices{work="derive"} 3`,
		`rowan_worker_last_round_timestamp_seconds 1.8e+09`,
		`rowan_gate_inside{gate="searches"} 2`,
		`rowan_gate_refused_total{gate="searches"} 5`,
		`rowan_bodies_held_bytes 7`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("lacks %s", want)
		}
	}
	for _, not := range []string{`rowan_replica_behind_bytes{replica="lost`, `rowan_gate_inside{gate="bodies"}`} {
		if strings.Contains(got, not) {
			t.Errorf("has %s", not)
		}
	}
}
