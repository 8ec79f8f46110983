package service

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/mapping"
)

// Faults are reported for each part of a definition.
func TestFaultsOfADefinition(t *testing.T) {
	t.Parallel()
	s := New(nil, Config{}) // the store is not asked
	for _, perPage := range []int{-1, MaxPerPage + 1} {
		_, err := s.PutSearch(t.Context(), "demo", SearchDefinition{Name: "plots", Index: "_films", PerPage: &perPage, Match: "some", Facets: []string{"a", "_b", "a"}})
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Fatal(err)
		}
		var places []string
		for _, f := range e.Fields {
			places = append(places, f.Location)
		}
		if diff := cmp.Diff([]string{"body.index", "body.per_page", "body.match", "body.facets[1]", "body.facets[2]"}, places); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// The faults of a definition come in the same order each time, and the first of them is told in the detail.
func TestFaultsOfADefinitionAreInOrder(t *testing.T) {
	t.Parallel()
	s := New(nil, Config{}) // the store is not asked
	def := SearchDefinition{Name: "plots", Index: "films", Fields: map[string]float64{"_d": 1, "a": 0, "b": 1, "c": -1, "e": 2000, "_f": 0}}
	for range 20 {
		_, err := s.PutSearch(t.Context(), "demo", def)
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Fatal(err)
		}
		var places []string
		for _, f := range e.Fields {
			places = append(places, f.Location)
		}
		if diff := cmp.Diff([]string{"body.fields._d", "body.fields._f", "body.fields._f", "body.fields.a", "body.fields.c", "body.fields.e"}, places); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// Facets, and the fields that give suggestions, have names as bounded as those of filters.
func TestNamesOfFieldsAreBounded(t *testing.T) {
	t.Parallel()
	unmapped := func(string) mapping.Kind { return mapping.KindUnmapped }
	long := strings.Repeat("a.", mapping.MaxNameParts) + "a"
	if _, err := checkFacets("These facets", elementOf("body.facets"), []string{long[2:]}, unmapped); err != nil {
		t.Error(err)
	}
	if _, err := checkFacets("These facets", elementOf("body.facets"), []string{long}, unmapped); ErrorCode(err) != CodeInvalidFacets {
		t.Errorf("facets: error %v", err)
	}
	r := &settingsReader{}
	if r.autocomplete("body.autocomplete", json.RawMessage(`{"fields":["`+long+`"]}`), Autocomplete{}); len(r.faults) != 1 {
		t.Errorf("autocomplete.fields: faults %v", r.faults)
	}
}
