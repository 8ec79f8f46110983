package service

import (
	"context"
	"time"
)

// inTime runs a step after the first of a search or of suggestions that began at start, unless that takes it past the time limit: the error then says when,
// and what helps. Like the store, it gives all steps together a quarter more than the limit.
func inTime[T any](ctx context.Context, s *Service, start time.Time, when string, step func(ctx context.Context) (T, error)) (T, error) {
	limit := s.config.SearchTimeout
	if limit == 0 {
		return step(ctx)
	}
	limited, cancel := context.WithDeadline(ctx, start.Add(limit+limit/4))
	defer cancel()
	value, err := step(limited)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = Errorf(CodeSearchTimeout, "The search ran past its limit of %s%s", limit, when).Because(err)
	}
	return value, err
}
