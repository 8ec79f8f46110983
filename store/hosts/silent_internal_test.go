package hosts

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A silent host is tried by each new connection while no other host accepts any, like a standby that is not promoted yet: otherwise nobody would
// notice for ten seconds that it is back.
func TestSilentHostsAreTriedWhereThereIsNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, up, tries := new(Silent), false, 0
		dial := h.leavingOut(func(ctx context.Context, _, _ string) (net.Conn, error) {
			tries++
			if up {
				return nil, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		expect := func(when string, want int) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_, err := dial(ctx, "tcp", "a:5432")
			if tries != want || up && err != nil {
				t.Errorf("%s: tried %d times, want %d; %v", when, tries, want, err)
			}
		}
		h.took("b:5432") // possibly before it was promoted
		expect("at first", 1)
		expect("no other takes connections", 2)
		h.took("b:5432")
		expect("another one does", 2)
		late, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		h.silent["a:5432"] = silence{} // it may be tried again
		if _, err := dial(late, "tcp", "a:5432"); err == nil || tries != 3 {
			t.Errorf("tried %d times without time for it", tries)
		}
		tries--
		expect("there was no time to try it", 2)
		time.Sleep(silentFor)
		expect("after a while", 3)
		h.took("b:5432")
		time.Sleep(time.Second)
		expect("it was tried just now", 3)
		time.Sleep(silentFor)
		expect("after another while, nobody has come since", 4)
		up = true
		expect("it is back, and the other takes nothing any more", 5)
		h.took("a:5432")
		expect("it takes connections", 6)
	})
}
