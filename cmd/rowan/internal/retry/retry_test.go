package retry_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/cmd/rowan/internal/retry"
	"github.com/rowansearch/rowan/openapi/client"
)

func TestDo(t *testing.T) {
	t.Parallel()
	busy := &client.Problem{Status: 503}
	tests := map[string]struct {
		errs     []error // of each attempt; the last repeats
		patience time.Duration
		want     error
		attempts int
		// The limits for the total time.
		atLeast, atMost time.Duration
	}{
		"success":             {[]error{nil}, time.Minute, nil, 1, 0, 0},
		"after two failures":  {[]error{busy, io.ErrUnexpectedEOF, nil}, time.Minute, nil, 3, 150 * time.Millisecond, 300 * time.Millisecond},
		"for good":            {[]error{&client.Problem{Status: 422}}, time.Minute, &client.Problem{Status: 422}, 1, 0, 0},
		"as the server asked": {[]error{&client.Problem{Status: 429, RetryAfter: 20 * time.Second}, nil}, time.Minute, nil, 2, 20 * time.Second, 20 * time.Second},
		"no patience":         {[]error{busy}, 0, busy, 1, 0, 0},
		"patience ends":       {[]error{&client.Problem{Status: 503, RetryAfter: 10 * time.Second}}, 35 * time.Second, &client.Problem{Status: 503, RetryAfter: 10 * time.Second}, 4, 30 * time.Second, 30 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start, attempts := time.Now(), 0
				err := retry.Do(t.Context(), test.patience, nil, func() error {
					attempts++
					return test.errs[min(attempts, len(test.errs))-1]
				})
				took := time.Since(start)
				if diff := cmp.Diff(test.want, err); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if attempts != test.attempts || took < test.atLeast || took > test.atMost {
					t.Errorf("%d attempts in %v, want %d in %v to %v", attempts, took, test.attempts, test.atLeast, test.atMost)
				}
			})
		})
	}
}

func TestDoHasPatienceWithSlowAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		err := retry.Do(t.Context(), time.Minute, nil, func() error {
			if attempts++; attempts > 1 {
				return nil
			}
			time.Sleep(time.Hour)
			return io.ErrUnexpectedEOF
		})
		if err != nil || attempts != 2 {
			t.Errorf("%d attempts, %v", attempts, err)
		}
	})
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := retry.Do(ctx, 2*time.Hour, func(error, time.Duration) { cancel() }, func() error { return &client.Problem{Status: 503, RetryAfter: time.Hour} })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
