package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// stagedPage is the state of a page that is answered from postings: candidates are ranked, those with the highest bounds first and more in each
// stage, until the hits of the page are proven.
type stagedPage struct {
	*accelerated
	conn *pgx.Conn
	t    *blockTally
	// all is the plan as decided so far. If few is set, the search becomes one for any word if too few documents have all.
	all     *service.Plan
	few     bool
	vectors *vectorRanker // nil if a statement ranks
	found   *service.Found
	// looked is the result for the changed documents.
	looked rankedPart
	ranked int // number of candidates ranked in the stages so far
}

// prove ranks stage by stage. done is false if the plain statement has to answer.
func (p *stagedPage) prove(ctx context.Context) (done bool, err error) {
	candidates, ok, err := p.t.candidates(ctx, p.conn)
	if err != nil || !ok {
		return false, err
	}
	after := p.scoreOf(p.all.After)
	if after != nil && p.t.bounds.Exact() {
		// Hits with higher scores have been shown.
		p.t.bounds.LimitTo(float32(p.bound(*after)))
	}
	tried := false
	stages := p.stages()
	for i, n := range stages {
		last := i == len(stages)-1
		next := float32(-1) // a bound on the scores of the documents that are not ranked; negative if there are none
		if p.byScore && p.plan.Limit > 0 {
			var skip bool
			if candidates, next, skip, ok = p.t.stage(n, !tried); !ok {
				return false, nil
			}
			if i == 0 {
				if done, err := p.rankClasses(ctx); done || err != nil || p.forAny() {
					return done, err
				}
			}
			if skip && !last {
				continue
			}
		}
		if !last && after != nil && float64(next) >= p.bound(*after) {
			continue // no hit after the cursor could be proven
		}
		tried = true
		if err := p.rankStage(ctx, candidates, next, i == 0); err != nil || p.forAny() {
			return false, err
		}
		if !p.found.Unproven || last && p.content(len(p.found.Hits), p.t.total) {
			return true, nil
		}
	}
	return false, nil
}

// rankStage ranks the candidates that no earlier stage has ranked. next is a bound on the scores of all other documents; found.Unproven says whether
// it leaves the page unproven.
func (p *stagedPage) rankStage(ctx context.Context, candidates []int64, next float32, first bool) error {
	if p.plan.Offset > 0 || p.further {
		// A later page is cut out of everything ranked, so earlier candidates must be ranked again; their hits were not kept. Only the statement knows the
		// order of equal scores.
		p.ranked, p.found.Hits = 0, nil
	}
	m := &searchsql.Among{Candidates: candidates[min(p.ranked, len(candidates)):], Likely: first && p.byScore}
	if p.ranked == 0 {
		m.Others = p.t.looked
	}
	// If there are no more candidates, this is the last statement in the snapshot.
	part, err := p.rankAmong(ctx, m, p.t.ahead, next < 0)
	if err != nil {
		return err
	}
	if p.ranked == 0 {
		p.look(part)
	}
	p.ranked = len(candidates)
	hits := p.merge(p.found.Hits, part.hits)
	proven := next < 0 || len(hits) == p.plan.Limit && p.bound(p.placed(hits[p.plan.Limit-1])) > float64(next)
	p.found.Hits, p.found.Unproven = hits, !proven
	return nil
}

// rankClasses answers with the documents that rankTied has ranked and the changed documents.
func (p *stagedPage) rankClasses(ctx context.Context) (done bool, err error) {
	v := p.vectors
	if v == nil && p.all.Offset == 0 && rankable(p.sh, p.all, p.ranking) {
		v = newVectorRanker(p.all, p.ranking)
	}
	if v == nil {
		return false, nil
	}
	tied, ok, err := p.rankTied(ctx, p.conn, p.t, v)
	if err != nil || !ok {
		return false, err
	}
	part, err := p.rankAmong(ctx, &searchsql.Among{Others: p.t.looked}, nil, false)
	if err != nil {
		return false, err
	}
	if p.look(part); p.forAny() {
		return false, nil
	}
	if p.found.Unproven = false; p.vectors == nil {
		p.found.Hits = p.merge(part.hits, vectorrank.Page(p.all, tied))
	} else {
		p.found.Hits = vectorrank.Page(p.all, append(part.ranked, tied...))
	}
	return true, nil
}

// rankAmong ranks documents from their vectors or by a statement. If last is set, the statement also ends the transaction.
func (p *stagedPage) rankAmong(ctx context.Context, m *searchsql.Among, asked *ahead, last bool) (rankedPart, error) {
	if p.vectors != nil && (p.byScore || len(m.Candidates)+len(m.Others) <= searchsql.FewDocuments) {
		return p.rankVectors(ctx, p.conn, p.vectors, m, asked)
	}
	return p.rank(ctx, p.conn, p.all, m, last)
}

// look takes the result for the changed documents. Only now is it known how many documents match, and whether too few have all words.
func (p *stagedPage) look(part rankedPart) {
	p.looked = part
	p.found.Total, p.found.TotalAllWords = int64(p.t.total)+part.total, int64(p.t.every)+part.every
	if p.few && int64(p.t.enough)+part.enough < enoughHits {
		p.plan.Match = service.MatchAny
	}
}

// forAny reports whether the search has become one for any word, which is not answered here, because too few documents have all words.
func (p *stagedPage) forAny() bool { return p.few && p.plan.Match == service.MatchAny }

// rankerFor returns the ranker of candidates by their vectors, nil if a statement ranks them.
func (a *accelerated) rankerFor(t *blockTally, all *service.Plan) *vectorRanker {
	p := a.plan
	switch {
	case !rankable(a.sh, all, a.ranking) && !sortable(a.sh, all, a.ranking):
		return nil
	case len(t.looked) > 0 && (len(p.Facets) > 0 || p.Filter != nil || len(p.Own) > 0):
		return nil // the statement filters and counts documents that the blocks do not have
	case t.ahead != nil:
		return t.ahead.ranker
	}
	return newVectorRanker(all, a.ranking)
}

// maxUnproven is the maximum number of hits shown on unproven pages: the cursor of the next page has to list them.
const maxUnproven = 200

// content reports whether an unproven page of hits is accepted although other documents may belong there. It is not if a cursor has a place in the
// order: its client wants what follows there.
func (a *accelerated) content(hits, total int) bool {
	if a.further {
		return false
	}
	shown := hits
	if c := a.plan.After; c != nil {
		if len(c.Place) > 0 {
			return false
		}
		shown += len(c.Shown)
	}
	return hits == a.plan.Limit && shown <= maxUnproven && total > a.limits.unproven
}

// stage returns the n candidates of a stage or, if page is set and bounds determine the documents of the page, these, and the largest bound of the
// others. skip says that ranking the candidates would prove nothing: they are only some of those that differ in the last digits of their scores. ok
// is false if bounds overflow.
func (t *blockTally) stage(n int, page bool) (list []int64, next float32, skip, ok bool) {
	a := t.search
	list, next, ok = t.bounds.Best(t.bounded(), n, a.limits.kept)
	if !ok || !page || !t.bounds.Exact() || a.plan.After != nil {
		return list, next, false, ok
	}
	if first, after, all := t.bounds.OnPage(a.plan.Offset + a.plan.Limit); all {
		return first, after, false, true
	}
	return list, next, true, true
}

// stages returns the numbers of candidates of the stages: more for a later or larger page.
func (a *accelerated) stages() []int {
	var list []int
	for _, n := range a.limits.stages {
		list = append(list, max(n, 2*(a.plan.Offset+a.plan.Limit)))
	}
	return slices.Compact(list)
}

// merge merges two ranked lists and returns the first hits of both.
func (a *accelerated) merge(x, y []service.FoundHit) []service.FoundHit {
	if len(x) == 0 {
		return y
	}
	all := slices.Concat(x, y)
	slices.SortFunc(all, func(x, y service.FoundHit) int { return a.placed(x).Compare(a.placed(y)) })
	return all[:min(len(all), a.plan.Limit)]
}
