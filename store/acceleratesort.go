package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
)

// A page sorted by a field whose values are kept by block needs only the documents up to the last value on it. PostgreSQL orders those with equal
// values; their scores come from their vectors or, if there are many, from the plain statement.

// takeSort reports whether the hits are sorted by id, or by a field of which the blocks keep the values or the order.
func (a *accelerated) takeSort() bool {
	p := a.plan
	if len(p.Sort) == 0 || p.Sort[0].Score || p.After != nil && len(p.After.Place) == 0 {
		return false
	}
	if p.Sort[0].ID {
		a.byID = true
		return true
	}
	f, mapped := a.sh.Field(p.Sort[0].Field)
	if !mapped || !f.HasValue() {
		return false
	}
	by := &blockvalues.Order{Field: p.Sort[0].Field, Desc: p.Sort[0].Desc, Text: !a.kept[f.Name] || f.Info.Kind == mapping.KindLevels}
	if p.After != nil {
		after, ok := blockvalues.KeyOfPlace(f, p.After.Place[0])
		if !ok && !by.Text {
			return false
		}
		by.After = &after
	}
	if a.sorted = by; !by.Text {
		a.value(by.Field)
	}
	return true
}

// sortedCandidates returns the found documents that a page in the order of values may show: those from the place of the cursor up to the last value
// of the page. ok is false if there are too many.
func (t *blockTally) sortedCandidates(ctx context.Context, conn *pgx.Conn) (list []int64, ok bool, err error) {
	by := t.search.sorted
	place := t.search.value(by.Field)
	page := &blockvalues.Page{By: by, Wanted: t.search.plan.Offset + t.search.plan.Limit}
	keys := make([]blockvalues.BlockKeys, len(t.blocks))
	for i, b := range t.blocks {
		if !b.Found.Empty() {
			keys[i].Values = b.values[place]
			keys[i].Find(page, b.Found, t.space)
		}
	}
	page.Cut()
	if taken := page.Taken(); taken > t.fewTied() {
		if list, ok, err = t.tiedByValue(ctx, conn, page, keys); ok || err != nil || taken > t.mostTied() {
			return list, ok, err
		}
	}
	for i, b := range t.blocks {
		v := keys[i]
		if !v.Seen || page.Past(v.First) {
			continue
		}
		shown := make([]bool, v.Sets())
		for _, set := range v.SetsUpTo(page, v.SetsFrom(by)) {
			shown[set] = true
		}
		number := b.number * int64(b.size)
		for offset, set := range v.SetsOf(b.Found) {
			if shown[set] {
				list = append(list, number+int64(offset))
			}
		}
	}
	return list, true, nil
}

// all returns every matching document.
func (t *blockTally) all() (list []int64) {
	for _, b := range t.blocks {
		first := b.number * int64(b.size)
		b.Found.Each(func(offset int) { list = append(list, first+int64(offset)) })
	}
	return list
}
