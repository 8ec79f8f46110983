package store

import (
	"context"
	"errors"

	"github.com/jackc/puddle/v2"
	"golang.org/x/sync/singleflight"
)

// outliving returns a context for work that continues without the search that began it, until the search timeout or the end of the store. The caller
// must call done when the work is over.
func (s *Store) outliving(ctx context.Context) (_ context.Context, done func()) {
	ctx, ended := s.ending.outlive(ctx)
	ctx, cancel := context.WithTimeout(ctx, s.config.SearchTimeout)
	return ctx, func() { cancel(); ended() }
}

// cutOff returns the error of work that has ended with its outliving context: because of the timeout, or because the store is closed.
func (s *Store) cutOff(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return s.searchTimeout(err)
	}
	return puddle.ErrClosedPool
}

// onceForAll runs f once for all callers that ask for the same at the same time. It goes on if callers leave; it ends at the search timeout, as they
// do.
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
		return none, err // if another caller's run has panicked, there is no result
	}
	return result.(T), nil
}

// inBackground runs f in parallel to the search that needs its outcome later. If f is already running under the same name, the outcome is that of the
// running one. f ends at the search timeout. Its error is logged here, because nobody may be waiting for it.
func (s *Store) inBackground(ctx context.Context, name string, f func(ctx context.Context) (any, error)) <-chan singleflight.Result {
	return s.flights.DoChan(name, func() (any, error) {
		ctx, done := s.outliving(unwatched(ctx))
		defer done()
		result, err := survived(func() (any, error) { return f(ctx) })
		if err != nil && !superseded(err) && !errors.Is(ctx.Err(), context.Canceled) { // canceled means that the store is closed
			s.failures.warn(s.log, "data that searches use could not be brought up to date; this will be retried", err, "what", name)
		}
		return result, err
	})
}
