package store

import (
	"context"
	"sync"
)

// ending tracks work that continues after the request that began it has ended: a change of an index, or a lookup for several searches. It ends with
// the store, which waits until it has undone what it must.
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

// outlive returns a context with the values of ctx that ends with the store instead. The caller must call done when the work is over.
func (e *ending) outlive(ctx context.Context) (outliving context.Context, done func()) {
	outliving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(e.ctx, cancel)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctx.Err() != nil { // nobody waits for the work any more
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

// endWork ends all such work, and waits for it.
func (e *ending) endWork() {
	e.mu.Lock()
	e.end()
	e.mu.Unlock()
	e.going.Wait()
}
