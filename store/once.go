package store

import (
	"context"
	"errors"

	"github.com/jackc/puddle/v2"
	"golang.org/x/sync/singleflight"
)

// outliving is the context of what goes on without the search that has begun it, to the limit of searches.
func (s *Store) outliving(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.config.SearchTimeout)
}

// onceForAll runs f for all that ask for the same at once. Whoever goes away does not stop it; it ends at the limit of
// searches, as those that wait for it then do.
func onceForAll[T any](ctx context.Context, s *Store, what string, f func(ctx context.Context) (T, error)) (none T, _ error) {
	result, err, _ := s.flights.Do(what, func() (any, error) {
		ctx, cancel := s.outliving(ctx)
		defer cancel()
		result, err := f(ctx)
		if err != nil && ctx.Err() != nil {
			err = s.searchTimeout(err)
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
		ctx, cancel := s.outliving(unwatched(ctx))
		defer cancel()
		result, err := survived(func() (any, error) { return f(ctx) })
		if err != nil && !superseded(err) && !errors.Is(err, puddle.ErrClosedPool) { // the store itself may be closed meanwhile
			s.failures.warn(s.log, "what searches go by could not be brought up to date; this is tried again", err, "what", name)
		}
		return result, err
	})
}
