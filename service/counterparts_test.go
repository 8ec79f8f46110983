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
		{"federation", []string{"searches"}, "not supported: each search has its own answer; merge the hits in your program"},
		// What an index, a mapping, its settings, a defined search and a key have.
		{"facet", []string{"name", "type"}, "omit it: you can filter, sort and facet by every field, and every field may be missing"},
		{"index", []string{"name", "type"}, "omit it: you can filter, sort and facet by every field, and every field may be missing"},
		{"searchableAttributes", []string{"language", "stop_words"}, "a defined search sets the fields that are searched, and their weights: fields in PUT /v1/search/{search}"},
		{"replicas", []string{"language", "stop_words"}, "define a search for each order: sort in PUT /v1/search/{search}"},
		{"optionalWords", []string{"language", "stop_words"}, "write stop_words: such words need not be found"},
		{"minWordSizefor1Typo", []string{"language", "stop_words"}, "a defined search can switch typos off: typo_tolerance in PUT /v1/search/{search}"},
		{"indexUid", definition, "write index"},
		{"actions", []string{"type", "expires_at", "indices"}, `write type: "search" or "admin"`},
		{"index", []string{"type", "expires_at", "indices"}, "write indices"},
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
