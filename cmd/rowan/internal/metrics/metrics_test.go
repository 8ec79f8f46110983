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

	"github.com/google/go-cmp/cmp"

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
		{Err: service.Errorf(service.CodeTooManyRequests, "no room for the answer")},
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
		`rowan_searches_total{application="shop",outcome="refused"} 3`,
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
		`rowan_http_request_duration_seconds_bucket{operation="search",le="0.025"} 0`,
		`rowan_http_request_duration_seconds_bucket{operation="search",le="0.05"} 1`,
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

// Each number of the layers below has a series of its own, of the right type; pools and replicas with the same name have one.
func TestBackend(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	there := false
	backend := metrics.Backend{
		Store: store.Stats{
			Created: 31, Updated: 32, Deleted: 33, Pending: 34, BlocksBuilt: 35, LexemeHits: 36, LexemeMisses: 37, PostingsHits: 38, PostingsMisses: 39, Held: 40, InVain: 41,
			Pools: []store.PoolStats{
				{Name: "writes", Acquired: 11, Idle: 12, Max: 16, Waits: 13, Waited: 1500 * time.Millisecond, Cancelled: 14},
				{Name: "standby:5432"}, {Name: "standby:5432", Max: 15},
			},
			Replicas: []store.Replica{{Name: "standby:5432", Ready: true, Behind: 8}, {Name: "standby:5432"}, {Name: "near:5432"}, {Name: "lost:5432", Behind: -1}},
			Work:     []store.WorkStats{{Kind: "derive", Took: time.Second, Rounds: 22, Failed: 21, Indices: 23}}, LastRound: time.Unix(1_500_000_000, 0),
		},
		Load: service.Load{Searches: service.GateLoad{Capacity: 6, Inside: 2, Waiting: 1, Refused: 5}, Documents: service.GateLoad{Capacity: 10, Inside: 4, Waiting: 3, Refused: 9},
			Bodies: service.GateLoad{Capacity: 1 << 20, Inside: 7, Waiting: 17, Refused: 18}},
	}
	m.Collect(func() (metrics.Backend, bool) { return backend, there })
	if got := ofBackend(scrape(t, m)); got != "" {
		t.Errorf("there is no backend yet:\n%s", got)
	}
	there = true
	const want = `# TYPE rowan_bodies_capacity_bytes gauge
rowan_bodies_capacity_bytes 1.048576e+06
# TYPE rowan_bodies_held_bytes gauge
rowan_bodies_held_bytes 7
# TYPE rowan_documents_written_total counter
rowan_documents_written_total{action="created"} 31
rowan_documents_written_total{action="deleted"} 33
rowan_documents_written_total{action="updated"} 32
# TYPE rowan_gate_capacity gauge
rowan_gate_capacity{gate="documents"} 10
rowan_gate_capacity{gate="searches"} 6
# TYPE rowan_gate_inside gauge
rowan_gate_inside{gate="documents"} 4
rowan_gate_inside{gate="searches"} 2
# TYPE rowan_gate_refused_total counter
rowan_gate_refused_total{gate="bodies"} 18
rowan_gate_refused_total{gate="documents"} 9
rowan_gate_refused_total{gate="searches"} 5
# TYPE rowan_gate_waiting gauge
rowan_gate_waiting{gate="bodies"} 17
rowan_gate_waiting{gate="documents"} 3
rowan_gate_waiting{gate="searches"} 1
# TYPE rowan_lexeme_lookups_total counter
rowan_lexeme_lookups_total{result="hit"} 36
rowan_lexeme_lookups_total{result="miss"} 37
# TYPE rowan_pool_acquired_connections gauge
rowan_pool_acquired_connections{pool="standby:5432"} 0
rowan_pool_acquired_connections{pool="writes"} 11
# TYPE rowan_pool_cancelled_total counter
rowan_pool_cancelled_total{pool="standby:5432"} 0
rowan_pool_cancelled_total{pool="writes"} 14
# TYPE rowan_pool_idle_connections gauge
rowan_pool_idle_connections{pool="standby:5432"} 0
rowan_pool_idle_connections{pool="writes"} 12
# TYPE rowan_pool_max_connections gauge
rowan_pool_max_connections{pool="standby:5432"} 0
rowan_pool_max_connections{pool="writes"} 16
# TYPE rowan_pool_wait_seconds_total counter
rowan_pool_wait_seconds_total{pool="standby:5432"} 0
rowan_pool_wait_seconds_total{pool="writes"} 1.5
# TYPE rowan_pool_waits_total counter
rowan_pool_waits_total{pool="standby:5432"} 0
rowan_pool_waits_total{pool="writes"} 13
# TYPE rowan_postings_blocks_built_total counter
rowan_postings_blocks_built_total 35
# TYPE rowan_postings_lookups_total counter
rowan_postings_lookups_total{result="hit"} 38
rowan_postings_lookups_total{result="miss"} 39
# TYPE rowan_replica_behind_bytes gauge
rowan_replica_behind_bytes{replica="near:5432"} 0
rowan_replica_behind_bytes{replica="standby:5432"} 8
# TYPE rowan_replica_ready gauge
rowan_replica_ready{replica="lost:5432"} 0
rowan_replica_ready{replica="near:5432"} 0
rowan_replica_ready{replica="standby:5432"} 1
# TYPE rowan_searches_ahead_total counter
rowan_searches_ahead_total{result="held"} 40
rowan_searches_ahead_total{result="in_vain"} 41
# TYPE rowan_worker_failed_rounds_total counter
rowan_worker_failed_rounds_total{work="derive"} 21
# TYPE rowan_worker_last_round_timestamp_seconds gauge
rowan_worker_last_round_timestamp_seconds 1.5e+09
# TYPE rowan_worker_pending_changes gauge
rowan_worker_pending_changes 34
# TYPE rowan_worker_rounds_total counter
rowan_worker_rounds_total{work="derive"} 22
# TYPE rowan_worker_seconds_total counter
rowan_worker_seconds_total{work="derive"} 1
# TYPE rowan_worker_waiting_indices gauge
rowan_worker_waiting_indices{work="derive"} 23
`
	if diff := cmp.Diff(want, ofBackend(scrape(t, m))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	backend.Store.LastRound = time.Time{}
	if got := scrape(t, m); !strings.Contains(got, "\nrowan_worker_last_round_timestamp_seconds 0\n") {
		t.Errorf("before the first round:\n%s", ofBackend(got))
	}
}

// ofBackend returns the series of the layers below, with their types.
func ofBackend(scraped string) string {
	var b strings.Builder
	for line := range strings.Lines(scraped) {
		name := strings.TrimPrefix(line, "# TYPE ")
		for _, layer := range []string{"bodies", "documents", "gate", "lexeme", "pool", "postings", "replica", "searches_ahead", "worker"} {
			if strings.HasPrefix(name, "rowan_"+layer+"_") {
				b.WriteString(line)
			}
		}
	}
	return b.String()
}
