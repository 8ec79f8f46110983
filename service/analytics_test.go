package service

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowQueries is a store whose deletion of old queries takes longer than it may.
type slowQueries struct{ QueryStore }

func (slowQueries) DropQueries(ctx context.Context, _ time.Time) error {
	<-ctx.Done()
	return ctx.Err()
}

// warnings counts the lines of a log.
type warnings struct{ atomic.Int64 }

func (w *warnings) Write(line []byte) (int, error) {
	w.Add(1)
	return len(line), nil
}

// A deletion that runs out of time is told; one that is cut off by the end of the server is not.
func TestDeletionsOfQueriesThatTakeTooLongAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told warnings
		a := NewAnalytics(slowQueries{}, AnalyticsConfig{Logger: slog.New(slog.NewTextHandler(&told, nil))})
		ctx, stop := context.WithCancel(t.Context())
		go a.Run(ctx)
		time.Sleep(saveEvery + dropTime + time.Second)
		if got := told.Load(); got != 1 {
			t.Errorf("told %d times", got)
		}
		time.Sleep(dropEvery - dropTime) // the next has begun
		stop()
		synctest.Wait()
		if got := told.Load(); got != 1 {
			t.Errorf("told %d times, the end included", got)
		}
	})
}
