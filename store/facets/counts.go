// Package facets computes facets of searches in Go. It counts values, from rows or from the values of blocks of documents, and writes them into an
// answer, with the statistics of numbers and dates, exactly as PostgreSQL computes and writes them.
package facets

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// ErrUncountable reports that a number has more digits than blocks keep, or that values are too large together.
var ErrUncountable = errors.New("facets: the values of a facet cannot be counted here")

// Counts has the counts of each facet of a plan.
type Counts []blockvalues.Counts

// NewCounts returns empty counts for the facets of a plan.
func NewCounts(p *service.Plan) Counts {
	counts := make(Counts, len(p.Facets))
	for i := range counts {
		counts[i] = blockvalues.NewCounts()
	}
	return counts
}

// Add adds the counts of other documents.
func (c Counts) Add(others Counts) {
	for i, of := range others {
		c[i].Add(of)
	}
}

// AddRow adds a row of a statement to the count of the i-th facet: n documents have a value of the field f in a spelling. It returns ErrUncountable
// if they cannot be counted.
func (c Counts) AddRow(i int, f table.Field, key string, value json.RawMessage, n int64) error {
	spelling := string(value)
	if HasStats(f) {
		key, err := keyOfJSON(f, value)
		c[i].Values[blockvalues.Value{Key: key}] += n
		return err
	}
	if f.Info.Kind != mapping.KindBool {
		if err := json.Unmarshal(value, &spelling); err != nil {
			return err
		}
	}
	c[i].Values[blockvalues.Value{Key: key, Spelling: spelling}] += n
	return nil
}

// Write writes the facets into an answer. Their memory is held for the request of ctx.
func (c Counts) Write(ctx context.Context, sh table.Shape, p *service.Plan, found *service.Found) error {
	for i, name := range p.Facets {
		f, _ := sh.Field(name)
		if HasStats(f) {
			writeNumbers(f, c[i].Numbers(), found)
			continue
		}
		for _, of := range c[i].Top(searchsql.MaxFacetValues) {
			raw := json.RawMessage(of.Spelling)
			if f.Info.Kind != mapping.KindBool {
				var err error
				if raw, err = document.Encode(of.Spelling); err != nil {
					return err
				}
			}
			if err := service.Hold(ctx, len(raw)); err != nil {
				return err
			}
			found.Facets[name] = append(found.Facets[name], service.FacetValue{Value: raw, Count: of.Documents})
		}
	}
	return nil
}
