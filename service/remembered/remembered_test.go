package remembered

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Whatever is put there, the entries fit into the room, and what was put last is there unless it is too large.
func TestIsBounded(t *testing.T) {
	t.Parallel()
	const room = 100
	m := Map[int, int]{Room: room, Weigh: func(_, weight int) int { return weight }}
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		k, weight := r.IntN(40), r.IntN(60)
		m.Put(k, weight)
		if got, ok := m.Get(k); ok != (weight <= room/2) || ok && got != weight {
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

// An entry that is put again replaces its old value, not other entries.
func TestIsRefreshed(t *testing.T) {
	t.Parallel()
	const room = 10
	m := Map[int, int]{Room: room}
	for k := range room {
		m.Put(k, 0)
	}
	for n := range 5 {
		m.Put(3, n)
	}
	for k := range room {
		want := 0
		if k == 3 {
			want = 4
		}
		if got, ok := m.Get(k); !ok || got != want {
			t.Errorf("%d is %d, %t; want %d", k, got, ok, want)
		}
	}
	m.Put(room, 0)
	if len(m.entries) != room {
		t.Errorf("one more makes %d entries", len(m.entries))
	}
}

// An entry expires after its life however often it is asked for, and lives anew when it is put again.
func TestEnds(t *testing.T) {
	t.Parallel()
	m := Map[string, int]{Life: time.Hour, Room: 10}
	m.Put("a", 1)
	for range 2 {
		if _, ok := m.Get("a"); !ok {
			t.Error("it ended before its time")
		}
		m.Age(time.Hour / 2)
	}
	if got, ok := m.Get("a"); ok {
		t.Errorf("%d is past its life", got)
	}
	m.Put("a", 2)
	if got, ok := m.Get("a"); !ok || got != 2 {
		t.Errorf("put again: %d, %t", got, ok)
	}
	forever := Map[string, int]{Room: 10}
	forever.Put("a", 1)
	forever.Age(1000 * time.Hour)
	if _, ok := forever.Get("a"); !ok {
		t.Error("what has no bounds to its life has ended")
	}
}

// An entry that would take more than half of the room evicts no others, but removes the entry that it replaces.
func TestLeavesLargeOnesOut(t *testing.T) {
	t.Parallel()
	m := Map[string, int]{Room: 10, Weigh: func(_ string, weight int) int { return weight }}
	m.Put("small", 1)
	m.Put("half", 5)
	m.Put("large", 6)
	for k, want := range map[string]bool{"small": true, "half": true, "large": false} {
		if _, ok := m.Get(k); ok != want {
			t.Errorf("%s is there: %t", k, ok)
		}
	}
	m.Put("half", 6)
	if got, ok := m.Get("half"); ok {
		t.Errorf("it is still %d", got)
	}
}

// Forgotten entries make room, and no others are removed.
func TestForget(t *testing.T) {
	t.Parallel()
	m := Map[int, int]{Room: 100}
	for k := range 50 {
		m.Put(k, k)
	}
	m.Forget(func(k int) bool { return k%3 == 0 })
	m.Remove(3) // no longer there
	m.Put(3, 3)
	m.Remove(3)
	for k := range 50 {
		if _, ok := m.Get(k); ok != (k%3 != 0) {
			t.Errorf("%d is there: %t", k, ok)
		}
	}
	if m.used != len(m.entries) {
		t.Errorf("%d entries take %d", len(m.entries), m.used)
	}
}
