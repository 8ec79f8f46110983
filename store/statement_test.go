package store_test

import (
	"fmt"
	"strings"
	"testing"
)

// Prepared statements have their plan from the first search of a connection on; others are planned for their parameters.
func TestPlansOfSearches(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title name", "year int")
	s.many(t, "films", 300, func(i int) string { return fmt.Sprintf(`{"title":"film %d of %d","year":%d}`, i, i%7, i) })
	for range 3 {
		for _, words := range []string{"", "film 3", "film", "of", "film 299"} {
			s.search(t, "films", forWords(words))
			s.search(t, "films", forWords(words), sortedBy("-year"), withFacets("year"))
			s.search(t, "films", forWords(words), filtered("year > 10"))
		}
	}
	for _, prepared := range []bool{true, false, true} {
		mode, err := s.PlanCacheMode(t.Context(), prepared)
		if want := map[bool]string{true: "force_generic_plan", false: "force_custom_plan"}[prepared]; mode != want || err != nil {
			t.Errorf("prepared %t: %q %v", prepared, mode, err)
		}
	}
	plans, err := s.OfSearches(t.Context(), "SELECT format('%s %s %s', custom_plans, generic_plans, statement) FROM pg_prepared_statements")
	if err != nil || len(plans) < 5 {
		t.Fatalf("%d statements are prepared: %v", len(plans), err)
	}
	for _, p := range plans {
		if !strings.HasPrefix(p, "0 ") {
			t.Errorf("planned more than once, custom and generic: %.200s", p)
		}
	}
}
