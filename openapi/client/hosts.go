package client

import (
	"math/rand/v2"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// The first pause of a host that has failed, and the longest.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// hosts sends requests to the hosts in turn, and for a while skips those that fail.
type hosts struct {
	config Config
	all    []*host
	// regular is how many hosts take turns; the others are used only while all of those rest.
	regular int
	turn    atomic.Uint64
}

// host is one of the hosts.
type host struct {
	url *url.URL

	mu       sync.Mutex
	failures int       // in a row
	rests    time.Time // until when it rests
	asked    time.Time // until when it has asked to be left alone
}

// next returns the next host in turn that does not rest, or else the one that rests the shortest; wait is how
// long it still rests.
func (h *hosts) next(now time.Time) (chosen *host, wait time.Duration) {
	first := int(h.turn.Add(1) % uint64(h.regular))
	for i := range h.all {
		candidate := h.all[i] // the fallback, which comes last
		if i < h.regular {
			candidate = h.all[(first+i)%h.regular]
		}
		if rest := candidate.rest(now); chosen == nil || rest < wait {
			chosen, wait = candidate, rest
		}
	}
	return chosen, wait
}

// rest returns how long it takes until a host no longer rests.
func (h *hosts) rest(now time.Time) time.Duration {
	shortest := h.all[0].rest(now)
	for _, other := range h.all[1:] {
		shortest = min(shortest, other.rest(now))
	}
	return shortest
}

func (h *host) rest(now time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(h.rests.Sub(now), 0)
}

// left returns how long the host has asked to be left alone from now on.
func (h *host) left(now time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(h.asked.Sub(now), 0)
}

// worked records that the host has answered.
func (h *host) worked() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures, h.rests, h.asked = 0, time.Time{}, time.Time{}
}

// failed makes the host rest: longer with each failure, half of it at random so that clients do not come back
// together, and at least as long as the host asked for.
func (h *host) failed(now time.Time, asked time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	pause := longestPause
	if h.failures < 6 {
		pause = min(firstPause<<h.failures, longestPause)
	}
	h.failures++
	pause = pause/2 + rand.N(pause/2+1)
	if asked > 0 {
		h.asked = later(h.asked, now.Add(asked))
	}
	h.rests = later(h.rests, now.Add(max(pause, asked)))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
