package service

import "context"

// FreeBody is the size of a body, in bytes, up to which it counts for nothing: what is under way at once bounds
// those.
const FreeBody = 64 << 10

// BodyRoom is the room that the body of one request takes of what one server holds at once (Limits.Bodies). It
// belongs to the goroutine of the request.
type BodyRoom struct {
	service     *Service
	application string
	taken       int64
	leave       []func()
}

// BodyRoom begins with room for FreeBody bytes. Call Release when the request has been answered.
func (s *Service) BodyRoom(application string) *BodyRoom {
	return &BodyRoom{service: s, application: application}
}

// Grow makes it room for size bytes altogether, and waits for that as long as work waits for its turn. More than
// an application may have at once counts as that much, so that a single body of whatever size gets in. Error codes:
// too_many_requests, unavailable; what was taken before stays taken.
func (b *BodyRoom) Grow(ctx context.Context, size int64) error {
	if size <= FreeBody {
		return nil
	}
	size = min(size, b.service.bodies.share)
	if size <= b.taken {
		return nil
	}
	leave, err := b.service.bodies.enter(ctx, b.application, size-b.taken)
	if err != nil {
		return err
	}
	b.taken = size
	b.leave = append(b.leave, leave)
	return nil
}

// Release gives the room back. The BodyRoom can be used again.
func (b *BodyRoom) Release() {
	for _, leave := range b.leave {
		leave()
	}
	b.leave, b.taken = nil, 0
}
