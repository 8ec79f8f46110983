package store

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Whatever is put there, the entries fit into the room, and what was put last is there unless it is too large.
func TestRememberedIsBounded(t *testing.T) {
	t.Parallel()
	const room = 100
	m := remembered[int, int]{room: room, weigh: func(_, weight int) int { return weight }}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		k, weight := r.IntN(40), r.IntN(60)
		m.put(k, weight)
		if got, ok := m.get(k); ok != (weight <= room/2) || ok && got != weight {
			t.Fatalf("put %d, got %d, %t", weight, got, ok)
		}
		used := 0
		for _, e := range m.entries {
			used += e.value
		}
		if used > room || used != m.used {
			t.Fatalf("the entries weigh %d, their sum is kept as %d, there is room for %d", used, m.used, room)
		}
	}
	if len(m.entries) < 2 {
		t.Errorf("only %d entries are left", len(m.entries))
	}
}

// What is looked up again takes the place of what it was, not that of others.
func TestRememberedIsRefreshed(t *testing.T) {
	t.Parallel()
	const room = 10
	m := remembered[int, int]{room: room}
	for k := range room {
		m.put(k, 0)
	}
	for n := range 5 {
		m.put(3, n)
	}
	for k := range room {
		want := 0
		if k == 3 {
			want = 4
		}
		if got, ok := m.get(k); !ok || got != want {
			t.Errorf("%d is %d, %t; want %d", k, got, ok, want)
		}
	}
	m.put(room, 0)
	if len(m.entries) != room {
		t.Errorf("one more makes %d entries", len(m.entries))
	}
}

// An entry ends with its life however often it is asked for, and begins another when it is put again.
func TestRememberedEnds(t *testing.T) {
	t.Parallel()
	m := remembered[string, int]{life: time.Hour, room: 10}
	m.put("a", 1)
	for range 2 {
		if _, ok := m.get("a"); !ok {
			t.Error("it ended before its time")
		}
		m.age(time.Hour / 2)
	}
	if got, ok := m.get("a"); ok {
		t.Errorf("%d is past its life", got)
	}
	m.put("a", 2)
	if got, ok := m.get("a"); !ok || got != 2 {
		t.Errorf("put again: %d, %t", got, ok)
	}
	forever := remembered[string, int]{room: 10}
	forever.put("a", 1)
	forever.age(1000 * time.Hour)
	if _, ok := forever.get("a"); !ok {
		t.Error("what has no bounds to its life has ended")
	}
}

// An entry that would take more than half of the room pushes nothing out, and takes away what it replaces.
func TestRememberedLeavesLargeOnesOut(t *testing.T) {
	t.Parallel()
	m := remembered[string, int]{room: 10, weigh: func(_ string, weight int) int { return weight }}
	m.put("small", 1)
	m.put("half", 5)
	m.put("large", 6)
	for k, want := range map[string]bool{"small": true, "half": true, "large": false} {
		if _, ok := m.get(k); ok != want {
			t.Errorf("%s is there: %t", k, ok)
		}
	}
	m.put("half", 6)
	if got, ok := m.get("half"); ok {
		t.Errorf("it is still %d", got)
	}
}
