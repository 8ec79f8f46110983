package service

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

// maxSearchFields bounds the fields that a search may name.
const maxSearchFields = 100

// LeastWeight and MostWeight bound the weight of a field. PostgreSQL refuses to compute with numbers that are almost 0.
const (
	LeastWeight = 0.001
	MostWeight  = 1000
)

// PutSearch defines a search under def.Name, or replaces it; created says which. Its expressions are checked against the
// index, if that exists already. Error codes: invalid_request, invalid_filter, invalid_sort, invalid_facets, name_taken.
func (s *Service) PutSearch(ctx context.Context, application string, def SearchDefinition) (created bool, err error) {
	if err := document.CheckIndexName(def.Name); err != nil {
		return false, invalidName("search", def.Name, err)
	}
	if err := checkDefinition(def); err != nil {
		return false, err
	}
	if err := s.checkDefinitionFits(ctx, application, def); err != nil {
		return false, err
	}
	return s.store.PutSearch(ctx, application, def)
}

// checkDefinition finds the faults of a definition that can be seen without its index.
func checkDefinition(def SearchDefinition) error {
	fault := Errorf(CodeInvalidRequest, "The search does not fit.")
	if err := document.CheckIndexName(def.Index); err != nil {
		fault.With(FieldError{Location: "body.index", Message: err.Error(), Value: def.Index})
	}
	if def.PerPage != nil && (*def.PerPage < 0 || *def.PerPage > MaxPerPage) {
		fault.With(FieldError{Location: "body.per_page", Message: "must be 0 to 1000", Value: *def.PerPage})
	}
	switch def.Match {
	case "", MatchAll, MatchAny, MatchAuto:
	default:
		fault.With(FieldError{Location: "body.match", Message: "must be all, any or auto", Value: string(def.Match)})
	}
	if len(def.Fields) > maxSearchFields {
		fault.With(FieldError{Location: "body.fields", Message: fmt.Sprintf("may name at most %d fields", maxSearchFields)})
	}
	for _, name := range slices.Sorted(maps.Keys(def.Fields)) {
		weight := def.Fields[name]
		if message := fieldFault(name); message != "" {
			fault.With(FieldError{Location: "body.fields." + name, Message: message, Value: name})
		}
		if !(weight >= LeastWeight && weight <= MostWeight) {
			fault.With(FieldError{Location: "body.fields." + name, Message: "must be 0.001 to 1000", Value: weight})
		}
	}
	if len(def.Facets) > maxFacets {
		fault.With(FieldError{Location: "body.facets", Message: fmt.Sprintf("may name at most %d fields", maxFacets)})
		return fault // a body has room for more names than can quickly be compared with each other
	}
	for i, name := range def.Facets {
		if message := fieldFault(name); message != "" {
			fault.With(FieldError{Location: fmt.Sprintf("body.facets[%d]", i), Message: message, Value: name})
		}
		if slices.Contains(def.Facets[:i], name) {
			fault.With(FieldError{Location: fmt.Sprintf("body.facets[%d]", i), Message: "is named twice", Value: name})
		}
	}
	if len(fault.Fields) > 0 {
		return fault
	}
	return nil
}

// unmapped is the kind of each field of an index that is not known: it refuses only what fits no index.
func unmapped(string) mapping.Kind { return mapping.KindUnmapped }

// checkDefinitionFits checks the expressions of a definition against its index.
func (s *Service) checkDefinitionFits(ctx context.Context, application string, def SearchDefinition) error {
	kind := unmapped
	if ix, err := s.store.CurrentIndex(ctx, application, def.Index); err == nil {
		kind = func(name string) mapping.Kind { return kindOf(ix, name) }
	} else if ErrorCode(err) != CodeIndexNotFound { // it need not exist yet
		return err
	}
	if def.Filter != nil {
		node, err := filter.ParseJSON(def.Filter)
		if err == nil {
			_, err = filter.Bind(node, kind)
		}
		if err != nil {
			return expressionError(CodeInvalidFilter, "The filter", "body.filter", def.Filter, err)
		}
	}
	if _, err := filter.ParseSort(def.Sort, kind); err != nil {
		return expressionError(CodeInvalidSort, "The sort expression", "body.sort", def.Sort, err)
	}
	_, err := checkFacets("These facets", elementOf("body.facets"), def.Facets, kind)
	return err
}

// SearchDefinition returns a defined search. Error code: search_not_found.
func (s *Service) SearchDefinition(ctx context.Context, application, name string) (SearchDefinition, error) {
	def, err := s.store.FindSearch(ctx, application, name)
	if err != nil {
		return SearchDefinition{}, err
	}
	if def == nil {
		return SearchDefinition{}, Errorf(CodeSearchNotFound, "There is no defined search %q. To search an index or a defined search, use POST.", name)
	}
	return *def, nil
}

// SearchDefinitions lists the defined searches by name.
func (s *Service) SearchDefinitions(ctx context.Context, application string) ([]SearchDefinition, error) {
	return s.store.SearchDefinitions(ctx, application)
}

// DeleteSearch removes a defined search. Error code: search_not_found.
func (s *Service) DeleteSearch(ctx context.Context, application, name string) error {
	return s.store.DeleteSearch(ctx, application, name)
}
