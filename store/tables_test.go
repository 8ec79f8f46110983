package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

// many stores n documents; body makes the body of each.
func (s *site) many(t *testing.T, index string, n int, body func(i int) string) {
	t.Helper()
	var documents []string
	for i := range n {
		documents = append(documents, fmt.Sprintf("%06d", i), body(i))
	}
	for len(documents) > 0 {
		chunk := documents[:min(10000, len(documents))]
		documents = documents[len(chunk):]
		s.put(t, index, chunk...)
	}
}

func TestSearchUsesIndexes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title name", "plot long_text", "brand keyword", "tags tags", "genre category", "year int", "price price", "shown date", "a.b keyword")
	s.many(t, "goods", 3000, func(i int) string {
		return fmt.Sprintf(`{"title":"word%d","plot":"plot of a film %d","brand":"brand %d","tags":["t%d","u%d"],"genre":"A%d > B","year":%d,"price":[%d,0.5],"shown":"%d-01-01","a":{"b":"%d"}}`,
			i, i, i, i, i%7, i, i, i, 1000+i, i)
	})
	if _, err := s.db.Pool.Exec(t.Context(), "VACUUM ANALYZE app_demo.goods"); err != nil {
		t.Fatal(err)
	}
	ix := s.current(t, "goods")
	word := service.Term{Text: "word17", Repeats: 1, Rarity: 1, Alternatives: map[mapping.Analysis][]service.Alternative{
		mapping.Plain: {{Sequence: []service.Lexeme{{Text: "word17"}}, Factor: 1}, {Sequence: []service.Lexeme{{Text: "word17", Prefix: true}}, Factor: 0.8}}}}
	for _, test := range []struct {
		what   string
		filter string
		terms  []service.Term
		want   []string
	}{
		{"words", "", []service.Term{word}, []string{"goods._search"}},
		{"words and a filter", "_id = 000017", []service.Term{word}, []string{"goods._"}},
		{"the id", "_id IN [000001, 000002]", nil, []string{"goods._id"}},
		{"a keyword", `brand = "brand 7"`, nil, []string{"goods.brand", "goods.brand_keys"}},
		{"a range of keywords", `brand "brand 7" TO "brand 70"`, nil, []string{"goods.brand", "goods.brand_keys"}},
		{"tags", `tags = t7`, nil, []string{"goods.tags_keys"}},
		{"levels", `genre = A7`, nil, []string{"goods.genre_keys"}},
		{"a number", `year = 7`, nil, []string{"goods.year", "goods.year_all"}},
		{"a range of numbers", `year 7 TO 9`, nil, []string{"goods.year", "goods.year_all"}},
		{"a date", `shown = 2024`, nil, []string{"goods.shown", "goods.shown_all"}},
		{"a path", `a.b = 7`, nil, []string{"goods.a.b", "goods.a.b_keys"}},
	} {
		p := &service.Plan{Index: ix, Match: service.MatchAll, Fields: service.SearchedFields(ix), All: true, Terms: test.terms, Limit: 10}
		if test.filter != "" {
			node, err := filter.Parse(test.filter)
			if err != nil {
				t.Fatal(err)
			}
			p.Filter, err = filter.Bind(node, func(name string) mapping.Kind {
				m, _ := ix.Mapping(name)
				return m.Type.Info().Kind
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		plan, err := s.Explain(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, index := range test.want {
			if !strings.Contains(plan, index) {
				t.Errorf("%s does not use %s:\n%s", test.what, index, plan)
			}
		}
		if strings.Contains(plan, "Seq Scan on goods") {
			t.Errorf("%s reads the whole table:\n%s", test.what, plan)
		}
	}
}
