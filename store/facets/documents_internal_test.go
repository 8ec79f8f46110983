package facets

import (
	"bytes"
	"errors"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/table"
)

// Facet values are only counted from the rows of documents while the distinct ones are small together, however often each occurs.
func TestLargeValuesAreLeftToTheStatement(t *testing.T) {
	t.Parallel()
	f := table.Field{Mapping: mapping.Mapping{Name: "note", Type: mapping.Text}, Info: mapping.Text.Info()}
	d := NewDocuments(table.Shape{Fields: []table.Field{f}}, &service.Plan{Facets: []string{"note"}})
	document := func(value byte) error {
		text := bytes.Repeat([]byte{value}, mostCounted/4)
		return d.Count([][]byte{text[:512], text, nil, nil})
	}
	for range 20 {
		if err := document('a'); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(document('b'), document('c')); err != nil {
		t.Errorf("three values: %v", err)
	}
	if err := document('d'); !errors.Is(err, ErrUncountable) {
		t.Errorf("four values, with their keys more than is counted: %v", err)
	}
}
