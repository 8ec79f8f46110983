package client

import (
	"math/rand/v2"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// The pauses of a host that has failed: the first, and the longest.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// hosts sends requests to the hosts in turn, and leaves out for a while those that fail.
type hosts struct {
	config Config
	all    []*host
	// regular is how many of them take turns; the others are used only when all of those rest.
	regular int
	turn    atomic.Uint64
}

// host is one of them.
type host struct {
	url *url.URL

	mu       sync.Mutex
	failures int       // without a success in between
	rests    time.Time // until then
}

// next chooses the host whose turn it is among those that do not rest, and otherwise the one that rests the
// shortest; wait is how long it still does.
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

// rest is how long all hosts still rest.
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

// worked takes note of an answer.
func (h *host) worked() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures, h.rests = 0, time.Time{}
}

// failed lets the host rest: longer with each failure, half of it at random so that clients do not come back
// together, and as long as it has asked for.
func (h *host) failed(now time.Time, asked time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	pause := longestPause
	if h.failures < 6 {
		pause = min(firstPause<<h.failures, longestPause)
	}
	h.failures++
	pause = pause/2 + rand.N(pause/2+1)
	if until := now.Add(max(pause, asked)); until.After(h.rests) {
		h.rests = until
	}
}
