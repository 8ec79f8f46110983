package service_test

import (
	"testing"

	"github.com/rowansearch/rowan/service"
)

func TestCounterpart(t *testing.T) {
	t.Parallel()
	search := []string{"query", "page", "per_page", "facets", "filter", "filters", "sort", "match", "disjunctive", "explain", "cursor"}
	definition := []string{"name", "index", "per_page", "fields", "facets", "filter", "sort", "match", "typo_tolerance"}
	for _, test := range []struct {
		name  string
		known []string
		want  string
	}{
		// other spellings
		{"perPage", search, "write per_page"},
		{"per-page", search, "write per_page"},
		{"Query", search, "write query"},
		{"facet", search, "write facets"},
		{"filters", definition, "write filter"},
		{"stopWords", []string{"language", "stop_words"}, "write stop_words"},
		// Meilisearch, Typesense, Algolia, Elasticsearch
		{"q", search, "write query"},
		{"filter_by", search, `write filter, for example "brand = Acme AND price > 10"`},
		{"hitsPerPage", search, "write per_page"},
		{"_source", search, "omit it: a hit is the whole document"},
		{"query_by", search, "a defined search sets the fields that are searched: fields in PUT /v1/search/{search}"},
		{"track_total_hits", search, "omit it: total is exact"},
		{"minimum_should_match", search, "write match"},
		{"facet_query", search, "filter by the beginning of the value, for example brand STARTS WITH Ac, and count its facet"},
		// What does not exist here.
		{"distinct", search, "not supported: store what should be found once as one document"},
		{"group_by", definition, ""},
		{"rankingRules", []string{"language", "stop_words"}, "give documents a boost, which multiplies their scores"},
		// The same name means something else elsewhere, or nothing.
		{"query_by", definition, `write fields, for example {"title": 3, "brand": 1}`},
		{"fields", []string{"mappings"}, `write mappings, for example [{"name": "title", "type": "sentence"}]`},
		{"index", search, ""},
		{"index", append([]string{"search"}, search...), "write search, with the name of the index or defined search"},
		{"q", []string{"mappings"}, ""},
		{"colour", search, ""},
		{"", search, ""},
	} {
		if got := service.Counterpart(test.name, test.known); got != test.want {
			t.Errorf("%q among %v: %q, want %q", test.name, test.known, got, test.want)
		}
	}
}
