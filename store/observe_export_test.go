package store

import "context"

// HoldConnections takes every connection of the pool for writes until release is called.
func (s *Store) HoldConnections(ctx context.Context) (release func(), err error) {
	var held []interface{ Release() }
	release = func() {
		for _, c := range held {
			c.Release()
		}
	}
	for range s.pool.Config().MaxConns {
		c, err := s.pool.Acquire(ctx)
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, c)
	}
	return release, nil
}

// PlanOf asks PostgreSQL for the plan of a statement.
func (s *Store) PlanOf(ctx context.Context, sql string) (string, error) { return s.planOf(ctx, sql) }
