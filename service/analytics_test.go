package service

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowQueries is a store whose deletions of old queries take longer than they may. It counts what is saved.
type slowQueries struct {
	QueryStore
	saved atomic.Int64
}

func (s *slowQueries) SaveQueries(_ context.Context, counts []QueryCount, _ []QueryHour) error {
	for _, c := range counts {
		s.saved.Add(c.Searches)
	}
	return nil
}

func (*slowQueries) DropQueries(ctx context.Context, _ time.Time) error {
	<-ctx.Done()
	return ctx.Err()
}

// warnings counts the lines of a log.
type warnings struct{ atomic.Int64 }

func (w *warnings) Write(line []byte) (int, error) {
	w.Add(1)
	return len(line), nil
}

// A deletion that runs out of time is logged; one that is cut off by the end of the server is not.
func TestDeletionsOfQueriesThatTakeTooLongAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told warnings
		a := NewAnalytics(&slowQueries{}, AnalyticsConfig{Logger: slog.New(slog.NewTextHandler(&told, nil))})
		ctx, stop := context.WithCancel(t.Context())
		go a.Run(ctx)
		time.Sleep(saveEvery + dropTime + time.Second)
		if got := told.Load(); got != 1 {
			t.Errorf("told %d times", got)
		}
		time.Sleep(dropEvery - dropTime) // the next one has begun
		stop()
		synctest.Wait()
		if got := told.Load(); got != 1 {
			t.Errorf("told %d times, the end included", got)
		}
	})
}

// Queries that are searched for while old ones are deleted are saved meanwhile.
func TestQueriesAreSavedWhileOldOnesAreDeleted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var store slowQueries
		a := NewAnalytics(&store, AnalyticsConfig{Sample: 1})
		ctx, stop := context.WithCancel(t.Context())
		go a.Run(ctx)
		time.Sleep(saveEvery + time.Second) // the deletion has begun
		a.Searched(ctx, Searched{Application: "demo", Search: "films", Query: "samurai"})
		time.Sleep(2*saveEvery + typingPause)
		if got := store.saved.Load(); got != 1 {
			t.Errorf("%d searches are saved", got)
		}
		stop()
		synctest.Wait()
	})
}
