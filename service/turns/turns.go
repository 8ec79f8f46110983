// Package turns has those who change the same thing do it one after the other.
package turns

import (
	"context"
	"sync"
)

// ByKey are the turns of each key: each plans its change by what the one before it has left, and holds nothing of the database
// while it waits. The zero ByKey is ready for use.
type ByKey struct {
	mu    sync.Mutex
	queue map[string]*turn
}

// turn is a place in which one may be. users are whoever is in it or waits for it.
type turn struct {
	taken chan struct{}
	users int
}

// Take waits for the turn of key, until ctx ends, which is its only error. Call done when yours is over.
func (t *ByKey) Take(ctx context.Context, key string) (done func(), err error) {
	t.mu.Lock()
	if t.queue == nil {
		t.queue = map[string]*turn{}
	}
	own := t.queue[key]
	if own == nil {
		own = &turn{taken: make(chan struct{}, 1)}
		t.queue[key] = own
	}
	own.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(t.queue, key)
		}
	}
	select {
	case own.taken <- struct{}{}:
		return func() { <-own.taken; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
