package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/filter"
)

// everyDocument stands for a lexeme in the postings of all documents. No lexeme is empty.
const everyDocument = ""

// searchAccelerated answers a search from postings, if it can.
func (s *Store) searchAccelerated(ctx context.Context, p *service.Plan, sh shape, r ranking, found *service.Found) (done bool, err error) {
	a, err := s.accelerate(ctx, p, sh, r)
	if a == nil || err != nil {
		return false, err
	}
	unknown := 0
	err = s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		t, err := a.open(ctx, conn, &s.acceleratorCache)
		if t != nil && err == nil {
			done, err = a.answer(ctx, conn, t, &s.valuesCache, found)
			t.space.release()
			unknown = t.unknown
		}
		return err
	})
	if s.logged.of(a.builtIn()).owe(unknown, s.limits.remembered) {
		s.rememberLogged(ctx, a)
	}
	if inexact(err, p, r, found) {
		return false, nil
	}
	if errors.Is(err, errRebuilt) || gone(err) {
		// They are being built anew. If it is the index itself that is gone, the plain statement finds out.
		s.forgetAccelerator(p.Index.ID)
		return false, nil
	}
	return done, err
}

// answer answers the search from what was read of the blocks, in the snapshot of the same transaction. done is false
// where the plain statement has to; then p.Match may have been decided all the same.
func (a *accelerated) answer(ctx context.Context, conn *pgx.Conn, t *blockTally, cache *valuesCache, found *service.Found) (done bool, err error) {
	p := a.plan
	if done, err := t.filter(ctx, conn, cache); err != nil || !done {
		return false, err
	}
	// What has too few documents with all words is searched for any of them, by the plain statement.
	few := p.Match == service.MatchAuto && p.Required() >= 2
	if few && t.enough+len(t.looked) < enoughHits {
		p.Match = service.MatchAny
		return false, nil
	}
	all := *p
	if p.Match != service.MatchAny {
		all.Match = service.MatchAll
	}
	found.Hits, found.Total, found.TotalAllWords = nil, int64(t.total), int64(t.every)
	looked, done, err := a.rankStages(ctx, conn, t, &all, few, found)
	if err != nil || !done {
		found.Hits, found.Unproven = nil, false
		return false, err
	}
	if err := a.sh.bodies(ctx, conn, found.Hits, a.stay); err != nil {
		return false, err
	}
	p.Match = all.Match
	found.Match = p.Match
	for i, counts := range looked.facets {
		t.facets[i].add(counts)
	}
	return true, a.sh.writeFacets(p, t.facets, found)
}

// rankStages ranks the candidates with the highest bounds, more and more of them, until the hits of the page are proven.
// looked is what was found among the documents that are not as their blocks have them. done is false where the plain
// statement has to answer: all is the plan as it is decided so far; with few it is for any word where too few documents
// have all.
func (a *accelerated) rankStages(ctx context.Context, conn *pgx.Conn, t *blockTally, all *service.Plan, few bool, found *service.Found) (looked rankedPart, done bool, err error) {
	p := a.plan
	vectors := a.rankerFor(t, all)
	candidates, ok, err := t.candidates(ctx, conn)
	if err != nil || !ok {
		return looked, false, err
	}
	ranked, tried := 0, false
	after := a.scoreOf(all.After)
	if after != nil && t.exact() {
		// What is above has been shown.
		t.ceiling = t.moreThanBound(float32(a.bound(*after)))
	}
	stages := a.stages()
	for i, n := range stages {
		last := i == len(stages)-1
		next := float32(-1) // a bound on the scores of those that are not ranked, negative where there are none
		if a.byScore && p.Limit > 0 {
			var skip bool
			if candidates, next, skip, ok = t.stage(n, !tried); !ok {
				return looked, false, nil
			}
			if i == 0 {
				looked, done, err = a.pageOfTied(ctx, conn, t, all, vectors, few, found)
				if done || err != nil || few && p.Match == service.MatchAny {
					return looked, done, err
				}
			}
			if skip && !last {
				continue
			}
		}
		n = len(candidates)
		if !last && after != nil && float64(next) >= a.bound(*after) {
			continue // nothing after the cursor could be proven
		}
		if p.Offset > 0 || a.further {
			// A page further on is cut out of all that was ranked: the ones before it are not fetched only for that. Only the
			// statement knows the order of what has the same score.
			ranked, found.Hits = 0, nil
		}
		tried = true
		m := &among{candidates: candidates[min(ranked, len(candidates)):], likely: i == 0}
		if ranked == 0 {
			m.others = t.looked
		}
		// Where there are no more candidates nothing is asked of the snapshot after this.
		part, err := a.rankAmong(ctx, conn, vectors, all, m, t.ahead, next < 0)
		if err != nil {
			return looked, false, err
		}
		if ranked == 0 {
			looked = part
			t.totals(looked, found)
		}
		if few && t.tooFew(looked) {
			return looked, false, nil
		}
		found.Hits = a.merge(found.Hits, part.hits)
		proven := next < 0 || len(found.Hits) == p.Limit && a.bound(a.placed(found.Hits[p.Limit-1])) > float64(next)
		found.Unproven = !proven
		if proven || last && a.content(len(found.Hits), t.total) {
			return looked, true, nil
		}
		if last {
			break
		}
		ranked = n
	}
	return looked, false, nil
}

// rankerFor is what ranks candidates in Go from their vectors, nil where a statement does.
func (a *accelerated) rankerFor(t *blockTally, all *service.Plan) *vectorRanker {
	p := a.plan
	switch {
	case !a.sh.rankable(all, a.ranking):
		return nil
	case len(t.looked) > 0 && (len(p.Facets) > 0 || p.Filter != nil || len(p.Own) > 0):
		return nil // what the blocks do not have is filtered and counted by the statement
	case t.ahead != nil:
		return t.ahead.ranker
	}
	return newVectorRanker(all, a.ranking)
}

// rankAmong ranks documents from their vectors, or by a statement where vectors is nil, which with last also ends the transaction.
func (a *accelerated) rankAmong(ctx context.Context, conn *pgx.Conn, vectors *vectorRanker, all *service.Plan, m *among, asked *ahead, last bool) (rankedPart, error) {
	if vectors != nil {
		return a.rankVectors(ctx, conn, vectors, m, asked)
	}
	return a.rank(ctx, conn, all, m, last)
}

// totals fills in how many documents are found, those that were looked at included.
func (t *blockTally) totals(looked rankedPart, found *service.Found) {
	found.Total, found.TotalAllWords = int64(t.total)+looked.total, int64(t.every)+looked.every
}

// tooFew tells that too few documents have all words; then the search is for any of them.
func (t *blockTally) tooFew(looked rankedPart) bool {
	few := int64(t.enough)+looked.enough < enoughHits
	if few {
		t.search.plan.Match = service.MatchAny
	}
	return few
}

// pageOfTied answers with a page of documents that rankTied has ranked, and of those that are not as their blocks have them, as
// rankStages does. vectors is nil where these are ranked by a statement.
func (a *accelerated) pageOfTied(ctx context.Context, conn *pgx.Conn, t *blockTally, all *service.Plan, vectors *vectorRanker, few bool, found *service.Found) (looked rankedPart, done bool, err error) {
	v := vectors
	if v == nil && all.Offset == 0 && a.sh.rankable(all, a.ranking) {
		v = newVectorRanker(all, a.ranking)
	}
	if v == nil {
		return looked, false, nil
	}
	tied, ok, err := a.rankTied(ctx, conn, t, v)
	if err != nil || !ok {
		return looked, false, err
	}
	looked, err = a.rankAmong(ctx, conn, vectors, all, &among{others: t.looked}, nil, false)
	if err != nil {
		return looked, false, err
	}
	if few && t.tooFew(looked) {
		return looked, false, nil
	}
	t.totals(looked, found)
	if found.Unproven = false; vectors == nil {
		found.Hits = a.merge(looked.hits, page(all, tied))
	} else {
		found.Hits = page(all, append(looked.ranked, tied...))
	}
	return looked, true, nil
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
	list, next, ok = t.best(n, a.limits.kept)
	if t.inexact && t.ceiling > 0 {
		t.ceiling, t.keep = 0, 0
		list, next, ok = t.best(n, a.limits.kept)
	}
	if !ok || !page || !t.exact() || a.plan.After != nil {
		return list, next, false, ok
	}
	if first, after, all := t.onPage(a.plan.Offset + a.plan.Limit); all {
		return first, after, false, true
	}
	return list, next, true, true
}

// exact tells that bounds are scores but for the last digits.
func (t *blockTally) exact() bool {
	return !t.inexact && len(t.search.phrases) == 0 && !t.search.rough
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
	slices.SortFunc(all, func(x, y service.FoundHit) int { return a.placed(x).compare(a.placed(y)) })
	return all[:min(len(all), a.plan.Limit)]
}

// everyFirst is added to the bounds of documents that have all words, where such come first.
const everyFirst = 1 << 14

// bound is what a document's bound is at least that comes before a place.
func (a *accelerated) bound(p placed) float64 {
	if p.first {
		return p.score + everyFirst
	}
	return p.score
}

// scoreOf is where the cursor of a plan in an order by score stands, by its score alone; nil where it has no place.
func (a *accelerated) scoreOf(c *service.Cursor) *placed {
	if !a.byScore || c == nil {
		return nil
	}
	place, at := c.Place, placed{}
	if a.plan.AllFirst() && len(place) > 0 && place[0] != nil {
		at.first, place = *place[0] == "true", place[1:]
	}
	if len(place) == 0 || place[0] == nil {
		return nil
	}
	var err error
	if at.score, err = strconv.ParseFloat(*place[0], 64); err != nil {
		return nil // the statement refuses it
	}
	return &at
}

// placed is where a hit stands.
func (a *accelerated) placed(hit service.FoundHit) placed {
	first := a.plan.AllFirst() && len(hit.Place) > 0 && hit.Place[0] != nil && *hit.Place[0] == "true"
	return placed{hit.Document.ID, first, hit.Score}
}

// candidates returns the numbers of the documents that may be hits in another order than by score.
func (t *blockTally) candidates(ctx context.Context, conn *pgx.Conn) (list []int64, ok bool, err error) {
	p := t.search.plan
	if p.Limit == 0 || t.search.byScore {
		return nil, true, nil
	}
	if t.search.byID {
		return t.candidatesByID(ctx, conn)
	}
	if t.search.sorted != nil {
		if t.search.sorted.text {
			list, ok = t.textCandidates()
		} else {
			list, ok = t.sortedCandidates()
		}
		return list, ok, nil
	}
	if t.total <= maxTied {
		return t.all(), true, nil
	}
	// By boost the index has the order; but where few of its documents are found, it would be read far.
	if t.total*100 < t.documents() {
		return nil, false, nil
	}
	all := *p
	all.Match = service.MatchAll
	if len(p.Own) > 0 {
		every := filter.And{}
		if p.Filter != nil {
			every = append(every, p.Filter)
		}
		for _, name := range slices.Sorted(maps.Keys(p.Own)) {
			every = append(every, p.Own[name])
		}
		all.Filter, all.Own = every, nil
	}
	first := *t.search
	first.plan = &all
	st := first.firstSQL()
	rows, err := st.query(ctx, conn)
	if err != nil {
		return nil, false, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	return list, true, err
}

// rankedPart is what is found among some documents: the best hits, and of the documents that are not as their blocks
// have them how many there are, how many have all words, how many there are without the own conditions of facets, and
// what each facet counts.
type rankedPart struct {
	hits                 []service.FoundHit
	ranked               []rankedDocument // all of them, where they were ranked here
	total, every, enough int64
	facets               []facetCounts
}

// rank runs the plain statement for some documents. With last it also ends the transaction.
func (a *accelerated) rank(ctx context.Context, conn *pgx.Conn, p *service.Plan, m *among, last bool) (part rankedPart, err error) {
	part.facets = newFacetCounts(p)
	st := a.sh.amongSQL(p, a.ranking, m)
	batch := &pgx.Batch{}
	batch.Queue(st.sql, st.args...)
	if last && !a.stay {
		batch.Queue("commit")
	}
	results := conn.SendBatch(ctx, batch)
	defer func() { err = cmp.Or(err, results.Close()) }()
	rows, err := results.Query()
	if err != nil {
		return part, err
	}
	err = eachRow(rows, func(r *resultRow) error {
		switch r.kind {
		case rowTotals:
			part.total, part.every = r.n, int64(r.place)
			var err error
			part.enough, err = strconv.ParseInt(*r.words[0], 10, 64)
			return err
		case rowHit:
			hit, err := r.hit(ctx)
			part.hits = append(part.hits, hit)
			return err
		case rowFacet:
			return a.sh.countFacet(p.Facets[r.place], *r.id, r.body, r.n, part.facets[r.place])
		}
		return nil
	})
	return part, err
}

// rankVectors ranks documents from their vectors, unless that was done ahead. It counts no facets.
func (a *accelerated) rankVectors(ctx context.Context, conn *pgx.Conn, v *vectorRanker, m *among, h *ahead) (part rankedPart, err error) {
	var list []rankedDocument
	if h != nil && slices.Equal(m.candidates, h.candidates) {
		list, m = h.ranked, &among{others: m.others}
	}
	if len(m.candidates)+len(m.others) > 0 {
		st := a.sh.vectorsSQL(v.plan, m, 0)
		rows, err := st.query(ctx, conn)
		if err != nil {
			return part, err
		}
		more, err := v.take(ctx, rows)
		if err != nil {
			return part, err
		}
		list = append(list, more...)
	}
	if len(m.others) > 0 {
		others := make(map[int64]bool, len(m.others))
		for _, seq := range m.others {
			others[seq] = true
		}
		for _, d := range list {
			if others[d.seq] {
				part.total++
				if d.every {
					part.every++
				}
			}
		}
	}
	part.enough = part.total
	part.hits, part.ranked = page(v.plan, list), list
	return part, nil
}
