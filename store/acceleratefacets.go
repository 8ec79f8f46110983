package store

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
)

// takeFacets decides which facets are counted from the blocks; the plain statement counts the others. ok is false if one of those has a condition of
// its own.
func (a *accelerated) takeFacets() (ok bool) {
	counted := *a.plan
	counted.Facets = nil
	for _, name := range a.plan.Facets {
		_, owned := a.plan.Own[name]
		switch {
		case a.kept[name]:
			a.value(name)
		case a.countsOrder(name):
			a.lexemes = append(a.lexemes, posting.KeysOf+name)
		case owned:
			return false
		default:
			a.others = append(a.others, name)
			continue
		}
		counted.Facets = append(counted.Facets, name)
	}
	if len(a.others) > 0 {
		a.plan, a.stay = &counted, true
	}
	return true
}

// countOthers counts the facets that the blocks know nothing about, in the snapshot of the search. This takes a pass over everything found, but no
// ranking.
func (a *accelerated) countOthers(ctx context.Context, conn *pgx.Conn, match service.Match, found *service.Found) error {
	if len(a.others) == 0 {
		return nil
	}
	p := a.plan.WithOwn()
	p.Match, p.Facets, p.Sort, p.After, p.Offset, p.Limit = match, a.others, nil, nil, 0, 0
	st := searchsql.Search(a.sh, &p, a.ranking)
	if !st.Prepared {
		if _, err := conn.Exec(ctx, planAnew); err != nil {
			return err
		}
	}
	rows, err := queryOn(ctx, conn, st)
	if err != nil {
		return err
	}
	counted := newFound(&p, a.ranking)
	if err := collect(ctx, rows, &p, a.sh, counted); err != nil {
		return err
	}
	maps.Copy(found.Facets, counted.Facets)
	maps.Copy(found.Stats, counted.Stats)
	return nil
}
