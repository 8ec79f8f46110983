package store

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Stats is what a store has counted since it was opened, and its current state.
type Stats struct {
	// Pools are the pools of the primary (writes, searches) and of each read replica (with its name).
	Pools []PoolStats
	// Replicas are in the order of Config.ReplicaURLs.
	Replicas []Replica
	// Created, Updated and Deleted count documents that were written through this store.
	Created, Updated, Deleted int64
	// Pending counts changes that were written through this store and, as far as it knows, are not yet in the vocabulary and the suggestions.
	Pending int64
	// LastRound is when the background work last completed a round, for one index or for all; zero before the first.
	LastRound time.Time
	// Work is what the background work has done, by kind.
	Work []WorkStats
	// BlocksBuilt counts blocks of postings that were built.
	BlocksBuilt int64
	// LexemeHits and LexemeMisses count words that were remembered, and words that the dictionaries were asked for.
	LexemeHits, LexemeMisses int64
	// PostingsHits and PostingsMisses count lexemes of searches whose postings were remembered, and those whose postings were read.
	PostingsHits, PostingsMisses int64
	// Held and InVain count searches that were worked out before their snapshot existed: those for which that was useful, and those for which it was
	// not, mostly because postings had changed.
	Held, InVain int64
}

// PoolStats is the state of a pool of connections, and what it has counted.
type PoolStats struct {
	Name                string
	Acquired, Idle, Max int32
	// Waits counts acquisitions that found no idle connection; Waited is their total duration.
	Waits  int64
	Waited time.Duration
	// Cancelled counts acquisitions that were given up.
	Cancelled int64
}

// WorkStats is what one kind of background work has done.
type WorkStats struct {
	// Kind is derive, clean, analyze, accelerate or recompute.
	Kind           string
	Rounds, Failed int64
	// Indices is how many indices are waiting for it.
	Indices int
	Took    time.Duration
}

// Stats returns the statistics. It does not query PostgreSQL.
func (s *Store) Stats() Stats {
	out := Stats{
		Pools:    []PoolStats{poolStats("writes", s.pool), poolStats("searches", s.reads)},
		Replicas: s.Replicas(),
		Created:  s.counted.created.Load(), Updated: s.counted.updated.Load(), Deleted: s.counted.deleted.Load(),
		Pending:    s.pending.total(),
		LexemeHits: s.counted.lexemeHits.Load(), LexemeMisses: s.counted.lexemeMisses.Load(),
		BlocksBuilt:  s.counted.blocks.Load(),
		PostingsHits: s.postingsCache.hits.Load(), PostingsMisses: s.postingsCache.misses.Load(),
		Held: s.postingsCache.held.Load(), InVain: s.postingsCache.inVain.Load(),
	}
	for _, r := range s.replicas.list {
		out.Pools = append(out.Pools, poolStats(r.name, r.pool))
	}
	if at := s.counted.lastRound.Load(); at != 0 {
		out.LastRound = time.Unix(0, at)
	}
	out.Work = []WorkStats{s.derives.stats("derive"), s.cleans.stats("clean"), s.analyzes.stats("analyze"), s.accelerates.stats("accelerate"), s.recomputes.stats("recompute")}
	return out
}

// rounds counts the work done for a queue.
type rounds struct{ count, failed, took atomic.Int64 }

// round records that a round has ended.
func (r *rounds) round(took time.Duration, failed bool) {
	r.count.Add(1)
	r.took.Add(int64(took))
	if failed {
		r.failed.Add(1)
	}
}

func (q *queue) stats(kind string) WorkStats {
	q.mu.Lock()
	waiting := len(q.jobs)
	q.mu.Unlock()
	return WorkStats{Kind: kind, Rounds: q.rounds.count.Load(), Failed: q.failed.Load(), Indices: waiting, Took: time.Duration(q.took.Load())}
}

func poolStats(name string, pool *pgxpool.Pool) PoolStats {
	st := pool.Stat()
	return PoolStats{Name: name, Acquired: st.AcquiredConns(), Idle: st.IdleConns(), Max: st.MaxConns(),
		Waits: st.EmptyAcquireCount(), Waited: st.EmptyAcquireWaitTime(), Cancelled: st.CanceledAcquireCount()}
}

// counters are the counts of a store.
type counters struct {
	created, updated, deleted atomic.Int64
	blocks                    atomic.Int64
	lexemeHits, lexemeMisses  atomic.Int64
	lastRound                 atomic.Int64 // nanoseconds since 1970
}

func (c *counters) roundEnded() { c.lastRound.Store(time.Now().UnixNano()) }

// written counts the documents of one write transaction.
type written struct{ created, updated, deleted int64 }

func (w written) total() int64 { return w.created + w.updated + w.deleted }

func (c *counters) add(w written) {
	c.created.Add(w.created)
	c.updated.Add(w.updated)
	c.deleted.Add(w.deleted)
}

// pendingChanges counts, for each index, what was written here and not yet processed.
type pendingChanges struct {
	mu    sync.Mutex
	count map[int64]int64
}

func newPendingChanges() pendingChanges { return pendingChanges{count: map[int64]int64{}} }

func (p *pendingChanges) add(index, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n += p.count[index]; n > 0 {
		p.count[index] = n
	} else {
		delete(p.count, index)
	}
}

func (p *pendingChanges) of(index int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[index]
}

// settled records that changes of an index were processed: n of them, or all that had been written before.
func (p *pendingChanges) settled(index, before, n int64, all bool) {
	if !all {
		before = min(before, n)
	}
	p.add(index, -before)
}

// forget forgets an index that is gone.
func (p *pendingChanges) forget(index int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.count, index)
}

func (p *pendingChanges) total() (n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.count {
		n += c
	}
	return n
}
