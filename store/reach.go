package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// reach returns an error if the primary cannot be reached, or does not keep the sessions of connections.
func reach(ctx context.Context, config Config) (pooled bool, err error) {
	pc, err := poolConfig(config.URL, config, nil, &refusals{})
	if err != nil {
		return false, fmt.Errorf("DATABASE_URL: %w", err)
	}
	began := time.Now()
	pooled, err = checkSessions(ctx, pc.ConnConfig)
	for crowded(ctx, err, began) {
		pooled, err = checkSessions(ctx, pc.ConnConfig)
	}
	if err != nil && !errors.Is(err, errSharedSessions) {
		err = unreachable(err)
	}
	return pooled, err
}

func unreachable(err error) error {
	if full(err) {
		return fmt.Errorf("PostgreSQL has no connection left: close some, or raise max_connections, or the limit of the role or database: %w", err)
	}
	return fmt.Errorf("PostgreSQL cannot be reached with DATABASE_URL: check that it is running, and that host, port, user, password and database are right: %w", err)
}

// pingWait is how long Ping waits for a connection of one pool before it tries the other.
const pingWait = 400 * time.Millisecond

// Ping returns nil if PostgreSQL answers on a connection of either pool. If PostgreSQL only answers that it has no connection left, the server is
// still healthy as long as others get connections of the pools.
func (s *Store) Ping(ctx context.Context) error {
	taken := s.taken()
	err := ping(ctx, s.pool, pingWait)
	if err != nil {
		err = ping(ctx, s.reads, s.config.ConnectionWait)
	}
	if full(err) && s.taken() > taken {
		return nil
	}
	return err
}

// taken returns how often connections of the primary's pools have been acquired.
func (s *Store) taken() int64 { return s.pool.Stat().AcquireCount() + s.reads.Stat().AcquireCount() }

func ping(ctx context.Context, pool *pgxpool.Pool, wait time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var refused error
	conn, err := onPool(waiting, pool, func() (*pgxpool.Conn, error) {
		conn, err := pool.Acquire(waiting)
		if full(err) {
			refused = err
		}
		return conn, err
	})
	if isWaiting(err) && refused != nil { // the time ran out during another attempt
		return refused
	}
	if err != nil {
		return err
	}
	defer conn.Release()
	return conn.Ping(ctx)
}
