package turns_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service/turns"
)

// Only one at a time has the turn of a key; others wait for it until their contexts end, and other keys do not matter.
func TestByKey(t *testing.T) {
	t.Parallel()
	var all turns.ByKey
	take := func(ctx context.Context, key string) func() {
		t.Helper()
		done, err := all.Take(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	done := take(t.Context(), "a")
	take(t.Context(), "b")()
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := all.Take(short, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("somebody else has the turn: %v", err)
	}
	next := make(chan func())
	go func() {
		done, err := all.Take(t.Context(), "a")
		if err != nil {
			t.Error(err)
		}
		next <- done
	}()
	select {
	case <-next:
		t.Fatal("two have the turn")
	case <-time.After(20 * time.Millisecond):
	}
	done()
	(<-next)()
	take(t.Context(), "a")()
}
