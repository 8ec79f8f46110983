// Package metrics counts for Prometheus what a server does. docs/operations/monitoring.md describes each metric; a
// test compares the two.
package metrics

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service"
)

// maxApplications is how many applications have a label value of their own; all later ones are counted as other.
const maxApplications = 200

// other is the label value of everything that has none of its own.
const other = "other"

// durations are the upper bounds of the histograms' buckets, in seconds: from a cached answer to the default
// limit of a search and a rebuild of a minute.
var durations = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// The outcomes of searches and suggestions.
const (
	outcomeOK        = "ok"
	outcomeNothing   = "nothing_found"
	outcomeTimeout   = "timeout"
	outcomeRefused   = "refused"
	outcomeInvalid   = "invalid"
	outcomeCancelled = "cancelled"
	outcomeError     = "error"
)

// Metrics are the metrics of a process. It observes requests, searches and suggestions.
type Metrics struct {
	registry *prometheus.Registry

	requests         *prometheus.CounterVec
	requestDurations *prometheus.HistogramVec
	inFlight         prometheus.Gauge

	searches            *prometheus.CounterVec
	searchDurations     prometheus.Histogram
	remembered          prometheus.Counter
	suggestions         *prometheus.CounterVec
	suggestionDurations prometheus.Histogram

	mu           sync.Mutex
	applications map[string]bool // those that have a label value of their own
}

// New returns the metrics of a process; version is the version of the binary.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rowan_http_requests_total",
			Help: "HTTP requests that were answered."}, []string{"operation", "method", "status"}),
		requestDurations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "rowan_http_request_duration_seconds",
			Help: "Time from the head of a request to the end of its answer.", Buckets: durations}, []string{"operation"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "rowan_http_requests_in_flight", Help: "HTTP requests in progress."}),
		searches: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rowan_searches_total",
			Help: "Searches by application and outcome: ok, nothing_found, timeout, refused, invalid, cancelled, error."}, []string{"application", "outcome"}),
		searchDurations: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "rowan_search_duration_seconds",
			Help: "Duration of searches that were answered or ran past their limit, without the wait for their turn.", Buckets: durations}),
		remembered: prometheus.NewCounter(prometheus.CounterOpts{Name: "rowan_searches_remembered_total",
			Help: "Searches that were answered like an earlier one, because nothing had changed since."}),
		suggestions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rowan_suggestions_total",
			Help: "Requests for suggestions by outcome: ok, timeout, refused, invalid, cancelled, error."}, []string{"outcome"}),
		suggestionDurations: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "rowan_suggestion_duration_seconds",
			Help: "Duration of requests for suggestions that were answered, without the wait for their turn.", Buckets: durations}),
		applications: map[string]bool{},
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "rowan_build_info", Help: "Always 1; the label is the version of the binary.",
		ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.requestDurations, m.inFlight, m.searches, m.searchDurations, m.remembered, m.suggestions, m.suggestionDurations,
		build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, outcome := range []string{outcomeOK, outcomeTimeout, outcomeRefused, outcomeInvalid, outcomeCancelled, outcomeError} {
		m.suggestions.WithLabelValues(outcome) // so that the first one counts as an increase
	}
	return m
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Began implements handlers.Observer.
func (m *Metrics) Began() { m.inFlight.Inc() }

// Answered implements handlers.Observer.
func (m *Metrics) Answered(a handlers.Answered) {
	m.inFlight.Dec()
	m.requests.WithLabelValues(a.Operation, a.Method, strconv.Itoa(a.Status)).Inc()
	m.requestDurations.WithLabelValues(a.Operation).Observe(a.Took.Seconds())
}

// Searched implements service.Observer.
func (m *Metrics) Searched(_ context.Context, s service.Searched) {
	outcome := outcomeOf(s.Err, s.Refused)
	if s.Err == nil && s.Total == 0 {
		outcome = outcomeNothing
	}
	m.searches.WithLabelValues(m.application(s.Application), outcome).Inc()
	if s.Remembered {
		m.remembered.Inc()
	}
	observe(m.searchDurations, outcome, s.Took)
}

// Suggested implements service.SuggestionObserver.
func (m *Metrics) Suggested(_ context.Context, s service.Suggested) {
	outcome := outcomeOf(s.Err, s.Refused)
	m.suggestions.WithLabelValues(outcome).Inc()
	observe(m.suggestionDurations, outcome, s.Took)
}

func observe(h prometheus.Histogram, outcome string, took time.Duration) {
	switch outcome {
	case outcomeOK, outcomeNothing, outcomeTimeout:
		h.Observe(took.Seconds())
	}
}

// outcomeOf returns the outcome of a request, which separates errors of the server, of the client and of the load.
func outcomeOf(err error, refused bool) string {
	switch code := service.ErrorCode(err); {
	case err == nil:
		return outcomeOK
	case errors.Is(err, context.Canceled):
		return outcomeCancelled
	case refused, code == service.CodeTooManyRequests: // the latter if there was no room for the answer
		return outcomeRefused
	case code == service.CodeSearchTimeout:
		return outcomeTimeout
	case code == service.CodeInternal, code == service.CodeUnavailable:
		return outcomeError
	}
	return outcomeInvalid
}

// application returns the label value of an application, and limits their number: only the first ones that are searched have their own.
func (m *Metrics) application(id string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.applications[id] {
		if len(m.applications) >= maxApplications {
			return other
		}
		m.applications[id] = true
	}
	return id
}
