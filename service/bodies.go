package service

import (
	"context"
	"math/bits"
	"sync"
)

// FreeBody is how many bytes of a request and its answer are not counted: the limits on what is under way at once bound these.
const FreeBody = 64 << 10

// BodyRoom is the part of the memory for bodies and answers on a server (Limits.Bodies) that one request takes. It is safe for concurrent use.
type BodyRoom struct {
	service     *Service
	application string

	mu           sync.Mutex
	body, answer int64 // what is needed
	taken        int64
	leave        []func()
}

// BodyRoom returns a BodyRoom with room for FreeBody bytes. Call Release when the request has been answered.
func (s *Service) BodyRoom(application string) *BodyRoom {
	return &BodyRoom{service: s, application: application}
}

// Grow makes room for a body of size bytes, and waits for it as long as work waits for its turn. A size above what an application may have at
// once counts as that, so that a single body of any size gets in. Error codes: too_many_requests, unavailable; room taken before stays taken.
func (b *BodyRoom) Grow(ctx context.Context, size int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.body = max(b.body, size)
	return b.take(ctx, b.body+b.answer)
}

// hold makes room for more bytes of the answer.
func (b *BodyRoom) hold(ctx context.Context, more int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer += more
	most := b.service.bodies.capacity
	if b.answer > most && b.answer > more { // a single document, however large, can be read
		return Errorf(CodeTooLarge, "The requested documents (with highlights and explanations) and facet values exceed %d bytes together; nothing was applied. Request fewer at a time.", most)
	}
	need := b.body + b.answer
	if need <= max(b.taken, FreeBody) {
		return nil
	}
	return b.take(ctx, 1<<bits.Len64(uint64(need-1))) // in steps: the answer grows document by document
}

func (b *BodyRoom) take(ctx context.Context, size int64) error {
	if size <= FreeBody {
		return nil
	}
	size = min(size, b.service.bodies.share)
	if size <= b.taken {
		return nil
	}
	leave, err := b.service.bodies.more(ctx, b.application, size-b.taken, b.taken)
	if err != nil {
		return err
	}
	b.taken = size
	b.leave = append(b.leave, leave)
	return nil
}

// Release gives the room back. The BodyRoom can be used again.
func (b *BodyRoom) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, leave := range b.leave {
		leave()
	}
	b.leave, b.taken, b.body, b.answer = nil, 0, 0, 0
}

type roomKey struct{}

// WithRoom returns a context that carries the room of a request to the work done for it.
func WithRoom(ctx context.Context, room *BodyRoom) context.Context {
	return context.WithValue(ctx, roomKey{}, room)
}

// Hold counts size bytes of a document, or of another part of an answer, that is read or made for the request of
// ctx: answers take memory as bodies do. It counts nothing if ctx carries no room. Error codes: too_large if
// several parts together have more bytes than bodies may have; too_many_requests, unavailable.
func Hold(ctx context.Context, size int) error {
	if room, ok := ctx.Value(roomKey{}).(*BodyRoom); ok {
		return room.hold(ctx, int64(size))
	}
	return nil
}

// Held is called before reading documents that may be given up and read again. giveUp forgets what Hold has counted for the request of ctx since then.
func Held(ctx context.Context) (giveUp func()) {
	room, ok := ctx.Value(roomKey{}).(*BodyRoom)
	if !ok {
		return func() {}
	}
	room.mu.Lock()
	defer room.mu.Unlock()
	before := room.answer
	return func() {
		room.mu.Lock()
		defer room.mu.Unlock()
		room.answer = min(room.answer, before)
	}
}
