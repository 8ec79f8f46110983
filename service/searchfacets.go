package service

import (
	"fmt"
	"slices"

	"github.com/rowansearch/rowan/service/mapping"
)

// maxFacets bounds the facets of a search.
const maxFacets = 50

// facets determines what is counted.
func (r *searchRun) facets(def *SearchDefinition) error {
	names, what, at := def.Facets, def.part("facets"), within("facets of the search")
	if sent := r.req.Facets; sent.sent() {
		var err error
		if names, err = sent.List(); err != nil {
			return err
		}
		what, at = "These facets", elementOf("body.facets")
		if sent.Expression != nil {
			at = within("body.facets")
		}
	}
	var err error
	if r.plan.Facets, err = checkFacets(what, at, names, r.kindOf); err != nil {
		return err
	}
	fault := Errorf(CodeInvalidFacets, "These facets cannot be counted.")
	for i, name := range r.req.Disjunctive {
		if !slices.Contains(r.plan.Facets, name) {
			fault.With(FieldError{Location: fmt.Sprintf("body.disjunctive[%d]", i), Message: "must be one of the facets", Value: name})
		}
	}
	if len(fault.Fields) > 0 {
		return fault
	}
	return nil
}

// places returns the location of the name at index i of a list, or for -1 that of the list.
type places func(i int) string

// elementOf is for names that were sent as a list at place, within for names in one string there.
func elementOf(place string) places {
	return func(i int) string {
		if i < 0 {
			return place
		}
		return fmt.Sprintf("%s[%d]", place, i)
	}
}

func within(place string) places { return func(int) string { return place } }

// allFields is what other search engines call all fields of an index.
const allFields = "*"

// checkFacets returns names without repetitions, or an error with the fields that cannot be counted. The error
// calls the facets what, and at gives their locations.
func checkFacets(what string, at places, names []string, kindOf func(field string) mapping.Kind) ([]string, error) {
	fault := Errorf(CodeInvalidFacets, "%s cannot be counted.", what)
	var once []string
	seen := map[string]bool{}
	for i, name := range names {
		if seen[name] {
			continue
		}
		if len(once) == maxFacets { // the others, which may be very many, are not looked at
			fault.With(FieldError{Location: at(-1), Message: fmt.Sprintf("may name at most %d fields", maxFacets)})
			break
		}
		seen[name] = true
		once = append(once, name)
		message := fieldFault(name)
		switch kind := kindOf(name); {
		case message != "":
		case kind == mapping.KindPresence:
			message = name + " is a long text, which has no values to count; map it as text, sentence or keyword"
		case kind == mapping.KindUnmapped && name == allFields:
			message = name + " does not stand for all fields here: name each field to count"
		}
		if message != "" {
			fault.With(FieldError{Location: at(i), Message: message, Value: name})
		}
	}
	if len(fault.Fields) > 0 {
		return nil, fault
	}
	return once, nil
}
