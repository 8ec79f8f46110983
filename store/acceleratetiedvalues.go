package store

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/sqltext"
)

// When sorting by a field with few values, such as a year or whether something is in stock, thousands of documents may have the last value of a page.
// The rest of the order decides which of them are on the page: a search of its own finds these in the same snapshot, among the documents with that
// value alone. If nothing follows in the order and nothing is searched for, they are in the order of boosts and ids. That order has an index, which
// is read until it has met enough of the documents with that value.

// valueGroup is the set of matching documents that have one value, or none.
type valueGroup struct {
	documents int
	has       func(block, offset int) bool // reports whether a matching document is in the group, by the index of its block
	after     []*string                    // if not nil, the place in the rest of the order after which they begin
}

// boosted is a place in the order of boosts and ids, as written by PostgreSQL.
type boosted struct{ boost, id string }

// byBoost reports whether documents with the same value are in the order of boosts and ids.
func (t *blockTally) byBoost() bool {
	return len(t.search.plan.Terms) == 0 && len(t.search.plan.Sort) == 1
}

// edgeGroup is the group of the value at an edge of the page: that of the cursor, or the last one.
type edgeGroup struct {
	valueGroup
	key  blockvalues.SortKey
	sets [][]bool // for each block, which of its sets of values have the key; nil if none has
}

func newEdgeGroup(key blockvalues.SortKey, after []*string, keys []blockvalues.BlockKeys) *edgeGroup {
	g := &edgeGroup{key: key, sets: make([][]bool, len(keys))}
	g.after = after
	g.has = func(block, offset int) bool { return g.sets[block] != nil && g.sets[block][keys[block].SetOf(offset)] }
	return g
}

// tiedByValue returns the documents of a page on which many have the same value; ok is false if they are not found soon.
func (t *blockTally) tiedByValue(ctx context.Context, conn *pgx.Conn, page *blockvalues.Page, keys []blockvalues.BlockKeys) (list []int64, ok bool, err error) {
	var edges []*edgeGroup
	if after := page.By.After; after != nil {
		edges = append(edges, newEdgeGroup(*after, t.search.plan.After.Place[1:], keys))
	}
	if page.Last != nil {
		edges = append(edges, newEdgeGroup(*page.Last, nil, keys))
	}
	for i, b := range t.blocks {
		if !b.Found.Empty() {
			list = append(list, betweenEdges(page, edges, i, b, keys[i])...)
		}
	}
	for _, g := range edges {
		first, ok, err := t.firstOfGroup(ctx, conn, &g.valueGroup, page.Wanted)
		if !ok || err != nil {
			return nil, false, err
		}
		list = append(list, first...)
	}
	return list, true, nil
}

// betweenEdges returns the matching documents of a block whose values are on the page but not at its edges. It adds those at an edge to its group's
// count.
func betweenEdges(k *blockvalues.Page, edges []*edgeGroup, place int, b *block, v blockvalues.BlockKeys) (list []int64) {
	shown := make([]bool, v.Sets())
	edgeOf := make([]*edgeGroup, v.Sets())
	for _, set := range v.SetsUpTo(k, v.SetsFrom(k.By)) {
		shown[set] = true
		key := v.SortKey(int(set), k.By.Desc)
		for _, g := range edges {
			if k.By.Compare(key, g.key) != 0 {
				continue
			}
			if g.sets[place] == nil {
				g.sets[place] = make([]bool, v.Sets())
			}
			g.sets[place][set], edgeOf[set] = true, g
		}
	}
	first := b.number * int64(b.size)
	for offset, set := range v.SetsOf(b.Found) {
		if g := edgeOf[set]; g != nil {
			g.documents++
		} else if shown[set] {
			list = append(list, first+int64(offset))
		}
	}
	return list
}

// members returns the numbers of all documents of a group.
func (t *blockTally) members(g *valueGroup) (all []int64) {
	for i, b := range t.blocks {
		b.Found.Each(func(offset int) {
			if g.has(i, offset) {
				all = append(all, b.number*int64(b.size)+int64(offset))
			}
		})
	}
	return all
}

// firstOfGroup returns the first documents of a group in the rest of the order, or all documents of a small group; ok is false if they are not found
// soon.
func (t *blockTally) firstOfGroup(ctx context.Context, conn *pgx.Conn, g *valueGroup, wanted int) (list []int64, ok bool, err error) {
	switch {
	case g.documents <= t.fewTied():
		return t.members(g), true, nil
	case t.byBoost():
		return t.firstByBoost(ctx, conn, g, wanted)
	}
	u, plan, err := t.within(ctx, conn, g, wanted)
	if u == nil || err != nil {
		return nil, false, err
	}
	found := newFound(plan, u.search.ranking)
	page := &stagedPage{accelerated: u.search, conn: conn, t: u, all: plan, vectors: u.search.rankerFor(u, plan), found: found}
	if done, err := page.prove(ctx); err != nil || !done {
		return nil, false, err
	}
	ids := make([]string, len(found.Hits))
	for i, h := range found.Hits {
		ids[i] = h.Document.ID
	}
	rows, err := queryOn(ctx, conn, sqltext.Statement{SQL: "SELECT _seq FROM " + t.search.sh.Table + " WHERE _id = ANY($1::text[])", Args: []any{ids}, Prepared: true})
	if err != nil {
		return nil, false, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	return list, err == nil, err
}

// within returns the tally of a search among the documents of a group, in the rest of the order, and its plan; u is nil if postings cannot answer it.
func (t *blockTally) within(ctx context.Context, conn *pgx.Conn, g *valueGroup, wanted int) (u *blockTally, plan *service.Plan, err error) {
	a := t.search
	rest := *a.plan
	rest.Sort, rest.Offset, rest.Limit, rest.After = rest.Sort[1:], 0, wanted, nil
	rest.Filter, rest.Own, rest.Facets, rest.Explain = nil, nil, nil, false
	if rest.Match != service.MatchAny {
		rest.Match = service.MatchAll
	}
	if g.after != nil {
		after := *a.plan.After
		after.Place = g.after
		rest.After = &after
	}
	among := newAccelerated(a.accelerator, a.sh, &rest)
	among.ranking, among.limits, among.cache, among.history = a.ranking, a.limits, a.cache, a.history
	among.stay, among.limits.unproven = true, math.MaxInt
	if !(among.takeOrder() || among.takeSort()) || !among.takeTerms() {
		return nil, nil, nil
	}
	batch := &pgx.Batch{}
	postings := among.queueBlocks(batch)
	results := conn.SendBatch(ctx, batch)
	u = newBlockTally(among, t.space, changedDocuments{})
	if err := cmp.Or(among.readBlocks(results, postings, u), results.Close()); err != nil {
		return nil, nil, err
	}
	if err := postings.finish(ctx, conn, u); err != nil || u.tooMany() {
		return nil, nil, err
	}
	if err := a.cache.valuesCache.complete(ctx, conn, among, &u.values); err != nil {
		return nil, nil, err
	}
	for i, b := range u.blocks {
		of := t.blocks[i]
		b.Phrases, b.Every, b.Found = of.Phrases, of.Every, posting.NewBitmap(b.size)
		of.Found.Each(func(offset int) {
			if g.has(i, offset) {
				b.Found.Set(offset)
			}
		})
		if !u.takeValues(b) {
			return nil, nil, nil
		}
	}
	u.total = g.documents
	return u, &rest, nil
}

// firstByBoost returns the first documents of a group in the order of boosts and ids.
func (t *blockTally) firstByBoost(ctx context.Context, conn *pgx.Conn, g *valueGroup, wanted int) (list []int64, ok bool, err error) {
	var after *boosted
	if g.after != nil {
		if len(g.after) != 2 || g.after[0] == nil || g.after[1] == nil {
			return nil, false, nil
		}
		after = &boosted{*g.after[0], *g.after[1]}
	}
	if t.walkPays(wanted, g.documents) {
		if list, ok, err = t.walkBoosts(ctx, conn, g, after, wanted); ok || err != nil {
			return list, ok, err
		}
	}
	if g.documents > maxSortedByID {
		return nil, false, nil
	}
	condition, args := "", []any{t.members(g), wanted}
	if after != nil {
		condition = " AND (_boost < $3::text::float8 OR _boost = $3::text::float8 AND _id > $4)"
		args = append(args, after.boost, after.id)
	}
	rows, err := queryOn(ctx, conn, sqltext.Statement{SQL: "SELECT _seq FROM " + t.search.sh.Table + " WHERE _seq = ANY($1::bigint[])" + condition + " ORDER BY _boost DESC, _id LIMIT $2::int", Args: args, Prepared: true})
	if err != nil {
		return nil, false, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	return list, err == nil, err
}

// walkBoosts reads the index on boosts and ids until it has met enough documents of a group; ok is false if it does not meet them soon.
func (t *blockTally) walkBoosts(ctx context.Context, conn *pgx.Conn, g *valueGroup, from *boosted, wanted int) (list []int64, ok bool, err error) {
	columns := "SELECT _seq, _boost::text AS boost, _id FROM " + t.search.sh.Table
	atOnce := t.search.limits.walkedAtOnce
	order := fmt.Sprintf(" ORDER BY _boost DESC, _id LIMIT %d", atOnce)
	for walked := 0; walked < t.search.limits.mostWalked; walked += atOnce {
		st := sqltext.Statement{SQL: columns + order, Args: nil, Prepared: true}
		if from != nil {
			st = sqltext.Statement{SQL: fmt.Sprintf("(%[1]s WHERE _boost = $1::text::float8 AND _id > $2%[2]s) UNION ALL (%[1]s WHERE _boost < $1::text::float8%[2]s) LIMIT %[3]d", columns, order, atOnce),
				Args: []any{from.boost, from.id}, Prepared: true}
		}
		rows, err := queryOn(ctx, conn, st)
		if err != nil {
			return nil, false, err
		}
		read := 0
		var seq int64
		last := boosted{}
		_, err = pgx.ForEachRow(rows, []any{&seq, &last.boost, &last.id}, func() error {
			read++
			if len(list) < wanted && t.inGroup(g, seq) {
				list = append(list, seq)
			}
			return nil
		})
		if err != nil {
			return nil, false, err
		}
		if len(list) == wanted || read < atOnce {
			return list, true, nil
		}
		from = &last
	}
	return nil, false, nil
}

// inGroup reports whether a document matches, as its block has it, and belongs to a group.
func (t *blockTally) inGroup(g *valueGroup, seq int64) bool {
	size := int64(t.search.blockSize)
	i, ok := t.placeOf(seq / size)
	offset := int(seq % size)
	return ok && t.blocks[i].Found.Has(offset) && g.has(i, offset)
}
