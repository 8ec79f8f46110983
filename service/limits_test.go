package service

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestGateBoundsWork(t *testing.T) {
	t.Parallel()
	g := newGate("searches", 8, time.Minute)
	var inside, most atomic.Int64
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			leave, err := g.enter(context.Background(), "one", 1)
			if err != nil {
				t.Error(err)
				return
			}
			n := inside.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			inside.Add(-1)
			leave()
		})
	}
	wg.Wait()
	if most.Load() > 6 {
		t.Errorf("%d of one application at once, its share of 8 is 6", most.Load())
	}
	if len(g.tenants) != 0 || g.inside != 0 || g.waiting != 0 {
		t.Errorf("left behind: %d applications, %d inside, %d waiting", len(g.tenants), g.inside, g.waiting)
	}
}

func TestGateIsFair(t *testing.T) {
	t.Parallel()
	g := newGate("searches", 4, 20*time.Millisecond)
	var leaves []func()
	for range 3 {
		leave, err := g.enter(context.Background(), "greedy", 1)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	_, err := g.enter(context.Background(), "greedy", 1)
	if e, ok := err.(*Error); !ok || e.Code != CodeTooManyRequests || e.RetryAfter < time.Second {
		t.Errorf("the fourth of three shares: %v, want too_many_requests with a time to retry after", err)
	}
	leave, err := g.enter(context.Background(), "modest", 1)
	if err != nil {
		t.Fatalf("another application finds the gate closed: %v", err)
	}
	_, err = g.enter(context.Background(), "third", 1)
	if ErrorCode(err) != CodeUnavailable {
		t.Errorf("a full gate: %v, want unavailable", err)
	}
	leave()
	for _, leave := range leaves {
		leave()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if leave, err := g.enter(ctx, "greedy", 1); err != nil {
		t.Errorf("an open gate: %v", err)
	} else {
		leave()
	}
	if len(g.tenants) != 0 {
		t.Errorf("%d applications left behind", len(g.tenants))
	}
}

// Nobody waits behind requests that only wait for their own application's share, and a request for more than a share gets all of it.
func TestGateIsOpenBesideAFullShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate("bytes", 8, time.Minute)
		leave, err := g.enter(t.Context(), "greedy", 100)
		if err != nil || g.load().Inside != 6 {
			t.Fatalf("work of more than a share: %v, %d inside, want 6", err, g.load().Inside)
		}
		go func() {
			if leave, err := g.enter(t.Context(), "greedy", 1); err == nil {
				leave()
			}
		}()
		synctest.Wait()
		before := time.Now()
		other, err := g.enter(t.Context(), "modest", 2)
		if waited := time.Since(before); err != nil || waited > 0 {
			t.Fatalf("there is room, and another application waits %s: %v", waited, err)
		}
		other()
		leave()
		synctest.Wait()
		if load := g.load(); load.Inside != 0 || load.Waiting != 0 {
			t.Errorf("left behind: %+v", load)
		}
	})
}

// The application with less inside goes first, whoever came first; and the number of those that wait is bounded.
func TestGateLetsInWhoHasLeast(t *testing.T) {
	t.Parallel()
	g := newGate("searches", 4, time.Minute)
	enter := func(application string) func() {
		t.Helper()
		leave, err := g.enter(t.Context(), application, 1)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	first, _, last := enter("much"), enter("much"), enter("little")
	_ = enter("third")
	let := make(chan string)
	wait := func(application string, waiting int) {
		t.Helper()
		go func() {
			if _, err := g.enter(t.Context(), application, 1); err == nil {
				let <- application
			}
		}()
		for g.load().Waiting < int64(waiting) {
			time.Sleep(time.Millisecond)
		}
	}
	wait("much", 1)
	wait("none", 2)
	last()
	if got := <-let; got != "none" {
		t.Errorf("%s comes first, which has more inside", got)
	}
	first()
	if got := <-let; got != "much" {
		t.Errorf("then %s", got)
	}
	for n := range maxWaiting {
		wait("much", n+1)
	}
	if _, err := g.enter(t.Context(), "much", 1); ErrorCode(err) != CodeTooManyRequests {
		t.Errorf("one more than may wait: %v", err)
	}
}

// An application that would have no more than its share is not told to send fewer: it is the others who fill the gate.
func TestAFullGateIsEverybodysDoing(t *testing.T) {
	t.Parallel()
	g := newGate("searches", 4, 10*time.Millisecond)
	for _, application := range []string{"one", "one", "two", "two"} {
		if _, err := g.enter(t.Context(), application, 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.enter(t.Context(), "one", 1); ErrorCode(err) != CodeUnavailable {
		t.Errorf("the third of three: %v, want %s", err, CodeUnavailable)
	}
	if _, err := g.enter(t.Context(), "one", 2); ErrorCode(err) != CodeTooManyRequests {
		t.Errorf("one more than its share: %v, want %s", err, CodeTooManyRequests)
	}
}

// Of applications with equally much inside, the one that has waited longest is next.
func TestGateIsFirstComeFirstServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate("searches", 1, time.Minute)
		leave, err := g.enter(t.Context(), "inside", 1)
		if err != nil {
			t.Fatal(err)
		}
		var order []int
		for i := range 10 {
			go func() {
				leave, err := g.enter(t.Context(), fmt.Sprint("waiting ", i), 1)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, i)
				leave()
			}()
			synctest.Wait()
		}
		leave()
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; !slices.Equal(order, want) {
			t.Errorf("they came in as %v", order)
		}
	})
}

func TestBodyRoom(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	s := New(nil, Config{Limits: Limits{Bodies: 8 * mib, Wait: 10 * time.Millisecond}}) // 6 of them for one application
	ctx := context.Background()
	small, large, other := s.BodyRoom("one"), s.BodyRoom("one"), s.BodyRoom("two")
	grow := func(what string, room *BodyRoom, size int64, want Code, inside int64) {
		t.Helper()
		if err := room.Grow(ctx, size); ErrorCode(err) != want {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
		if got := s.Load().Bodies.Inside; got != inside {
			t.Errorf("%s: %d bytes are taken, want %d", what, got, inside)
		}
	}
	grow("a small one", small, FreeBody, "", 0)
	grow("a large one", large, 2*mib, "", 2*mib)
	grow("the same once more", large, mib, "", 2*mib)
	grow("it grows", large, 5*mib, "", 5*mib)
	grow("a second of the application", small, 2*mib, CodeTooManyRequests, 5*mib)
	grow("another application", other, 3*mib, "", 8*mib)
	grow("all is taken", s.BodyRoom("three"), mib, CodeUnavailable, 8*mib)
	other.Release()
	other.Release()
	grow("beyond its share", large, 100*mib, "", 6*mib)
	large.Release()
	grow("again", large, 100*mib, "", 6*mib)
	large.Release()
	if got := s.Load().Bodies; got.Inside != 0 || got.Waiting != 0 || len(s.bodies.tenants) != 0 {
		t.Errorf("left behind: %+v, %d applications", got, len(s.bodies.tenants))
	}
}

// What was read and given up does not count in addition to what is read in its place; what was read before does.
func TestHeld(t *testing.T) {
	t.Parallel()
	s := New(nil, Config{Limits: Limits{Bodies: 8 << 20}})
	room := s.BodyRoom("one")
	defer room.Release()
	ctx := WithRoom(context.Background(), room)
	if err := Hold(ctx, 2<<20); err != nil {
		t.Fatal(err)
	}
	giveUp := Held(ctx)
	for attempt := range 3 {
		giveUp()
		for document := range 2 {
			if err := Hold(ctx, 3<<20); err != nil {
				t.Fatalf("attempt %d, document %d: %v", attempt, document, err)
			}
		}
	}
	if err := Hold(ctx, 3<<20); ErrorCode(err) != CodeTooLarge {
		t.Errorf("more than there is room for: %v", err)
	}
}

// Work that waits for more keeps what it has. The last one, with which all would wait for each other, is refused, so that the others can go on.
func TestGateRefusesWhoWouldStopAll(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		applications [2]string
		weight       int64
	}{
		"of one application":                       {[2]string{"one", "one"}, 25},
		"of one application, with room for others": {[2]string{"one", "one"}, 15},
		"of two": {[2]string{"one", "two"}, 25},
	} {
		applications := test.applications
		g := newGate("bytes", 80, time.Minute)
		var leaves [2]func()
		for i, application := range applications {
			leave, err := g.enter(t.Context(), application, 30)
			if err != nil {
				t.Fatal(err)
			}
			leaves[i] = leave
		}
		let := make(chan error)
		go func() {
			_, err := g.enter(t.Context(), applications[0], test.weight) // it came first, but holds nothing inside
			let <- err
		}()
		for g.load().Waiting < 1 {
			time.Sleep(time.Millisecond)
		}
		more := make(chan error)
		go func() {
			leave, err := g.more(t.Context(), applications[0], test.weight, 30)
			if err == nil {
				leaves[0]()
				leave()
			}
			more <- err
		}()
		for g.load().Waiting < 2 {
			time.Sleep(time.Millisecond)
		}
		if _, err := g.more(t.Context(), applications[1], test.weight, 30); err == nil {
			t.Errorf("%s: nobody is refused", what)
		}
		leaves[1]()
		for _, next := range []chan error{more, let} {
			if err := <-next; err != nil {
				t.Errorf("%s: who waited is refused: %v", what, err)
			}
		}
		if g.waiting != 0 || g.stuck != 0 {
			t.Errorf("%s: %d wait, with %d", what, g.waiting, g.stuck)
		}
	}
}
