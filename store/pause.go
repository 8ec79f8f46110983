package store

import (
	"context"
	"time"
)

// pause waits for d, or until ctx ends, and then returns its error.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
