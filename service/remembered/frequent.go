package remembered

import "sync"

// Frequent is a cache with bounded room for what is asked for most often: a new entry replaces others only if it was asked for
// more often than each of these, so that a round of searches does not push out what all of them need. Counts are halved from
// time to time, so that what nobody asks for any more makes room. This is the admission policy of TinyLFU (Einziger, Friedman
// and Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", 2017) with exact counts. It is safe for concurrent use.
type Frequent[K comparable, V any] struct {
	Room   int // for all entries together, in the unit of Put's weight
	Counts int // how many keys are counted at most

	mu      sync.Mutex
	entries map[K]kept[V]
	used    int
	counts  map[K]uint8
	asks    int // since counts were halved
}

type kept[V any] struct {
	value  V
	weight int
}

const (
	// Counts are halved after halvedAfter calls of Ask for each entry that there is, but not before leastAsks calls.
	halvedAfter, leastAsks = 10, 500
	maxCount               = 255
)

// Get returns an entry.
func (r *Frequent[K, V]) Get(k K) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.entries[k]
	return e.value, ok
}

// Ask records that an entry is asked for, whether or not it is there, and returns how often it was asked for lately, including this time: from 1 to 255.
func (r *Frequent[K, V]) Ask(k K) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[K]uint8{}
	}
	if r.asks++; r.asks > max(leastAsks, halvedAfter*len(r.entries)) || len(r.counts) >= r.Counts {
		r.halve()
	}
	n := min(int(r.counts[k])+1, maxCount)
	r.counts[k] = uint8(n)
	return n
}

func (r *Frequent[K, V]) halve() {
	r.asks = 0
	for k, n := range r.counts {
		if n /= 2; n > 0 {
			r.counts[k] = n
		} else {
			delete(r.counts, k)
		}
	}
}

// Put keeps an entry that takes weight of the room, unless that is more than half of it, or an entry that would have
// to go was asked for as often. It calls value only if it keeps the entry. It forgets what was there under the key.
func (r *Frequent[K, V]) Put(k K, weight int, value func() V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(k)
	if weight > r.Room/2 {
		return
	}
	var going []K
	free := r.Room - r.used
	for other, e := range r.entries {
		if free >= weight {
			break
		}
		if r.counts[other] >= r.counts[k] {
			return
		}
		going, free = append(going, other), free+e.weight
	}
	for _, other := range going {
		r.drop(other)
	}
	if r.entries == nil {
		r.entries = map[K]kept[V]{}
	}
	r.entries[k] = kept[V]{value(), weight}
	r.used += weight
}

func (r *Frequent[K, V]) drop(k K) {
	r.used -= r.entries[k].weight
	delete(r.entries, k)
}
