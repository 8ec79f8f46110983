package hosts

import (
	"context"
	"errors"
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

// Silent are the hosts of one address that a connection has lately waited for in vain: of several hosts, or several that one name
// stands for. Each new connection would wait for one that is dead before it tries the next: so in ten seconds only one does. Where none
// of the others takes connections, as a standby until it is promoted, all wait: the host may come back at any time.
type Silent struct {
	mu     sync.Mutex
	silent map[string]silence   // by host and port
	taken  map[string]time.Time // when each has taken a connection last
}

// silence is since when a host has not answered, and until when it is not tried.
type silence struct{ since, until time.Time }

// Watch has connections leave out hosts that were silent, and notes which others take them.
func (h *Silent) Watch(c *pgconn.Config) {
	c.DialFunc = h.leavingOut(c.DialFunc)
	validate := c.ValidateConnect
	c.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		var err error
		if validate != nil {
			err = validate(ctx, conn)
		}
		if _, second := errors.AsType[*pgconn.NotPreferredError](err); second || err == nil {
			h.took(conn.Conn().RemoteAddr().String())
		}
		return err
	}
}

// leavingOut dials with dial, but for hosts that were silent.
func (h *Silent) leavingOut(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if h.leftOut(address) {
			return nil, fmt.Errorf("%s has not answered within the last %s", address, silentFor)
		}
		began := time.Now()
		conn, err := dial(ctx, network, address)
		switch {
		case err != nil && time.Since(began) > slowRefusal:
			h.wasSilent(address, began)
		case err == nil || ctx.Err() == nil: // else there was no time left, as for the second try of a host, without TLS
			h.answered(address)
		}
		return conn, err
	}
}

// leftOut tells that a host is not to be tried now. Who is told to try one that was silent is the only one for as long.
func (h *Silent) leftOut(address string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	was, silent := h.silent[address]
	switch {
	case !silent:
		return false
	case time.Now().Before(was.until):
		return h.elsewhere(address, was.since)
	}
	was.until = time.Now().Add(silentFor)
	h.silent[address] = was
	return false
}

// elsewhere tells that another host has taken a connection since then.
func (h *Silent) elsewhere(address string, since time.Time) bool {
	for other, at := range h.taken {
		if other != address && at.After(since) {
			return true
		}
	}
	return false
}

// wasSilent notes that a host has not answered since then.
func (h *Silent) wasSilent(address string, since time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.silent == nil {
		h.silent = map[string]silence{}
	}
	h.silent[address] = silence{since, time.Now().Add(silentFor)}
}

// answered notes that it has, if only with a refusal.
func (h *Silent) answered(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.silent, address)
}

// took notes that a host has taken a connection.
func (h *Silent) took(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken == nil {
		h.taken = map[string]time.Time{}
	}
	h.taken[address] = time.Now()
}
