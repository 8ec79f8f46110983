package store

import (
	"context"
	"errors"

	"github.com/jackc/puddle/v2"
	"golang.org/x/sync/singleflight"
)

// outliving is the context of what goes on without the search that has begun it, to the limit of searches or the end of the store. Call done
// when it is over.
func (s *Store) outliving(ctx context.Context) (_ context.Context, done func()) {
	ctx, ended := s.ending.outlive(ctx)
	ctx, cancel := context.WithTimeout(ctx, s.config.SearchTimeout)
	return ctx, func() { cancel(); ended() }
}

// cutOff is the error of what has ended with an outliving context: at the limit, or because the store is closed.
func (s *Store) cutOff(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return s.searchTimeout(err)
	}
	return puddle.ErrClosedPool
}

// onceForAll runs f for all that ask for the same at once. Whoever goes away does not stop it; it ends at the limit of
// searches, as those that wait for it then do.
func onceForAll[T any](ctx context.Context, s *Store, what string, f func(ctx context.Context) (T, error)) (none T, _ error) {
	result, err, _ := s.flights.Do(what, func() (any, error) {
		ctx, done := s.outliving(ctx)
		defer done()
		result, err := f(ctx)
		if err != nil && ctx.Err() != nil {
			err = s.cutOff(ctx, err)
		}
		return result, err
	})
	if err != nil {
		return none, err // where somebody else's run has panicked, there is no result
	}
	return result.(T), nil
}

// inBackground runs f beside the search that needs its outcome later, unless it is running under that name: then its outcome is that of the
// run. It ends at the limit of searches. Its error is told here: nobody may wait for it.
func (s *Store) inBackground(ctx context.Context, name string, f func(ctx context.Context) (any, error)) <-chan singleflight.Result {
	return s.flights.DoChan(name, func() (any, error) {
		ctx, done := s.outliving(unwatched(ctx))
		defer done()
		result, err := survived(func() (any, error) { return f(ctx) })
		if err != nil && !superseded(err) && !errors.Is(ctx.Err(), context.Canceled) { // which says that the store is closed
			s.failures.warn(s.log, "data that searches use could not be brought up to date; this will be retried", err, "what", name)
		}
		return result, err
	})
}
