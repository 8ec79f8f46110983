package store

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Stats is what a store has counted since it was opened, and how it is now.
type Stats struct {
	// Pools are those of the primary (writes, searches) and of each read replica (by its name).
	Pools []PoolStats
	// Replicas are in the order of Config.ReplicaURLs.
	Replicas []Replica
	// Created, Updated and Deleted count documents that were written through this store.
	Created, Updated, Deleted int64
	// Pending counts changes that were written through this store and are not in the vocabulary and the
	// suggestions yet, as far as it knows.
	Pending int64
	// LastRound is when the background work has last got through a round, of one index or of all; zero before.
	LastRound time.Time
	// Work is what the background work has done, by its kind.
	Work []WorkStats
	// BlocksBuilt counts blocks of postings.
	BlocksBuilt int64
	// LexemeHits and LexemeMisses count words that were known, and that the dictionaries were asked for.
	LexemeHits, LexemeMisses int64
	// PostingsHits and PostingsMisses count lexemes of searches whose postings were known, and were read.
	PostingsHits, PostingsMisses int64
	// Held and InVain count searches that were worked out before their snapshot was there: those of which that was of use, and of
	// none, mostly because postings had changed.
	Held, InVain int64
}

// PoolStats is how a pool of connections is, and what it has counted.
type PoolStats struct {
	Name                string
	Acquired, Idle, Max int32
	// Waits counts acquisitions that found no idle connection, Waited is how long they took.
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
	// Indices is how many are waiting for it.
	Indices int
	Took    time.Duration
}

// Stats reads all of it; it asks PostgreSQL nothing.
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

// rounds counts what a queue's work did.
type rounds struct{ count, failed, took atomic.Int64 }

// round notes that a round has ended.
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

// counters are what a store counts.
type counters struct {
	created, updated, deleted atomic.Int64
	blocks                    atomic.Int64
	lexemeHits, lexemeMisses  atomic.Int64
	lastRound                 atomic.Int64 // nanoseconds since 1970
}

func (c *counters) roundEnded() { c.lastRound.Store(time.Now().UnixNano()) }

// written are the documents of one write transaction.
type written struct{ created, updated, deleted int64 }

func (w written) total() int64 { return w.created + w.updated + w.deleted }

func (c *counters) add(w written) {
	c.created.Add(w.created)
	c.updated.Add(w.updated)
	c.deleted.Add(w.deleted)
}

// pendingChanges counts for each index what was written here and is not derived from yet.
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

// settled notes that changes of an index were derived from: n, or all that had been written before.
func (p *pendingChanges) settled(index, before, n int64, all bool) {
	if !all {
		before = min(before, n)
	}
	p.add(index, -before)
}

// forget is for an index that is gone.
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
