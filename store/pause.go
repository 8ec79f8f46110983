package store

import (
	"context"
	"time"
)

// pause waits for d, or until ctx ends, whose error it returns then.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
