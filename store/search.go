package store

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/facets"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// enoughHits is how many documents must have all words for match=auto to require all words.
const enoughHits = 20

// Search runs a plan.
func (s *Store) Search(ctx context.Context, p *service.Plan) (*service.Found, error) {
	if s.searchedLately.note(p.Index.ID) {
		s.cleans.hurry(p.Index.ID)
	}
	asked := *p
	asked.Terms = slices.Clone(p.Terms)
	// Each statement is bounded by the limit; this bounds all of them together, a little later, because the connection is lost if its context ends.
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
		// Nothing else in a plan comes unchecked from a request.
		return nil, service.ForeignCursor().Because(err)
	}
	if outer.Err() == nil && (state(err) == stateQueryCanceled || ctx.Err() != nil) {
		return nil, s.searchTimeout(err)
	}
	return found, clientError(err)
}

func (s *Store) searchTimeout(err error) error {
	return service.Errorf(service.CodeSearchTimeout,
		"The search ran past its limit of %s. Request fewer facets, or narrow the search with a filter or more words.", s.config.SearchTimeout).Because(err)
}

// searchError converts an error of a search into the one that the client sees.
func (s *Store) searchError(err error) error {
	if state(err) == stateQueryCanceled {
		return s.searchTimeout(err)
	}
	return clientError(err)
}

// newFound returns an answer without hits.
func newFound(p *service.Plan, r searchsql.Ranking) *service.Found {
	found := &service.Found{AverageLength: r.AverageLength, Facets: map[string][]service.FacetValue{}, Stats: map[string]service.FacetStats{}}
	for _, name := range p.Facets {
		found.Facets[name] = []service.FacetValue{}
	}
	takeRarities(found, p.Terms)
	return found
}

// takeRarities copies to found what hit scores and cursors need to know about the terms.
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

// resume restores what takeRarities saved from the plan's cursor, so that scores are the same as on the first page. It reports whether there was a
// cursor with it.
func resume(p *service.Plan, r *searchsql.Ranking) bool {
	c := p.After
	if c == nil || len(c.Rarities) != len(p.Terms) {
		return false
	}
	r.AverageLength = c.AverageLength
	for i := range p.Terms {
		t := &p.Terms[i]
		t.Rarity, t.Carried, t.Missing = c.Rarities[i], c.Rarities[i], slices.Contains(c.Missing, i)
		if len(c.Carried) == len(p.Terms) {
			t.Carried = c.Carried[i]
		}
	}
	return true
}

// finding is the state of a search.
type finding struct {
	*Store
	plan     *service.Plan
	shape    table.Shape
	ranking  searchsql.Ranking
	counts   *termCounts   // nil if nothing is searched for, or if a cursor supplies what they would tell
	expected float64       // documents that are likely to have all words
	asked    service.Match // before it was decided
	found    *service.Found
}

// search tries the ways to answer, in order, until one succeeds.
func (s *Store) search(ctx context.Context, p *service.Plan) (*service.Found, error) {
	f := &finding{Store: s, plan: p, shape: s.shape(p.Index), expected: math.Inf(1)}
	giveUp := service.Held(ctx) // releases what was read in a way that has led to no answer
	if p.After != nil {
		p.Match = p.After.Match
		if !follows(p.After, (&searchsql.Builder{Shape: f.shape, Plan: p}).Order()) {
			return nil, service.ForeignCursor()
		}
	}
	for _, way := range []func(ctx context.Context) (done bool, err error){
		f.withRareWord, f.countRest, f.fromPostings, f.fromFew, f.forAnyWord, f.fromMany, f.byStatement,
	} {
		if done, err := way(ctx); done || err != nil {
			return f.found, err
		}
		giveUp()
	}
	return f.found, nil
}

// withRareWord begins to count the words. If a word has no postings but others do, postings cannot answer the search, and most likely it finds few
// documents: then the rest of the words is counted along with ranking these.
func (f *finding) withRareWord(ctx context.Context) (done bool, err error) {
	if resume(f.plan, &f.ranking) || len(f.plan.Terms) == 0 {
		return false, nil
	}
	statistics, err := f.frequencies(ctx, f.plan.Index)
	if err != nil {
		return false, err
	}
	f.ranking.AverageLength = statistics.averageLength
	if f.counts, err = f.newTermCounts(ctx, f.plan, f.shape, statistics); err != nil || !f.counts.rare || len(f.counts.asked) == 0 {
		return false, err
	}
	f.found = newFound(f.plan, f.ranking)
	return f.searchFew(ctx, f.plan, f.shape, f.ranking, f.counts, f.found)
}

// countRest counts the remaining words. It never answers the search.
func (f *finding) countRest(ctx context.Context) (done bool, err error) {
	if f.counts != nil {
		if err := f.counts.finish(ctx); err != nil {
			return false, err
		}
		f.expected = f.counts.rarities()
	}
	f.found, f.asked = newFound(f.plan, f.ranking), f.plan.Match
	return false, nil
}

func (f *finding) fromPostings(ctx context.Context) (done bool, err error) {
	return f.searchAccelerated(ctx, f.plan, f.shape, f.ranking, f.found)
}

func (f *finding) fromFew(ctx context.Context) (done bool, err error) {
	if f.expected > fewExpected {
		return false, nil
	}
	return f.searchFew(ctx, f.plan, f.shape, f.ranking, nil, f.found)
}

// forAnyWord decides whether all words are required, if that is still open. If they are not, postings may be able to answer after all.
func (f *finding) forAnyWord(ctx context.Context) (done bool, err error) {
	if f.plan.Match == service.MatchAuto {
		if err := chooseMatch(f.plan, f.shape, func(st sqltext.Statement, read func(pgx.Rows) error) error { return f.ask(ctx, st, read) }); err != nil {
			return false, err
		}
	}
	if f.asked != service.MatchAuto || f.plan.Match != service.MatchAny {
		return false, nil
	}
	return f.fromPostings(ctx)
}

func (f *finding) fromMany(ctx context.Context) (done bool, err error) {
	return f.searchMany(ctx, f.plan, f.shape, f.ranking, f.counts.likely(f.expected), f.found)
}

// byStatement answers any search.
func (f *finding) byStatement(ctx context.Context) (done bool, err error) {
	if err := f.checkSeen(ctx, f.plan); err != nil {
		return false, err
	}
	f.found.Match = f.plan.Match
	return true, f.ask(ctx, searchsql.Search(f.shape, f.plan, f.ranking), func(rows pgx.Rows) error { return collect(ctx, rows, f.plan, f.shape, f.found) })
}

// takenBack reports whether the plain statement has to answer because of facets.ErrUncountable, and if so, resets found.
func takenBack(err error, p *service.Plan, r searchsql.Ranking, found *service.Found) bool {
	if !errors.Is(err, facets.ErrUncountable) {
		return false
	}
	*found = *newFound(p, r)
	return true
}

// follows reports whether a cursor may belong to a list in this order. Every order ends with the id, which every document has. Since each document is
// compared with all hits shown, a cursor with more of them than possible would keep a processor busy for seconds.
func follows(c *service.Cursor, order []searchsql.OrderKey) bool {
	if len(c.Shown) > maxUnproven {
		return false
	}
	if len(c.Place) == 0 {
		return len(c.Shown) > 0
	}
	return len(c.Place) == len(order) && c.Place[len(order)-1] != nil
}

// chooseMatch decides whether enough documents have all words. ask runs a statement and calls read with its rows.
func chooseMatch(p *service.Plan, sh table.Shape, ask func(st sqltext.Statement, read func(pgx.Rows) error) error) error {
	p.Match = service.MatchAll
	if p.Required() < 2 || p.Nothing {
		return nil
	}
	b := &searchsql.Builder{Shape: sh, Plan: p, Prepared: p.Filter == nil}
	st := sqltext.Statement{Prepared: b.Prepared}
	// The limit is hidden from the planner, which might otherwise hope to find that many documents soon by scanning the table.
	st.SQL = "SELECT count(*) FROM (SELECT FROM " + sh.Table + " t WHERE " + b.Where() + " LIMIT (SELECT " + b.Args.Add(enoughHits, "int") + ")) first"
	st.Args = b.Args.Values
	return ask(st, func(rows pgx.Rows) error {
		n, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
		if n < enoughHits {
			p.Match = service.MatchAny
		}
		return err
	})
}

// collect reads the rows of a search into found.
func collect(ctx context.Context, rows pgx.Rows, p *service.Plan, sh table.Shape, found *service.Found) error {
	return eachRow(rows, func(r *resultRow) error {
		switch r.kind {
		case searchsql.RowTotals:
			if !r.madeBy(p.Version) {
				return service.ErrStale
			}
			found.Total, found.TotalAllWords = r.n, int64(r.place)
		case searchsql.RowHit:
			hit, err := r.hit(ctx)
			found.Hits = append(found.Hits, hit)
			return err
		case searchsql.RowFacet:
			name := p.Facets[r.place]
			f, _ := sh.Field(name)
			value, err := facets.Value(f, r.body)
			found.Facets[name] = append(found.Facets[name], service.FacetValue{Value: value, Count: r.n})
			return cmp.Or(err, service.Hold(ctx, len(r.body)))
		case searchsql.RowStats:
			name := p.Facets[r.place]
			f, _ := sh.Field(name)
			stats, err := facets.Stats(f, r.more, r.n)
			found.Stats[name] = stats
			return cmp.Or(err, service.Hold(ctx, len(r.more)))
		}
		return nil
	})
}
