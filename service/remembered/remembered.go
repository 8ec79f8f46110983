// Package remembered provides bounded caches of what was looked up or computed.
package remembered

import (
	"sync"
	"time"
)

// Map is a cache with entries that expire and bounded room. It evicts at random, which needs no record of accesses
// and still loses little of what is asked for often. It is safe for concurrent use.
type Map[K comparable, V any] struct {
	Life time.Duration // how long an entry is valid; 0: as long as there is room
	Room int           // for all entries together, in the unit of Weigh
	// Weigh returns how much of the room an entry takes; nil: 1.
	Weigh func(K, V) int

	mu      sync.Mutex
	entries map[K]entry[V]
	used    int
}

type entry[V any] struct {
	value  V
	read   time.Time
	weight int
}

// Get returns an entry that has not expired.
func (r *Map[K, V]) Get(k K) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.entries[k]
	if !ok || r.Life > 0 && time.Since(e.read) > r.Life {
		return v, false
	}
	return e.value, true
}

// Put keeps an entry, unless it would take more than half of the room.
func (r *Map[K, V]) Put(k K, v V) {
	e := entry[V]{value: v, read: time.Now(), weight: 1}
	if r.Weigh != nil {
		e.weight = r.Weigh(k, v)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries == nil {
		r.entries = map[K]entry[V]{}
	}
	r.drop(k)
	if e.weight > r.Room/2 {
		return
	}
	for other := range r.entries {
		if r.used+e.weight <= r.Room {
			break
		}
		r.drop(other)
	}
	r.entries[k] = e
	r.used += e.weight
}

// Forget drops the entries whose keys fulfil a condition.
func (r *Map[K, V]) Forget(is func(K) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.entries {
		if is(k) {
			r.drop(k)
		}
	}
}

// Remove removes the entry of a key, if there is one.
func (r *Map[K, V]) Remove(k K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(k)
}

func (r *Map[K, V]) drop(k K) {
	r.used -= r.entries[k].weight
	delete(r.entries, k)
}

// Age makes entries older than they are, for tests of expiry.
func (r *Map[K, V]) Age(by time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, e := range r.entries {
		e.read = e.read.Add(-by)
		r.entries[k] = e
	}
}
