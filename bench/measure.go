package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// samples are durations of one kind of work, and how long all of it took.
type samples struct {
	each []time.Duration
	wall time.Duration
}

// quantile returns the smallest duration that at least the share q of all durations do not exceed; 0 if there are none.
func (s samples) quantile(q float64) time.Duration {
	if len(s.each) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.each))
	i := int(q*float64(len(sorted))+0.999999) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}

func (s samples) median() time.Duration { return s.quantile(0.5) }

// rate is how much was done per second.
func (s samples) rate() float64 {
	if s.wall <= 0 {
		return 0
	}
	return float64(len(s.each)) / s.wall.Seconds()
}

func (s *samples) add(t samples) {
	s.each = append(s.each, t.each...)
	s.wall += t.wall
}

// repeat calls f(0) to f(n-1), several at once, and starts no call after limit. With cycle it starts over from 0
// until then. An error ends it.
func repeat(ctx context.Context, several, n int, limit time.Duration, cycle bool, f func(ctx context.Context, i int) error) (samples, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		mu   sync.Mutex
		out  samples
		errs []error
		next atomic.Int64
		wait sync.WaitGroup
	)
	begin := time.Now()
	for range several {
		wait.Go(func() {
			for ctx.Err() == nil && time.Since(begin) < limit {
				i := int(next.Add(1) - 1)
				if i >= n && !cycle {
					return
				}
				start := time.Now()
				err := f(ctx, i%n)
				took := time.Since(start)
				mu.Lock()
				if err != nil {
					errs = append(errs, err)
					cancel()
				} else {
					out.each = append(out.each, took)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	out.wall = time.Since(begin)
	if len(errs) > 0 {
		return out, errs[0]
	}
	return out, ctx.Err()
}

// versus measures two ways of doing the same work in turn (A B A B …), a part of the n pieces each time, so that
// other load on the machine disturbs both.
func versus(ctx context.Context, several, n int, limit time.Duration, a, b func(ctx context.Context, i int) error) (of [2]samples, _ error) {
	const turns = 3
	cycle := several > 1
	for turn := range turns {
		from, to := turn*n/turns, (turn+1)*n/turns
		if from == to {
			continue
		}
		for side, f := range []func(context.Context, int) error{a, b} {
			s, err := repeat(ctx, several, to-from, limit/turns, cycle, func(ctx context.Context, i int) error { return f(ctx, from+i) })
			if err != nil {
				return of, err
			}
			of[side].add(s)
		}
	}
	return of, nil
}
