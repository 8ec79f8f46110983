// Package retry repeats requests while a service is away for longer than its client waits by itself.
package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rowansearch/rowan/openapi/client"
)

// The pause before the first retry, and the longest pause between retries.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// Do calls do until it succeeds, fails for good, or waiting once more would exceed patience, counted from the
// first failure. The pauses grow from a tenth of a second to five seconds, half of each at random so that clients
// do not come back together, and are never shorter than the server asked for. do must be safe to repeat. notify,
// which may be nil, is called before each pause.
func Do(ctx context.Context, patience time.Duration, notify func(err error, pause time.Duration), do func() error) error {
	var failing time.Time // since the first failure: an attempt that took long before it failed is no reason to give up
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := do()
		if err == nil || ctx.Err() != nil || !client.Temporary(err) {
			return err
		}
		if failing.IsZero() {
			failing = time.Now()
		}
		wait := pause/2 + rand.N(pause/2+1)
		if problem, ok := errors.AsType[*client.Problem](err); ok {
			wait = max(wait, problem.RetryAfter)
		}
		if time.Since(failing)+wait > patience {
			return err
		}
		if notify != nil {
			notify(err, wait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}
