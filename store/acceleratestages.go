package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// stagedPage is the page of a search from postings on its way: candidates are ranked, those with the highest bounds first and in
// each stage more of them, until the hits of the page are proven.
type stagedPage struct {
	*accelerated
	conn *pgx.Conn
	t    *blockTally
	// all is the plan as it is decided so far. With few it is for any word, after all, where too few documents have all.
	all     *service.Plan
	few     bool
	vectors *vectorRanker // nil where a statement ranks
	found   *service.Found
	// looked is what was found among the documents that are not as their blocks have them.
	looked rankedPart
	ranked int // candidates of the stages so far
}

// prove ranks stage by stage. done is false where the plain statement has to answer.
func (p *stagedPage) prove(ctx context.Context) (done bool, err error) {
	candidates, ok, err := p.t.candidates(ctx, p.conn)
	if err != nil || !ok {
		return false, err
	}
	after := p.scoreOf(p.all.After)
	if after != nil && p.t.bounds.Exact() {
		// What is above has been shown.
		p.t.bounds.LimitTo(float32(p.bound(*after)))
	}
	tried := false
	stages := p.stages()
	for i, n := range stages {
		last := i == len(stages)-1
		next := float32(-1) // a bound on the scores of those that are not ranked, negative where there are none
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
			continue // nothing after the cursor could be proven
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

// rankStage ranks those of the candidates that no stage before has ranked. next is a bound on the scores of all others: whether it
// proves the page, found.Unproven tells.
func (p *stagedPage) rankStage(ctx context.Context, candidates []int64, next float32, first bool) error {
	if p.plan.Offset > 0 || p.further {
		// A page further on is cut out of all that was ranked: the ones before it are not fetched only for that. Only the
		// statement knows the order of what has the same score.
		p.ranked, p.found.Hits = 0, nil
	}
	m := &searchsql.Among{Candidates: candidates[min(p.ranked, len(candidates)):], Likely: first && p.byScore}
	if p.ranked == 0 {
		m.Others = p.t.looked
	}
	// Where there are no more candidates nothing is asked of the snapshot after this.
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

// rankClasses answers with a page of documents that rankTied has ranked, and of those that are not as their blocks have them.
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

// rankAmong ranks documents from their vectors or by a statement, which with last also ends the transaction.
func (p *stagedPage) rankAmong(ctx context.Context, m *searchsql.Among, asked *ahead, last bool) (rankedPart, error) {
	if p.vectors != nil && (p.byScore || len(m.Candidates)+len(m.Others) <= searchsql.FewDocuments) {
		return p.rankVectors(ctx, p.conn, p.vectors, m, asked)
	}
	return p.rank(ctx, p.conn, p.all, m, last)
}

// look takes what was found among the documents that are not as their blocks have them. Only with these is it known how many
// documents are found, and whether too few have all words.
func (p *stagedPage) look(part rankedPart) {
	p.looked = part
	p.found.Total, p.found.TotalAllWords = int64(p.t.total)+part.total, int64(p.t.every)+part.every
	if p.few && int64(p.t.enough)+part.enough < enoughHits {
		p.plan.Match = service.MatchAny
	}
}

// forAny tells that too few documents have all words, so that the search is for any of them, and not answered here.
func (p *stagedPage) forAny() bool { return p.few && p.plan.Match == service.MatchAny }

// rankerFor is what ranks candidates in Go from their vectors, nil where a statement does.
func (a *accelerated) rankerFor(t *blockTally, all *service.Plan) *vectorRanker {
	p := a.plan
	switch {
	case !rankable(a.sh, all, a.ranking) && !sortable(a.sh, all, a.ranking):
		return nil
	case len(t.looked) > 0 && (len(p.Facets) > 0 || p.Filter != nil || len(p.Own) > 0):
		return nil // what the blocks do not have is filtered and counted by the statement
	case t.ahead != nil:
		return t.ahead.ranker
	}
	return newVectorRanker(all, a.ranking)
}

// maxUnproven is the most hits of pages that are taken as they are: a cursor that goes on from them has to name them.
const maxUnproven = 200

// content tells whether a page of hits is taken as it is, though others may belong there. Those who go on by a cursor from
// a place in the order want what comes next in it.
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

// stage returns the candidates of a stage of so many, or, if page has it, of the page if bounds tell which these are, and the
// largest bound of the others. skip tells that to rank them would prove nothing: they are some of those that only the last
// digits of their scores tell apart. ok is false where bounds do not fit.
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

// stages are those of the search: more for a page that is further on, or larger.
func (a *accelerated) stages() []int {
	var list []int
	for _, n := range a.limits.stages {
		list = append(list, max(n, 2*(a.plan.Offset+a.plan.Limit)))
	}
	return slices.Compact(list)
}

// merge joins two ranked lists into the first of both.
func (a *accelerated) merge(x, y []service.FoundHit) []service.FoundHit {
	if len(x) == 0 {
		return y
	}
	all := slices.Concat(x, y)
	slices.SortFunc(all, func(x, y service.FoundHit) int { return a.placed(x).Compare(a.placed(y)) })
	return all[:min(len(all), a.plan.Limit)]
}
