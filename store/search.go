package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// enoughHits is how many documents must have all words for match=auto to be content with those.
const enoughHits = 20

// Search runs a plan.
func (s *Store) Search(ctx context.Context, p *service.Plan) (*service.Found, error) {
	if s.searchedLately.note(p.Index.ID) {
		s.cleans.hurry(p.Index.ID)
	}
	asked := *p
	asked.Terms = slices.Clone(p.Terms)
	// Each statement ends at the limit; this is for all of them together, a little later, because a context that
	// ends costs the connection.
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, s.config.SearchTimeout+s.config.SearchTimeout/4)
	defer cancel()
	found, err := reading(ctx, s, func(ctx context.Context) (*service.Found, error) {
		*p = asked
		p.Terms = slices.Clone(asked.Terms)
		return s.search(ctx, p)
	})
	if errors.Is(err, service.ErrStale) || gone(err) {
		s.forget(p.Index.Application)
		s.words.seen.changed(p.Index.ID)
		return nil, stale(err)
	}
	if p.After != nil && strings.HasPrefix(state(err), classData) {
		// Nothing else in a plan is taken from a request as it is.
		return nil, service.ForeignCursor().Because(err)
	}
	if outer.Err() == nil && (state(err) == stateQueryCanceled || ctx.Err() != nil) {
		return nil, s.searchTimeout(err)
	}
	return found, clientError(err)
}

func (s *Store) searchTimeout(err error) error {
	return service.Errorf(service.CodeSearchTimeout,
		"The search ran past its limit of %s. Ask for fewer facets, or narrow it by a filter or more words.", s.config.SearchTimeout).Because(err)
}

// searchError is the error of a search as its client sees it.
func (s *Store) searchError(err error) error {
	if state(err) == stateQueryCanceled {
		return s.searchTimeout(err)
	}
	return clientError(err)
}

// newFound makes an answer without hits.
func newFound(p *service.Plan, r ranking) *service.Found {
	found := &service.Found{AverageLength: r.averageLength, Facets: map[string][]service.FacetValue{}, Stats: map[string]service.FacetStats{}}
	for _, name := range p.Facets {
		found.Facets[name] = []service.FacetValue{}
	}
	takeRarities(found, p.Terms)
	return found
}

// takeRarities takes what the score of a hit, and what a cursor goes on with, needs to know of the terms.
func takeRarities(found *service.Found, terms []service.Term) {
	found.Rarities, found.Carried, found.Missing = make([]float64, len(terms)), make([]float64, len(terms)), nil
	for i, t := range terms {
		found.Rarities[i], found.Carried[i] = t.Rarity, t.Carried
		if t.Missing {
			found.Missing = append(found.Missing, i)
		}
	}
	if slices.Equal(found.Carried, found.Rarities) {
		found.Carried = nil
	}
}

// resume takes what takeRarities took from the cursor of a plan, so that scores are as on the first page. It tells whether there
// is a cursor that has it.
func resume(p *service.Plan, r *ranking) bool {
	c := p.After
	if c == nil || len(c.Rarities) != len(p.Terms) {
		return false
	}
	r.averageLength = c.AverageLength
	for i := range p.Terms {
		t := &p.Terms[i]
		t.Rarity, t.Carried, t.Missing = c.Rarities[i], c.Rarities[i], slices.Contains(c.Missing, i)
		if len(c.Carried) == len(p.Terms) {
			t.Carried = c.Carried[i]
		}
	}
	return true
}

func (s *Store) search(ctx context.Context, p *service.Plan) (*service.Found, error) {
	sh := s.shape(p.Index)
	giveUp := service.Held(ctx) // what was read on a way that has led to no answer
	var r ranking
	expected := math.Inf(1)
	var counts *termCounts
	if p.After != nil {
		p.Match = p.After.Match
		if !follows(p.After, (&searchBuilder{shape: sh, plan: p}).order()) {
			return nil, service.ForeignCursor()
		}
	}
	if !resume(p, &r) && len(p.Terms) > 0 {
		f, err := s.frequencies(ctx, p.Index)
		if err != nil {
			return nil, err
		}
		r.averageLength = f.averageLength
		if counts, err = s.newTermCounts(ctx, p, sh, f); err != nil {
			return nil, err
		}
		if counts.rare && len(counts.asked) > 0 {
			// Postings cannot answer it, and most likely it finds few documents.
			found := newFound(p, r)
			if done, err := s.searchFew(ctx, p, sh, r, counts, found); done || err != nil {
				return found, err
			}
			giveUp()
		}
		if err := counts.finish(ctx); err != nil {
			return nil, err
		}
		expected = counts.rarities()
	}
	found := newFound(p, r)
	asked := p.Match
	if done, err := s.searchAccelerated(ctx, p, sh, r, found); done || err != nil {
		return found, err
	}
	giveUp()
	if expected <= fewExpected {
		if done, err := s.searchFew(ctx, p, sh, r, nil, found); done || err != nil {
			return found, err
		}
		giveUp()
	}
	if p.Match == service.MatchAuto {
		if err := chooseMatch(p, sh, func(st statement, read func(pgx.Rows) error) error { return s.ask(ctx, st, read) }); err != nil {
			return nil, err
		}
	}
	if asked == service.MatchAuto && p.Match == service.MatchAny {
		if done, err := s.searchAccelerated(ctx, p, sh, r, found); done || err != nil {
			return found, err
		}
		giveUp()
	}
	if done, err := s.searchMany(ctx, p, sh, r, counts.likely(expected), found); done || err != nil {
		return found, err
	}
	giveUp()
	if err := s.checkSeen(ctx, p); err != nil {
		return nil, err
	}
	found.Match = p.Match
	return found, s.ask(ctx, sh.searchSQL(p, r), func(rows pgx.Rows) error { return collect(ctx, rows, p, sh, found) })
}

// follows tells whether a cursor may be of a list in an order. Every order ends with the id, which no document is without. Each
// document is compared with all hits that were shown: more than there can be would keep a processor busy for seconds.
func follows(c *service.Cursor, order []orderKey) bool {
	if len(c.Shown) > maxUnproven {
		return false
	}
	if len(c.Place) == 0 {
		return len(c.Shown) > 0
	}
	return len(c.Place) == len(order) && c.Place[len(order)-1] != nil
}

// chooseMatch decides whether enough documents have all words. ask runs a statement and has its rows read.
func chooseMatch(p *service.Plan, sh shape, ask func(st statement, read func(pgx.Rows) error) error) error {
	p.Match = service.MatchAll
	if p.Required() < 2 || p.Nothing {
		return nil
	}
	b := &searchBuilder{shape: sh, plan: p, prepared: p.Filter == nil}
	st := statement{prepared: b.prepared}
	// The planner does not see the limit, or it might hope to meet that many documents soon, anywhere in the table.
	st.sql = "SELECT count(*) FROM (SELECT FROM " + sh.table + " t WHERE " + b.where() + " LIMIT (SELECT " + b.args.add(enoughHits, "int") + ")) first"
	st.args = b.args.values
	return ask(st, func(rows pgx.Rows) error {
		n, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
		if n < enoughHits {
			p.Match = service.MatchAny
		}
		return err
	})
}

// collect reads the rows of a search.
func collect(ctx context.Context, rows pgx.Rows, p *service.Plan, sh shape, found *service.Found) error {
	return eachRow(rows, func(r *resultRow) error {
		switch r.kind {
		case rowTotals:
			if len(r.words) != 1 || r.words[0] == nil || *r.words[0] != fmt.Sprint(p.Version) {
				return service.ErrStale
			}
			found.Total, found.TotalAllWords = r.n, int64(r.place)
		case rowHit:
			hit, err := r.hit(ctx)
			found.Hits = append(found.Hits, hit)
			return err
		case rowFacet:
			name := p.Facets[r.place]
			value, err := facetValue(r.body, sh, name)
			found.Facets[name] = append(found.Facets[name], service.FacetValue{Value: value, Count: r.n})
			return err
		case rowStats:
			return r.stats(sh, p.Facets[r.place], found)
		}
		return nil
	})
}

// stats reads the statistics of a facet.
func (r *resultRow) stats(sh shape, name string, found *service.Found) error {
	var of []json.RawMessage
	if err := json.Unmarshal(r.more, &of); err != nil {
		return err
	}
	stats := service.FacetStats{Count: r.n}
	for i, to := range []*any{&stats.Min, &stats.Max, &stats.Avg} {
		v, err := facetValue(of[i], sh, name)
		if err != nil {
			return err
		}
		*to = v
	}
	found.Stats[name] = stats
	return nil
}

// facetValue is a facet's value as a client sees it: as it was stored, a number without zeros at its end, a date as ISO
// 8601 in UTC.
func facetValue(raw json.RawMessage, sh shape, name string) (any, error) {
	f, mapped := sh.field(name)
	if !mapped || f.info.Kind != mapping.KindDate {
		return raw, nil
	}
	t, err := dateOf(raw)
	if err != nil {
		return nil, err
	}
	return t.UTC().Format(time.RFC3339Nano), nil
}

// dateOf reads an instant as PostgreSQL writes it in JSON.
func dateOf(raw json.RawMessage) (time.Time, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, strings.Replace(text, " ", "T", 1))
}
