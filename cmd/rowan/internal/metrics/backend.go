package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
)

// Backend is what each request for the metrics reads.
type Backend struct {
	Store store.Stats
	Load  service.Load
}

// backendCollector reads the layers below. Their counters start again when Rowan's own PostgreSQL is restarted, as
// Prometheus allows.
type backendCollector struct {
	read func() (Backend, bool)
}

// Collect adds the metrics of the layers below. read returns false while there are none.
func (m *Metrics) Collect(read func() (Backend, bool)) {
	m.registry.MustRegister(backendCollector{read})
}

func description(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	documentsWritten = description("rowan_documents_written_total", "Documents written by this server, by action: created, updated, deleted.", "action")

	gateCapacity = description("rowan_gate_capacity", "Requests that may run at once, by gate: searches (and suggestions), documents (reads, writes, batches).", "gate")
	gateInside   = description("rowan_gate_inside", "Requests running now, by gate.", "gate")
	gateWaiting  = description("rowan_gate_waiting", "Requests waiting for their turn, by gate: searches, documents, bodies.", "gate")
	gateRefused  = description("rowan_gate_refused_total", "Requests refused because their turn did not come in time.", "gate")
	bodyCapacity = description("rowan_bodies_capacity_bytes", "Bytes that large bodies and the documents of answers may take at once.")
	bodyInside   = description("rowan_bodies_held_bytes", "Bytes that large bodies and the documents of answers take now.")

	poolMax       = description("rowan_pool_max_connections", "Connections that a pool may open: writes and searches to the primary, and one pool to each read replica.", "pool")
	poolAcquired  = description("rowan_pool_acquired_connections", "Connections in use.", "pool")
	poolIdle      = description("rowan_pool_idle_connections", "Open connections that are not in use.", "pool")
	poolWaits     = description("rowan_pool_waits_total", "Requests for a connection that found none idle: they waited for one, or opened one.", "pool")
	poolWaited    = description("rowan_pool_wait_seconds_total", "Time that requests for a connection waited.", "pool")
	poolCancelled = description("rowan_pool_cancelled_total", "Requests for a connection that were abandoned.", "pool")

	replicaReady  = description("rowan_replica_ready", "1 while a read replica takes part, 0 while it is left out.", "replica")
	replicaBehind = description("rowan_replica_behind_bytes", "Bytes of the primary's log that a read replica had yet to replay a moment ago; absent while unknown.", "replica")

	workPending = description("rowan_worker_pending_changes", "Changes written by this server that are not yet in the vocabulary and the suggestions.")
	workLast    = description("rowan_worker_last_round_timestamp_seconds", "When the background work last completed a round, in seconds since 1970; 0 before the first.")
	workRounds  = description("rowan_worker_rounds_total", "Rounds of background work, one index each, by work: derive, clean, analyze, accelerate, recompute.", "work")
	workFailed  = description("rowan_worker_failed_rounds_total", "Rounds that failed; they are retried.", "work")
	workSeconds = description("rowan_worker_seconds_total", "Time spent in rounds.", "work")
	workIndices = description("rowan_worker_waiting_indices", "Indices waiting for a round.", "work")
	blocksBuilt = description("rowan_postings_blocks_built_total", "Blocks of postings that this server has built.")

	postingsLookups = description("rowan_postings_lookups_total", "Lexemes of searches whose postings were looked up, by result: hit (remembered), miss (read).", "result")
	searchesAhead   = description("rowan_searches_ahead_total", "Searches that were computed from remembered postings before they asked PostgreSQL, by result: held, in_vain (the postings had changed).", "result")

	lexemeLookups = description("rowan_lexeme_lookups_total", "Words whose lexemes were looked up, by result: hit (remembered), miss (PostgreSQL was asked).", "result")
)

// Describe implements prometheus.Collector.
func (backendCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{documentsWritten, gateCapacity, gateInside, gateWaiting, gateRefused, bodyCapacity, bodyInside, poolMax, poolAcquired, poolIdle, poolWaits,
		poolWaited, poolCancelled, replicaReady, replicaBehind, workPending, workLast, workRounds, workFailed, workSeconds, workIndices, blocksBuilt, lexemeLookups,
		postingsLookups, searchesAhead} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c backendCollector) Collect(to chan<- prometheus.Metric) {
	b, ok := c.read()
	if !ok {
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	st := b.Store
	counter(documentsWritten, float64(st.Created), "created")
	counter(documentsWritten, float64(st.Updated), "updated")
	counter(documentsWritten, float64(st.Deleted), "deleted")
	for name, g := range map[string]service.GateLoad{"searches": b.Load.Searches, "documents": b.Load.Documents, "bodies": b.Load.Bodies} {
		gauge(gateWaiting, float64(g.Waiting), name)
		counter(gateRefused, float64(g.Refused), name)
		if name != "bodies" { // which is counted in bytes
			gauge(gateCapacity, float64(g.Capacity), name)
			gauge(gateInside, float64(g.Inside), name)
		}
	}
	gauge(bodyCapacity, float64(b.Load.Bodies.Capacity))
	gauge(bodyInside, float64(b.Load.Bodies.Inside))
	// A pool is named by the address of its replica, so two pools may have the same name. Duplicate metrics would
	// make the whole answer fail.
	seen := map[string]bool{}
	for _, p := range st.Pools {
		if seen[p.Name] {
			continue
		}
		seen[p.Name] = true
		gauge(poolMax, float64(p.Max), p.Name)
		gauge(poolAcquired, float64(p.Acquired), p.Name)
		gauge(poolIdle, float64(p.Idle), p.Name)
		counter(poolWaits, float64(p.Waits), p.Name)
		counter(poolWaited, p.Waited.Seconds(), p.Name)
		counter(poolCancelled, float64(p.Cancelled), p.Name)
	}
	clear(seen)
	for _, r := range st.Replicas {
		if seen[r.Name] {
			continue
		}
		seen[r.Name] = true
		ready := 0.0
		if r.Ready {
			ready = 1
		}
		gauge(replicaReady, ready, r.Name)
		if r.Behind >= 0 {
			gauge(replicaBehind, float64(r.Behind), r.Name)
		}
	}
	last := 0.0
	if !st.LastRound.IsZero() {
		last = float64(st.LastRound.UnixMilli()) / 1000
	}
	gauge(workPending, float64(st.Pending))
	gauge(workLast, last)
	for _, w := range st.Work {
		counter(workRounds, float64(w.Rounds), w.Kind)
		counter(workFailed, float64(w.Failed), w.Kind)
		counter(workSeconds, w.Took.Seconds(), w.Kind)
		gauge(workIndices, float64(w.Indices), w.Kind)
	}
	counter(blocksBuilt, float64(st.BlocksBuilt))
	counter(lexemeLookups, float64(st.LexemeHits), "hit")
	counter(lexemeLookups, float64(st.LexemeMisses), "miss")
	counter(postingsLookups, float64(st.PostingsHits), "hit")
	counter(postingsLookups, float64(st.PostingsMisses), "miss")
	counter(searchesAhead, float64(st.Held), "held")
	counter(searchesAhead, float64(st.InVain), "in_vain")
}
