package store

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// An address may name several hosts, of which the first one that accepts writes gets all connections. After a failover, that may be a former primary
// that still runs, or runs again. So all hosts are asked, at the start and then regularly, and the one promoted last is the primary.

// candidatesEvery is the interval at which the hosts are asked.
const candidatesEvery = 10 * time.Second

// candidate is what a host that accepts writes has answered.
type candidate struct {
	address string
	origin
}

// compareCandidates asks the hosts, and makes all connections go to the one promoted last. It does not ask through poolers, where each question takes
// a session from others.
func (s *Store) compareCandidates(ctx context.Context) {
	if s.pooled {
		return
	}
	found := s.candidates(ctx)
	// The latest timeline first, so that it is known which ones are earlier.
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Compare(b.timeline, a.timeline) })
	promoted := false
	for _, c := range found {
		promoted = s.primaries.promoted(c.origin) || promoted
		_ = s.refuseFormer(c.address, c.origin, true) // it logs that; there is no connection to refuse
	}
	if promoted {
		s.log.Info("another host of DATABASE_URL was promoted: connections to the former primary are closed")
		s.primaries.reset()
	}
}

// watchCandidates compares the hosts regularly until Close.
func (s *Store) watchCandidates(ctx context.Context) {
	ctx, s.stopWatching = context.WithCancel(context.WithoutCancel(ctx))
	s.watching.Go(func() {
		for pause(ctx, candidatesEvery) == nil {
			s.compareCandidates(ctx)
		}
	})
}

// candidates returns the hosts that accept writes, if the address names several. It leaves out those that cannot be reached or do not tell.
func (s *Store) candidates(ctx context.Context) []candidate {
	pc, err := poolConfig(s.config.URL, s.config, nil, &refusals{}) // read again, because passwords change
	if err != nil {
		return nil
	}
	list := eachHost(&pc.ConnConfig.Config)
	if len(list) == 1 {
		return nil
	}
	var mu sync.Mutex
	var found []candidate
	var asking sync.WaitGroup
	for _, host := range list {
		asking.Go(func() {
			answers := ask(ctx, host)
			mu.Lock()
			defer mu.Unlock()
			found = append(found, answers...)
		})
	}
	asking.Wait()
	return found
}

// eachHost returns a configuration for each host of c, with all ways to connect to it.
func eachHost(c *pgconn.Config) []*pgconn.Config {
	var list []*pgconn.Config
	ways := append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
	for _, way := range ways {
		same := func(h *pgconn.Config) bool { return h.Host == way.Host && h.Port == way.Port }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].Fallbacks = append(list[i].Fallbacks, way)
			continue
		}
		host := c.Copy()
		host.Host, host.Port, host.TLSConfig, host.Fallbacks = way.Host, way.Port, way.TLSConfig, nil
		list = append(list, host)
	}
	return list
}

// errAsked ends a connection to a host that has answered.
var errAsked = errors.New("asked")

// ask asks the servers at all addresses of a host, one after the other: returning an error for each makes pgconn go on to the next.
func ask(ctx context.Context, host *pgconn.Config) (found []candidate) {
	asked := map[string]bool{}
	dial := host.DialFunc
	host.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if asked[address] { // with TLS, so not again without
			return nil, errAsked
		}
		return dial(ctx, network, address)
	}
	host.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		address := conn.Conn().RemoteAddr().String()
		asked[address] = true
		results, err := conn.Exec(ctx, originSQL).ReadAll()
		if err != nil || len(results) != 1 {
			return errAsked
		}
		if o, ok := originOf(results[0]); ok {
			found = append(found, candidate{address, o})
		}
		return errAsked
	}
	if conn, err := pgconn.ConnectConfig(ctx, host); err == nil {
		_ = conn.Close(ctx)
	}
	return found
}
