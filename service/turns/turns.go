// Package turns makes those that change the same thing take turns.
package turns

import (
	"context"
	"sync"
)

// ByKey gives one caller at a time the turn of a key: each plans its change from what the one before it has left,
// and holds no resources of the database while it waits. The zero ByKey is ready for use.
type ByKey struct {
	mu    sync.Mutex
	queue map[string]*turn
}

// turn is the turn of one key. users is how many have it or wait for it.
type turn struct {
	taken chan struct{}
	users int
}

// Take waits for the turn of key. Its only error is that ctx has ended. Call done when the turn is over.
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
