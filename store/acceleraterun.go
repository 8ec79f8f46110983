package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/bounds"
	"github.com/rowansearch/rowan/store/facets"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// searchAccelerated answers a search from postings. done is false if it cannot.
func (s *Store) searchAccelerated(ctx context.Context, p *service.Plan, sh table.Shape, r searchsql.Ranking, found *service.Found) (done bool, err error) {
	a, err := s.accelerate(ctx, p, sh, r)
	if a == nil || err != nil {
		return false, err
	}
	err = s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		t, err := a.open(ctx, conn)
		if t != nil && err == nil {
			done, err = a.answer(ctx, conn, t, found)
			t.space.Release()
		}
		return err
	})
	p.Match = a.plan.Match
	if s.logged.of(a.builtIn()).owe(a.unknown, s.limits.remembered) {
		s.rememberLogged(ctx, a)
	}
	if takenBack(err, p, r, found) {
		return false, nil
	}
	if s.withoutPostings(p.Index, err) {
		*found = *newFound(p, r)
		return false, nil
	}
	return done, err
}

// answer answers the search from what was read of the blocks, in the same transaction's snapshot. done is false if the plain statement has to answer;
// even then p.Match may have been decided.
func (a *accelerated) answer(ctx context.Context, conn *pgx.Conn, t *blockTally, found *service.Found) (done bool, err error) {
	p := a.plan
	if done, err := t.filter(ctx, conn); err != nil || !done {
		return false, err
	}
	// If too few documents have all words, the plain statement searches for any of them.
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
	staged := &stagedPage{accelerated: a, conn: conn, t: t, all: &all, few: few, vectors: a.rankerFor(t, &all), found: found}
	if done, err := staged.prove(ctx); err != nil || !done {
		found.Hits, found.Unproven = nil, false
		return false, err
	}
	if err := fillBodies(ctx, conn, a.sh, found.Hits, a.stay); err != nil {
		return false, err
	}
	p.Match = all.Match
	found.Match = p.Match
	if err := a.countOthers(ctx, conn, p.Match, found); err != nil {
		return false, err
	}
	t.facets.Add(staged.looked.facets)
	return true, t.facets.Write(ctx, a.sh, p, found)
}

// bound returns the smallest bound of a document that comes before the given place.
func (a *accelerated) bound(p vectorrank.Place) float64 {
	if p.First {
		return p.Score + bounds.EveryFirst
	}
	return p.Score
}

// scoreOf returns the cursor's place in the order by score; nil if it has none.
func (a *accelerated) scoreOf(c *service.Cursor) *vectorrank.Place {
	if !a.byScore || c == nil {
		return nil
	}
	place, at := c.Place, vectorrank.Place{}
	if a.plan.AllFirst() && len(place) > 0 && place[0] != nil {
		at.First, place = *place[0] == "true", place[1:]
	}
	if len(place) == 0 || place[0] == nil {
		return nil
	}
	var err error
	if at.Score, err = strconv.ParseFloat(*place[0], 64); err != nil {
		return nil // the statement will refuse it
	}
	return &at
}

// placed returns the place of a hit in the order by score.
func (a *accelerated) placed(hit service.FoundHit) vectorrank.Place {
	first := a.plan.AllFirst() && len(hit.Place) > 0 && hit.Place[0] != nil && *hit.Place[0] == "true"
	return vectorrank.Place{ID: hit.Document.ID, First: first, Score: hit.Score}
}

// candidates returns the numbers of the documents that may be hits in an order other than by score.
func (t *blockTally) candidates(ctx context.Context, conn *pgx.Conn) (list []int64, ok bool, err error) {
	p := t.search.plan
	if p.Limit == 0 || t.search.byScore {
		return nil, true, nil
	}
	if t.search.byID {
		return t.candidatesByID(ctx, conn)
	}
	if t.search.sorted != nil {
		if t.search.sorted.Text {
			return t.textCandidates(ctx, conn)
		}
		return t.sortedCandidates(ctx, conn)
	}
	if t.total <= t.search.limits.tied {
		return t.all(), true, nil
	}
	// There is an index on boosts; but if few of its documents match, it would have to be read far.
	if t.total*100 < t.documents() {
		return nil, false, nil
	}
	all := p.WithOwn()
	all.Match = service.MatchAll
	first := *t.search
	first.plan = &all
	if _, err := conn.Exec(ctx, planAnew); err != nil {
		return nil, false, err
	}
	rows, err := queryOn(ctx, conn, first.firstSQL())
	if err != nil {
		return nil, false, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	return list, true, err
}

// rankedPart is the result for some documents: their best hits and, for the changed documents among them, how many match, how many of these have all
// words, how many match without the facets' own conditions, and the facet counts.
type rankedPart struct {
	hits                 []service.FoundHit
	ranked               []vectorrank.Document // all of them, if they were ranked in Go
	total, every, enough int64
	facets               facets.Counts
}

// rank runs the plain statement for some documents. If last is set, it also ends the transaction.
func (a *accelerated) rank(ctx context.Context, conn *pgx.Conn, p *service.Plan, m *searchsql.Among, last bool) (part rankedPart, err error) {
	part.facets = facets.NewCounts(p)
	st := searchsql.SearchAmong(a.sh, p, a.ranking, m)
	batch := &pgx.Batch{}
	batch.Queue(st.SQL, st.Args...)
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
		case searchsql.RowTotals:
			part.total, part.every = r.n, int64(r.place)
			var err error
			part.enough, err = strconv.ParseInt(*r.words[0], 10, 64)
			return err
		case searchsql.RowHit:
			hit, err := r.hit(ctx)
			part.hits = append(part.hits, hit)
			return err
		case searchsql.RowFacet:
			f, _ := a.sh.Field(p.Facets[r.place])
			return part.facets.AddRow(r.place, f, *r.id, r.body, r.n)
		}
		return nil
	})
	return part, err
}

// rankVectors ranks documents from their vectors, unless that was done ahead. It does not count facets.
func (a *accelerated) rankVectors(ctx context.Context, conn *pgx.Conn, v *vectorRanker, m *searchsql.Among, h *ahead) (part rankedPart, err error) {
	var list []vectorrank.Document
	if h != nil && slices.Equal(m.Candidates, h.candidates) {
		list, m = h.ranked, &searchsql.Among{Others: m.Others}
	}
	if len(m.Candidates)+len(m.Others) > 0 {
		st := searchsql.Vectors(a.sh, v.plan, m, 0)
		rows, err := queryOn(ctx, conn, st)
		if err != nil {
			return part, err
		}
		more, err := v.take(ctx, rows)
		if err != nil {
			return part, err
		}
		list = append(list, more...)
	}
	if len(m.Others) > 0 {
		others := make(map[int64]bool, len(m.Others))
		for _, seq := range m.Others {
			others[seq] = true
		}
		for _, d := range list {
			if others[d.Seq] {
				part.total++
				if d.Every {
					part.every++
				}
			}
		}
	}
	part.enough = part.total
	part.hits, part.ranked = vectorrank.Page(v.plan, list), list
	return part, nil
}
