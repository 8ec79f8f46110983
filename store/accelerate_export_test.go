package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// AccelerateSmall has indices of few documents accelerated.
func (s *Store) AccelerateSmall(stages ...int) {
	s.limits = accelerationLimits{documents: 40, frequency: 4, lexemes: 200, blockSize: 64, changed: 400, found: 0, rebuild: 1, stages: stages}
}

// Accelerate takes one step of the builder.
func (s *Store) Accelerate(ctx context.Context, ix *service.Index) (again bool, err error) {
	again, err = s.rebuildPostings(ctx, job{ix: ix})
	s.forgetAccelerator(ix.ID)
	return again, err
}

// StopAccelerating takes the postings of an index away.
func (s *Store) StopAccelerating(ctx context.Context, ix *service.Index) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return (&postingsBuilder{store: s, conn: conn.Conn(), ix: ix, sh: shapeOf(ix)}).stop(ctx)
}

// SearchBothWays runs a plan from postings and by the plain statement, in one snapshot. accelerated is nil where
// postings cannot answer it.
func (s *Store) SearchBothWays(ctx context.Context, p *service.Plan) (accelerated, plain *service.Found, err error) {
	sh := shapeOf(p.Index)
	var r ranking
	if p.After != nil {
		r.averageLength = p.After.AverageLength
		for i := range p.After.Rarities {
			p.Terms[i].Rarity = p.After.Rarities[i]
		}
		p.Match = p.After.Match
	} else {
		f, err := s.frequencies(ctx, p.Index, sh)
		if err != nil {
			return nil, nil, err
		}
		r.averageLength = f.averageLength
		if err := s.rarities(ctx, p, sh, f); err != nil {
			return nil, nil, err
		}
	}
	empty := func() *service.Found {
		found := &service.Found{AverageLength: r.averageLength, Facets: map[string][]service.FacetValue{}, Stats: map[string]service.FacetStats{}}
		for _, name := range p.Facets {
			found.Facets[name] = []service.FacetValue{}
		}
		for _, t := range p.Terms {
			found.Rarities = append(found.Rarities, t.Rarity)
		}
		return found
	}
	asked := p.Match
	a, err := s.accelerate(ctx, p, sh, r)
	if err != nil {
		return nil, nil, err
	}
	err = pgx.BeginTxFunc(ctx, s.reads, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if a != nil {
			accelerated = empty()
			done, err := a.run(ctx, tx, &s.valuesCache, accelerated)
			if err != nil {
				return err
			}
			if !done {
				accelerated = nil
			}
		}
		if p.Match = asked; p.Match == service.MatchAuto {
			if err := chooseMatch(ctx, tx, p, sh); err != nil {
				return err
			}
		}
		st := sh.searchSQL(p, r)
		rows, err := tx.Query(ctx, st.sql, st.args...)
		if err != nil {
			return err
		}
		plain = empty()
		plain.Match = p.Match
		return collect(rows, p, sh, plain)
	})
	if gone(err) {
		s.forgetAccelerator(p.Index.ID)
		err = service.ErrStale
	}
	return accelerated, plain, err
}
