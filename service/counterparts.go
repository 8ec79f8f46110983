package service

import (
	"slices"
	"strings"
)

// counterparts are names that other search engines have for what a request says here: those of Meilisearch, Typesense, Algolia,
// Elasticsearch and OpenSearch. A hint is given to a request that has the property. Only searches have disjunctive, and only
// settings stop_words: they stand for what these have no property for.
var counterparts = []struct{ property, hint, names string }{
	{"query", `write query`, `q`},
	{"filter", `write filter, as "brand = Acme AND price > 10"`, `filter_by facetFilters numericFilters tagFilters post_filter`},
	{"facets", `write facets, as "brand category"`, `facet_by aggs aggregations`},
	{"sort", `write sort, as "-price, title"`, `sort_by`},
	{"per_page", `write per_page`, `limit size hitsPerPage`},
	{"page", `write page, which counts pages from 1; a cursor reaches the deep ones`, `offset from`},
	{"cursor", `write cursor, with that of the answer before`, `search_after scroll_id pit`},
	{"match", `write match`, `matchingStrategy`},
	{"explain", `write explain; each hit has its _score without it`, `showRankingScore showRankingScoreDetails getRankingInfo`},
	{"disjunctive", `leave it out: each hit has _highlight without being asked`,
		`highlight highlight_fields highlight_full_fields attributesToHighlight attributesToSnippet attributesToCrop`},
	{"disjunctive", `leave it out: a hit is the whole document`, `_source include_fields exclude_fields attributesToRetrieve`},
	{"disjunctive", `a defined search says which fields are searched: fields in PUT /v1/search/{search}`,
		`query_by query_by_weights attributesToSearchOn restrictSearchableAttributes fields`},
	{"disjunctive", `a defined search can switch typos off: typo_tolerance in PUT /v1/search/{search}`, `num_typos typoTolerance fuzziness typo_tolerance`},

	{"searches", `write searches`, `queries requests`},
	{"search", `write search, with the name of the index or defined search`, `index indexUid indexName collection`},
	{"index", `write index`, `collection_name`},
	{"fields", `write fields, as {"title": 3, "brand": 1}`, `query_by query_by_weights searchableAttributes`},
	{"mappings", `write mappings, as [{"name": "title", "type": "sentence"}]`, `fields properties`},
	{"mappings", `leave it out: the id of a document is its _id`, `primaryKey`},
	{"indices", `write indices`, `indexes collections`},
	{"expires_at", `write expires_at, as "2030-01-31T00:00:00Z"`, `validity`},
	{"stop_words", `leave it out: every field can be filtered and sorted by, and the mappings say how it is searched`,
		`searchableAttributes filterableAttributes sortableAttributes attributesForFaceting`},
}

// Counterpart tells what to write for a property that a request does not know, if it is clear what was meant: one of the known
// properties in another spelling (perPage), or what another search engine calls so. Otherwise it returns "".
func Counterpart(name string, known []string) string {
	meant := plain(name)
	for _, property := range known {
		if property != name && plain(property) == meant {
			return "write " + property
		}
	}
	for _, c := range counterparts {
		if slices.Contains(known, c.property) && slices.Contains(strings.Fields(c.names), name) {
			return c.hint
		}
	}
	return ""
}

// plain is a name without what spellings differ in.
func plain(name string) string {
	return strings.TrimSuffix(strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)), "s")
}
