package store

import (
	"context"
	"sync"
)

// ending is for work that goes on when the request ends which has begun it, a change of an index or what searches look up for all: it ends with
// the store, and the store waits until it has taken back what it has to.
type ending struct {
	mu    sync.Mutex
	ctx   context.Context // ends with the store
	end   context.CancelFunc
	going sync.WaitGroup
}

func newEnding() *ending {
	e := &ending{}
	e.ctx, e.end = context.WithCancel(context.Background())
	return e
}

// outlive returns a context with what ctx has to say, which ends with the store instead. Call done when the work is over.
func (e *ending) outlive(ctx context.Context) (outliving context.Context, done func()) {
	outliving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(e.ctx, cancel)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctx.Err() != nil { // nobody waits for it any more
		cancel()
		return outliving, func() {}
	}
	e.going.Add(1)
	return outliving, func() {
		forget()
		cancel()
		e.going.Done()
	}
}

// endWork ends all of it, and waits.
func (e *ending) endWork() {
	e.mu.Lock()
	e.end()
	e.mu.Unlock()
	e.going.Wait()
}
