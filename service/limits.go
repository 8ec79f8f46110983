package service

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Limits bound what one server does at once. Zero values mean the defaults.
type Limits struct {
	// Searches is how many searches and suggestions run at once; 0 means 16. More than there are connections would
	// only wait for one of those, where the order is not fair.
	Searches int
	// Documents is how many reads and writes of documents and batches run at once; 0 means 12.
	Documents int
	// Bodies is how many bytes the bodies of requests and the documents that are read for them may have at once; 0 means 128 MiB.
	// Requests of up to FreeBody bytes do not count. One application gets three quarters of it at most. Each byte takes about three bytes of memory.
	Bodies int64
	// Document is how many bytes a document may have; 0 means 16 MiB.
	Document int64
	// Wait is how long a request waits for its turn before it is refused; 0 means 1 s.
	Wait time.Duration
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Searches:  cmp.Or(l.Searches, 16),
		Documents: cmp.Or(l.Documents, 12),
		Bodies:    cmp.Or(l.Bodies, 128<<20),
		Document:  cmp.Or(l.Document, 16<<20),
		Wait:      cmp.Or(l.Wait, time.Second),
	}
}

// maxWaiting bounds how many requests of one application wait at a gate: each keeps its body in memory.
const maxWaiting = 512

// gate lets in a bounded amount of work at once, fairly: the next work is always of the application that has the least inside. One
// application alone gets three quarters at most, so that it never closes the gate to others. The caller chooses the unit of work.
type gate struct {
	what            string
	capacity, share int64
	wait            time.Duration

	mu      sync.Mutex
	inside  int64
	refused int64
	tickets uint64
	waiting int
	stuck   int64              // the weight inside that belongs to work waiting for more
	tenants map[string]*tenant // those that have work inside or waiting
}

// tenant is an application at a gate.
type tenant struct {
	inside, stuck int64
	queue         []*ticket // first come, first served, but work that has some weight inside goes before work that has none
}

type ticket struct {
	number uint64
	weight int64
	held   int64         // the weight that it has inside
	turn   chan struct{} // closed when it is let in
}

func newGate(what string, capacity int64, wait time.Duration) *gate {
	capacity = max(capacity, 1)
	return &gate{what: what, capacity: capacity, share: max(1, 3*capacity/4), wait: wait, tenants: map[string]*tenant{}}
}

// enter waits until work of the given weight may begin. leave ends it and must be called once. A weight above an
// application's share counts as the whole share.
func (g *gate) enter(ctx context.Context, application string, weight int64) (leave func(), err error) {
	return g.more(ctx, application, weight, 0)
}

// more is enter for work that has the weight held inside and needs more. If all others inside wait for more, too,
// it is refused at once: each would wait for the others until all are refused.
func (g *gate) more(ctx context.Context, application string, weight, held int64) (leave func(), err error) {
	weight = min(weight, g.share)
	g.mu.Lock()
	t := g.tenants[application]
	if t == nil {
		t = &tenant{}
		g.tenants[application] = t
	}
	leave = func() { g.leave(application, weight) }
	if g.waiting == 0 && t.inside+weight <= g.share && g.inside+weight <= g.capacity {
		g.inside += weight
		t.inside += weight
		g.mu.Unlock()
		return leave, nil
	}
	own := t.inside+weight > g.share
	crowded := len(t.queue) >= maxWaiting
	stopsAll := held > 0 && (own && t.stuck+held >= t.inside || g.inside+weight > g.capacity && g.stuck+held >= g.inside)
	if crowded || stopsAll {
		defer g.mu.Unlock()
		return nil, g.refuse(crowded || own)
	}
	g.tickets++
	mine := &ticket{number: g.tickets, weight: weight, held: held, turn: make(chan struct{})}
	t.push(mine)
	g.waiting++
	g.stuck += held
	g.admit() // those who wait may all wait for their own share
	g.mu.Unlock()

	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case <-mine.turn:
		return leave, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	place := slices.Index(t.queue, mine)
	if place < 0 { // let in at the last moment
		if err == nil {
			return leave, nil
		}
		g.give(application, weight)
		return nil, err
	}
	g.take(t, place)
	own = t.inside+weight > g.share
	g.drop(application)
	g.admit() // it may have been in the way of others
	if err == nil {
		err = g.refuse(own)
	}
	return nil, err
}

// push adds a ticket to the queue.
func (t *tenant) push(mine *ticket) {
	place := len(t.queue)
	if mine.held > 0 {
		if first := slices.IndexFunc(t.queue, func(other *ticket) bool { return other.held == 0 }); first >= 0 {
			place = first
		}
	}
	t.queue = slices.Insert(t.queue, place, mine)
	t.stuck += mine.held
}

// take removes the ticket at a place from the queue.
func (g *gate) take(t *tenant, place int) *ticket {
	taken := t.queue[place]
	t.queue = slices.Delete(t.queue, place, place+1)
	t.stuck -= taken.held
	g.stuck -= taken.held
	g.waiting--
	return taken
}

func (g *gate) leave(application string, weight int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.give(application, weight)
}

// give takes work out and lets in whoever is next.
func (g *gate) give(application string, weight int64) {
	g.inside -= weight
	g.tenants[application].inside -= weight
	g.drop(application)
	g.admit()
}

// drop forgets an application that has no work inside or waiting.
func (g *gate) drop(application string) {
	if t := g.tenants[application]; t.inside == 0 && len(t.queue) == 0 {
		delete(g.tenants, application)
	}
}

// admit lets in whoever may enter. Nobody passes a request that waits for room only: otherwise a heavy one would
// never get in past a stream of light ones.
func (g *gate) admit() {
	for g.waiting > 0 {
		var next *tenant
		for _, t := range g.tenants {
			if len(t.queue) == 0 || t.inside+t.queue[0].weight > g.share {
				continue
			}
			if next == nil || t.inside < next.inside || t.inside == next.inside && t.queue[0].number < next.queue[0].number {
				next = t
			}
		}
		if next == nil || g.inside+next.queue[0].weight > g.capacity {
			return
		}
		first := g.take(next, 0)
		next.inside += first.weight
		g.inside += first.weight
		close(first.turn)
	}
}

// Load is what is under way on a server, and what had to wait.
type Load struct {
	Searches, Documents GateLoad
	// Bodies is in bytes.
	Bodies GateLoad
}

// GateLoad is how much work is let in (Inside), how much may be (Capacity), how many requests wait, and how many have been refused since the start.
type GateLoad struct{ Capacity, Inside, Waiting, Refused int64 }

// Load returns how much work is under way.
func (s *Service) Load() Load {
	return Load{Searches: s.searching.load(), Documents: s.handling.load(), Bodies: s.bodies.load()}
}

func (g *gate) load() GateLoad {
	g.mu.Lock()
	defer g.mu.Unlock()
	return GateLoad{Capacity: g.capacity, Inside: g.inside, Waiting: int64(g.waiting), Refused: g.refused}
}

// refuse counts a request that is not let in, and returns its error: own says whether that is due to the application's own requests or to everybody's.
func (g *gate) refuse(own bool) error {
	g.refused++
	e := Errorf(CodeUnavailable, "The server is already handling as many %s as it can; nothing was applied. Retry, or use another replica.", g.what)
	if own {
		e = Errorf(CodeTooManyRequests, "The application already has as many %s in flight as it may; nothing was applied. Send fewer at a time.", g.what)
	}
	e.RetryAfter = max(g.wait, time.Second)
	return e
}
