package service

import (
	"errors"
	"fmt"
	"testing"

	"github.com/rowansearch/rowan/service/mapping"
)

// A request may name a hundred thousand fields, each of which would be looked up among all mappings, only to be refused.
func TestTooManyFacetsAreNotLookedAt(t *testing.T) {
	t.Parallel()
	names := []string{"*"}
	for i := range 100_000 {
		names = append(names, fmt.Sprint("f", i))
	}
	asked := 0
	_, err := checkFacets("These facets", within("body.facets"), names, func(string) mapping.Kind {
		asked++
		return mapping.KindUnmapped
	})
	e, ok := errors.AsType[*Error](err)
	if !ok || asked > maxFacets || len(e.Fields) != 2 || e.Fields[0].Value != "*" || e.Fields[1].Message != "may name at most 50 fields" {
		t.Errorf("%v after %d fields", err, asked)
	}
	if got, err := checkFacets("These facets", within("body.facets"), append(names[1:maxFacets+1], "f0"), func(string) mapping.Kind { return mapping.KindUnmapped }); err != nil || len(got) != maxFacets {
		t.Errorf("%d, %v", len(got), err)
	}
}
