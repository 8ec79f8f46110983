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
	// slowRefusal is the time after which a host that cannot be connected to counts as silent rather than as refusing.
	slowRefusal = time.Second
	// silentFor is how long such a host is left out.
	silentFor = 10 * time.Second
)

// Silent holds the hosts of one address, or of one name with several addresses, for which a connection has recently waited in vain. Each new
// connection would wait for a dead host before it tries the next one; so only one does in ten seconds. If none of the other hosts accepts
// connections, like a standby that is not promoted yet, all wait: the host may come back at any time.
type Silent struct {
	mu     sync.Mutex
	silent map[string]silence   // by host and port
	taken  map[string]time.Time // when each last accepted a connection
}

// silence is when a host stopped answering, and until when it is not tried.
type silence struct{ since, until time.Time }

// Watch makes connections leave out silent hosts, and notes which hosts accept them.
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

// leavingOut returns a function that dials with dial, except for silent hosts.
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
		case err == nil || ctx.Err() == nil: // otherwise no time was left, as for the second try of a host, without TLS
			h.answered(address)
		}
		return conn, err
	}
}

// leftOut reports whether a host is not to be tried now. When it allows a try of a silent host, it leaves the host out for everybody else for another
// silentFor.
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

// elsewhere reports whether another host has accepted a connection since then.
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

// answered notes that a host has answered, if only with a refusal.
func (h *Silent) answered(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.silent, address)
}

// took notes that a host has accepted a connection.
func (h *Silent) took(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken == nil {
		h.taken = map[string]time.Time{}
	}
	h.taken[address] = time.Now()
}
