package service

import (
	"slices"
	"strings"
)

// counterparts are the names that other search engines have for properties of requests: those of Meilisearch,
// Typesense, Algolia, Elasticsearch and OpenSearch. A hint is for requests that know the property. Only searches
// have disjunctive, and only settings have stop_words: these stand for names without a counterpart there.
var counterparts = []struct{ property, hint, names string }{
	{"query", `write query`, `q`},
	{"filter", `write filter, as "brand = Acme AND price > 10"`, `filter_by facetFilters numericFilters tagFilters post_filter`},
	{"facets", `write facets, as "brand category"`, `facet_by aggs aggregations`},
	{"sort", `write sort, as "-price, title"`, `sort_by`},
	{"per_page", `write per_page`, `limit size hitsPerPage`},
	{"page", `write page, which counts pages from 1; a cursor reaches the deep ones`, `offset from`},
	{"cursor", `write cursor, with that of the answer before`, `search_after scroll_id pit`},
	{"match", `write match`, `matchingStrategy minimum_should_match drop_tokens_threshold removeWordsIfNoResults`},
	{"explain", `write explain; each hit has its _score without it`, `showRankingScore showRankingScoreDetails getRankingInfo`},
	{"disjunctive", `leave it out: each hit has _highlight without being asked`,
		`highlight highlight_fields highlight_full_fields highlight_start_tag highlight_end_tag highlight_affix_num_tokens snippet_threshold ` +
			`attributesToHighlight attributesToSnippet attributesToCrop highlightPreTag highlightPostTag cropLength cropMarker snippetEllipsisText`},
	{"disjunctive", `leave it out: a hit is the whole document`, `_source include_fields exclude_fields attributesToRetrieve`},
	{"disjunctive", `a defined search says which fields are searched: fields in PUT /v1/search/{search}`,
		`query_by query_by_weights attributesToSearchOn restrictSearchableAttributes fields`},
	{"disjunctive", `leave it out: total is exact`, `track_total_hits exhaustive_search exhaustiveNbHits`},
	{"disjunctive", `leave it out: the last word may go on unless a space follows it`, `prefix queryType`},
	{"disjunctive", `leave it out: a facet has up to 100 values`, `max_facet_values maxValuesPerFacet`},
	{"disjunctive", `filter by how a value begins, as brand STARTS WITH Ac, and count its facet`, `facet_query facetQuery`},
	{"disjunctive", `the language is a setting of the index: PATCH /v1/index/{index}/settings`, `locale locales queryLanguages`},
	{"disjunctive", `there is nothing like it: filter by a rectangle, as lat 52.3 TO 52.6 AND lon 13.1 TO 13.7`,
		`aroundLatLng aroundRadius insideBoundingBox insidePolygon`},
	{"disjunctive", `there is nothing like it: filter by the ids that something else has found, as _id IN [a, b]`, `vector vector_query hybrid knn`},
	{"disjunctive", `there is nothing like it: make one document of what shall be found once`, `distinct group_by group_limit collapse`},
	{"disjunctive", `there is nothing like it: give documents a boost, or sort first by a property for what is promoted`,
		`pinned_hits hidden_hits ruleContexts enable_overrides optionalFilters rescore`},
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
	{"stop_words", `give documents a boost, which multiplies their scores`, `rankingRules customRanking`},
	{"stop_words", `a defined search can switch typos off: typo_tolerance in PUT /v1/search/{search}`, `typoTolerance`},
}

// Counterpart returns what to write for a property that a request does not know, if it is clear what was meant: one of the known
// properties in another spelling (perPage), or under the name that another search engine has for it. Otherwise it returns "".
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

// plain returns a name without the parts in which spellings differ.
func plain(name string) string {
	return strings.TrimSuffix(strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)), "s")
}
