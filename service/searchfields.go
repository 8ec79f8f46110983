package service

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/mapping"
)

// classWeights are the weights of fields in ranking, by the weight class of their type: a word in a title says more than one in a body.
var classWeights = map[mapping.Weight]float64{'A': 2.5, 'B': 2, 'C': 1.5, 'D': 1}

func newField(name string, info mapping.Info, weight float64) Field {
	return Field{Name: name, Analysis: info.Analysis, Weight: weight, Title: info.Title(), Measured: info.Measured()}
}

// SearchedFields returns the fields of a search that does not name any: all that are searched, with the weights of
// their types, and the properties without a mapping last.
func SearchedFields(ix *Index) []Field {
	var list []Field
	for _, m := range ix.Mappings {
		if info := m.Type.Info(); info.Analysis != mapping.NotSearched {
			list = append(list, newField(m.Name, info, classWeights[info.Weight]))
		}
	}
	return append(list, Field{Analysis: mapping.Stemmed, Weight: classWeights['D']})
}

// fields determines what is searched.
func (r *searchRun) fields(def *SearchDefinition) error {
	if len(def.Fields) == 0 {
		r.plan.All = true
		r.plan.Fields = SearchedFields(r.target.Index)
		return nil
	}
	for name, weight := range def.Fields {
		m, mapped := r.target.Index.Mapping(name)
		if !mapped || !m.Type.Searched() {
			continue // the mapping was there when the search was defined, and may come back
		}
		r.plan.Fields = append(r.plan.Fields, newField(name, m.Type.Info(), max(weight, LeastWeight)))
	}
	slices.SortFunc(r.plan.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return nil
}
