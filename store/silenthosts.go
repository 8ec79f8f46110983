package store

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// slowRefusal is from when on a host that cannot be connected to has been silent, rather than refused.
	slowRefusal = time.Second
	// silentFor is how long such a host is left out.
	silentFor = 10 * time.Second
)

// silentHosts are those of an address with several that a connection has lately waited for in vain. Each new connection would wait for
// one that is dead before it tries the next: so in ten seconds only one does.
type silentHosts struct {
	mu    sync.Mutex
	until map[string]time.Time // by address; none is tried before
}

// leavingOut dials with dial, but for hosts that were silent.
func (h *silentHosts) leavingOut(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if h.leftOut(address) {
			return nil, fmt.Errorf("%s has not answered within the last %s", address, silentFor)
		}
		began := time.Now()
		conn, err := dial(ctx, network, address)
		h.tried(address, err != nil && time.Since(began) > slowRefusal)
		return conn, err
	}
}

// leftOut tells that a host is not to be tried now. Who is told to try one that was silent is the only one for as long.
func (h *silentHosts) leftOut(address string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	until, silent := h.until[address]
	if silent && time.Now().Before(until) {
		return true
	}
	if silent {
		h.until[address] = time.Now().Add(silentFor)
	}
	return false
}

// tried notes how it went.
func (h *silentHosts) tried(address string, silent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !silent {
		delete(h.until, address)
		return
	}
	if h.until == nil {
		h.until = map[string]time.Time{}
	}
	h.until[address] = time.Now().Add(silentFor)
}

// severalHosts tells that an address has more than one.
func severalHosts(c *pgconn.Config) bool {
	for _, other := range c.Fallbacks {
		if other.Host != c.Host || other.Port != c.Port {
			return true
		}
	}
	return false
}
