package store

import "context"

// outliving is the context of what goes on without the search that has begun it, to the limit of searches.
func (s *Store) outliving(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.config.SearchTimeout)
}

// onceForAll runs f for all that ask for the same at once. Whoever goes away does not stop it; it ends at the limit of
// searches, as those that wait for it then do.
func onceForAll[T any](ctx context.Context, s *Store, what string, f func(ctx context.Context) (T, error)) (T, error) {
	result, err, _ := s.fresh.Do(what, func() (any, error) {
		ctx, cancel := s.outliving(ctx)
		defer cancel()
		result, err := f(ctx)
		if err != nil && ctx.Err() != nil {
			err = s.searchTimeout(err)
		}
		return result, err
	})
	return result.(T), err
}
