package importer

import "sync"

// tracker knows up to which batch all are settled, although they are settled in any order.
type tracker struct {
	next  int64 // the first batch that is not settled
	ahead map[int64]*batch
	state Checkpoint
}

func newTracker(from Checkpoint) *tracker {
	return &tracker{ahead: make(map[int64]*batch), state: from}
}

// done records that b is settled. It returns the last batch up to which all are settled, or nil if that has
// not moved.
func (t *tracker) done(b *batch) *batch {
	t.ahead[b.seq] = b
	b.actions = nil // only its position is still needed
	var last *batch
	for {
		b, ok := t.ahead[t.next]
		if !ok {
			return last
		}
		delete(t.ahead, t.next)
		t.next++
		t.state, last = b.state, b
	}
}

// busyIDs are the _ids of the batches under way.
type busyIDs struct {
	mu    sync.Mutex
	freed sync.Cond
	ids   map[string]struct{}
}

func newBusyIDs() *busyIDs {
	b := &busyIDs{ids: make(map[string]struct{})}
	b.freed.L = &b.mu
	return b
}

// acquire waits until none of the actions' ids is busy, and then makes them busy. Only one goroutine may call it.
func (b *busyIDs) acquire(actions []action) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.anyBusy(actions) {
		b.freed.Wait()
	}
	for _, a := range actions {
		b.ids[a.id] = struct{}{}
	}
}

func (b *busyIDs) anyBusy(actions []action) bool {
	for _, a := range actions {
		if _, busy := b.ids[a.id]; busy {
			return true
		}
	}
	return false
}

func (b *busyIDs) release(actions []action) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range actions {
		delete(b.ids, a.id)
	}
	b.freed.Broadcast()
}
