package store

import (
	"encoding/json"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// newFacetCounts makes a count for each facet of a plan.
func newFacetCounts(p *service.Plan) []facetCounts {
	counts := make([]facetCounts, len(p.Facets))
	for i := range counts {
		counts[i] = newFacetCount()
	}
	return counts
}

// countFacet adds a row of a statement to the count of a facet: so many documents have a value in a spelling.
func (s shape) countFacet(name, key string, value json.RawMessage, n int64, counts facetCounts) error {
	spelling := string(value)
	f, _ := s.field(name)
	if f.summed() {
		key, err := f.valueKey(value)
		counts.values[fieldValue{key: key}] += n
		return err
	}
	if f.info.Kind != mapping.KindBool {
		if err := json.Unmarshal(value, &spelling); err != nil {
			return err
		}
	}
	counts.values[fieldValue{key, spelling}] += n
	return nil
}

// add adds what was counted of other documents.
func (c *facetCounts) add(others facetCounts) {
	for v, n := range others.values {
		c.values[v] += n
	}
	c.keys = append(c.keys, others.keys...)
}

// writeFacets writes the facets of an answer from what was counted for each.
func (s shape) writeFacets(p *service.Plan, counts []facetCounts, found *service.Found) error {
	for i, name := range p.Facets {
		f, _ := s.field(name)
		if f.summed() {
			f.writeNumbers(counts[i].numbers(), found)
			continue
		}
		for _, c := range counts[i].top(maxFacetValues) {
			raw := json.RawMessage(c.spelling)
			if f.info.Kind != mapping.KindBool {
				var err error
				if raw, err = document.Encode(c.spelling); err != nil {
					return err
				}
			}
			found.Facets[name] = append(found.Facets[name], service.FacetValue{Value: raw, Count: c.documents})
		}
	}
	return nil
}
