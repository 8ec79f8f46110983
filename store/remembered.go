package store

import (
	"sync"
	"time"
)

// remembered keeps what was looked up, for a while and in bounded room. What has to make room is picked at random, which
// needs no book of who asked when and forgets little of what is asked for often. It is safe for concurrent use.
type remembered[K comparable, V any] struct {
	life time.Duration // 0: for as long as there is room
	room int           // for all entries together
	// weigh is what an entry takes of the room; nil: 1.
	weigh func(K, V) int

	mu      sync.Mutex
	entries map[K]entry[V]
	used    int
}

type entry[V any] struct {
	value  V
	read   time.Time
	weight int
}

func (r *remembered[K, V]) get(k K) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.entries[k]
	if !ok || r.life > 0 && time.Since(e.read) > r.life {
		return v, false
	}
	return e.value, true
}

// put keeps an entry, unless it would take more than half of the room.
func (r *remembered[K, V]) put(k K, v V) {
	e := entry[V]{value: v, read: time.Now(), weight: 1}
	if r.weigh != nil {
		e.weight = r.weigh(k, v)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries == nil {
		r.entries = map[K]entry[V]{}
	}
	r.drop(k)
	if e.weight > r.room/2 {
		return
	}
	for other := range r.entries {
		if r.used+e.weight <= r.room {
			break
		}
		r.drop(other)
	}
	r.entries[k] = e
	r.used += e.weight
}

func (r *remembered[K, V]) drop(k K) {
	r.used -= r.entries[k].weight
	delete(r.entries, k)
}
