package store

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// takeFacets has the facets counted from what the blocks have of their fields, and others by the plain statement; ok is false where one of
// those has a condition of its own.
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

// countOthers counts the facets that the blocks have nothing of, in the snapshot of the search. To do so takes it a pass over all that
// is found, but no ranks.
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

// newFacetCounts makes a count for each facet of a plan.
func newFacetCounts(p *service.Plan) []blockvalues.Counts {
	counts := make([]blockvalues.Counts, len(p.Facets))
	for i := range counts {
		counts[i] = blockvalues.NewCounts()
	}
	return counts
}

// countFacet adds a row of a statement to the count of a facet: so many documents have a value in a spelling.
func countFacet(sh table.Shape, name, key string, value json.RawMessage, n int64, counts blockvalues.Counts) error {
	spelling := string(value)
	f, _ := sh.Field(name)
	if summed(f) {
		key, err := keyOfJSON(f, value)
		counts.Values[blockvalues.Value{Key: key}] += n
		return err
	}
	if f.Info.Kind != mapping.KindBool {
		if err := json.Unmarshal(value, &spelling); err != nil {
			return err
		}
	}
	counts.Values[blockvalues.Value{Key: key, Spelling: spelling}] += n
	return nil
}

// writeFacets writes the facets of an answer from what was counted for each.
func writeFacets(ctx context.Context, sh table.Shape, p *service.Plan, counts []blockvalues.Counts, found *service.Found) error {
	for i, name := range p.Facets {
		f, _ := sh.Field(name)
		if summed(f) {
			writeNumbers(f, counts[i].Numbers(), found)
			continue
		}
		for _, c := range counts[i].Top(searchsql.MaxFacetValues) {
			raw := json.RawMessage(c.Spelling)
			if f.Info.Kind != mapping.KindBool {
				var err error
				if raw, err = document.Encode(c.Spelling); err != nil {
					return err
				}
			}
			if err := service.Hold(ctx, len(raw)); err != nil {
				return err
			}
			found.Facets[name] = append(found.Facets[name], service.FacetValue{Value: raw, Count: c.Documents})
		}
	}
	return nil
}
