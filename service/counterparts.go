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
	{"filter", `write filter, for example "brand = Acme AND price > 10"`, `filter_by facetFilters numericFilters tagFilters post_filter`},
	{"facets", `write facets, for example "brand category"`, `facet_by aggs aggregations`},
	{"sort", `write sort, for example "-price, title"`, `sort_by`},
	{"per_page", `write per_page`, `limit size length hitsPerPage`},
	{"page", `write page, which counts from 1; use cursor to reach deep pages`, `offset from`},
	{"cursor", `write cursor, with the value from the previous answer`, `search_after scroll_id pit`},
	{"match", `write match`, `matchingStrategy minimum_should_match drop_tokens_threshold removeWordsIfNoResults optionalWords operator`},
	{"explain", `write explain; each hit has its _score without it`, `showRankingScore showRankingScoreDetails getRankingInfo`},
	{"disjunctive", `write what it says as properties, for example {"query": "red shoes", "per_page": 20}`, `params`},
	{"disjunctive", `omit it: match decides which documents are found`, `rankingScoreThreshold min_score relevancyStrictness`},
	{"disjunctive", `omit it: each hit has _highlight anyway`,
		`highlight highlight_fields highlight_full_fields highlight_start_tag highlight_end_tag highlight_affix_num_tokens snippet_threshold ` +
			`attributesToHighlight attributesToSnippet attributesToCrop highlightPreTag highlightPostTag cropLength cropMarker snippetEllipsisText ` +
			`showMatchesPosition restrictHighlightAndSnippetArrays`},
	{"disjunctive", `omit it: a hit is the whole document`, `_source include_fields exclude_fields attributesToRetrieve stored_fields`},
	{"disjunctive", `a defined search sets the fields that are searched: fields in PUT /v1/search/{search}`,
		`query_by query_by_weights attributesToSearchOn restrictSearchableAttributes fields`},
	{"disjunctive", `omit it: total is exact`, `track_total_hits exhaustive_search exhaustiveNbHits`},
	{"disjunctive", `omit it: the last word is a prefix unless a space follows it`, `prefix queryType`},
	{"disjunctive", `omit it: a facet has up to 100 values`, `max_facet_values maxValuesPerFacet`},
	{"disjunctive", `omit it: the most frequent values of a facet come first`, `sortFacetValuesBy`},
	{"disjunctive", `filter by the beginning of the value, for example brand STARTS WITH Ac, and count its facet`, `facet_query facetQuery`},
	{"disjunctive", `the language is a setting of the index: PATCH /v1/index/{index}/settings`, `locale locales queryLanguages`},
	{"disjunctive", `synonyms and stop words are settings of the index: PATCH /v1/index/{index}/settings`,
		`synonyms enableSynonyms enable_synonyms synonym_sets stopwords removeStopWords`},
	{"disjunctive", `use GET /v1/search/{search}/autocomplete?q=; each answer has the same under autocomplete`, `suggest`},
	{"disjunctive", `use a defined search: PUT /v1/search/{search}`, `preset`},
	{"disjunctive", `omit it: the dashboard counts all queries`, `analytics clickAnalytics analyticsTags userToken enable_analytics`},
	{"disjunctive", `not supported: filter by a rectangle instead, for example lat 52.3 TO 52.6 AND lon 13.1 TO 13.7`,
		`aroundLatLng aroundLatLngViaIP aroundRadius insideBoundingBox insidePolygon`},
	{"disjunctive", `not supported: filter by the ids that another system found instead, for example _id IN [a, b]`, `vector vector_query hybrid knn`},
	{"disjunctive", `not supported: store what should be found once as one document`, `distinct group_by group_limit collapse`},
	{"disjunctive", `not supported: give documents a boost, or sort first by a property that marks promoted documents`,
		`pinned_hits hidden_hits ruleContexts enable_overrides optionalFilters rescore`},
	{"disjunctive", `not supported: map the field as identifier, email or path to find parts of its values`, `infix`},
	{"disjunctive", `a defined search can switch typos off: typo_tolerance in PUT /v1/search/{search}`,
		`num_typos typoTolerance fuzziness typo_tolerance ` + typoSettings},

	{"searches", `write searches`, `queries requests`},
	{"searches", `not supported: each search has its own answer; merge the hits in your program`, `federation union`},
	{"search", `write search, with the name of the index or defined search`, `index indexUid indexName collection`},
	{"index", `write index`, `collection_name indexUid indexName collection`},
	{"fields", `write fields, for example {"title": 3, "brand": 1}`, `query_by query_by_weights searchableAttributes`},
	{"mappings", `write mappings, for example [{"name": "title", "type": "sentence"}]`, `fields properties`},
	{"mappings", `omit it: the id of a document is its _id`, `primaryKey`},
	{"mappings", `a defined search is an alias: PUT /v1/search/{search}`, `aliases`},
	{"mappings", `give documents a boost, which multiplies their scores`, `default_sorting_field`},
	{"indices", `write indices`, `indexes collections index`},
	{"expires_at", `write expires_at, for example "2030-01-31T00:00:00Z"`, `validity`},
	{"expires_at", `write type: "search" or "admin"`, `actions acl`},
	{"type", `omit it: you can filter, sort and facet by every field, and every field may be missing`,
		`facet optional index sort store searchable filterable sortable doc_values`},
	{"type", `the language is a setting of the index: PATCH /v1/index/{index}/settings`, `analyzer search_analyzer locale stem`},

	{"language", `write language, for example "german"`, `localizedAttributes indexLanguages queryLanguages`},
	{"stop_words", `write stop_words: such words need not be found`, `optionalWords`},
	{"stop_words", `omit it: the stop words of the language need not be found anyway; stop_words adds others`, `removeStopWords`},
	{"stop_words", `a defined search sets the fields that are searched, and their weights: fields in PUT /v1/search/{search}`,
		`searchableAttributes attributesToIndex`},
	{"stop_words", `omit it: you can filter, sort and facet by every field`,
		`filterableAttributes sortableAttributes attributesForFaceting numericAttributesForFiltering`},
	{"stop_words", `give documents a boost, which multiplies their scores`, `rankingRules customRanking ranking`},
	{"stop_words", `define a search for each order: sort in PUT /v1/search/{search}`, `replicas slaves`},
	{"stop_words", `a defined search sets it: per_page in PUT /v1/search/{search}`, `hitsPerPage`},
	{"stop_words", `omit it: page and per_page reach every hit`, `pagination paginationLimitedTo`},
	{"stop_words", `omit it: a facet has up to 100 values`, `faceting maxValuesPerFacet`},
	{"stop_words", `omit it: a hit is the whole document`, `displayedAttributes attributesToRetrieve unretrievableAttributes`},
	{"stop_words", `omit it: each hit has _highlight anyway`, `attributesToHighlight attributesToSnippet highlightPreTag highlightPostTag snippetEllipsisText`},
	{"stop_words", `omit it: the last word is a prefix unless a space follows it`, `queryType prefixSearch`},
	{"stop_words", `not supported: store what should be found once as one document`, `distinct distinctAttribute attributeForDistinct`},
	{"stop_words", `not supported: filter by the ids that another system found instead, for example _id IN [a, b]`, `embedders`},
	{"stop_words", `a defined search can switch typos off: typo_tolerance in PUT /v1/search/{search}`, `typoTolerance ` + typoSettings},
}

// typoSettings are names of finer settings of typos: here they are on or off.
const typoSettings = `min_len_1typo min_len_2typo typo_tokens_threshold minWordSizefor1Typo minWordSizefor2Typos allowTyposOnNumericTokens ` +
	`disableTypoToleranceOnWords disableTypoToleranceOnAttributes`

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
