package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
)

type searchPath struct {
	Search string `path:"search" doc:"Name of a defined search or of an index." example:"films"`
}

// definitionPath is the path of the definition of a search.
type definitionPath struct {
	Search string `path:"search" doc:"Name of the search: 1 to 60 characters of a-z A-Z 0-9 _ -, not starting with _ or -." example:"popular-films"`
}

// hits are the hits of a search: an object keyed by _id, its keys in rank order.
type hits service.Hits

// MarshalJSON writes the object.
func (h hits) MarshalJSON() ([]byte, error) { return service.Hits(h).MarshalJSON() }

// Schema describes the object.
func (hits) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: refTo("Hit")}
}

// sentFilter is a filter as the client sent it.
type sentFilter json.RawMessage

// MarshalJSON writes what was sent.
func (f sentFilter) MarshalJSON() ([]byte, error) { return f, nil }

// Schema points at the schema of filters.
func (sentFilter) Schema(huma.Registry) *huma.Schema { return refTo("Filter") }

type searchResult struct {
	Hits             hits                            `json:"hits" doc:"The documents found, keyed by _id, in rank order."`
	IDs              []string                        `json:"ids" doc:"The keys of hits in rank order, for languages that reorder keys."`
	Total            int64                           `json:"total" doc:"Number of documents found; exact."`
	TotalAllWords    int64                           `json:"total_all_words" doc:"How many of them contain all words of the query."`
	Query            string                          `json:"query" doc:"The query, as sent."`
	Page             int                             `json:"page" doc:"Page, from 1."`
	PerPage          int                             `json:"per_page" doc:"Hits per page."`
	ProcessingTimeMS int64                           `json:"processing_time_ms" doc:"How long the search took, in whole milliseconds."`
	Autocomplete     []string                        `json:"autocomplete" doc:"Up to 10 suggestions that complete the query."`
	Params           service.EffectiveParams         `json:"params" doc:"The parameters that were applied."`
	Index            string                          `json:"index" doc:"Index that was searched."`
	Search           string                          `json:"search" doc:"Name of the search, as in the path."`
	Sort             string                          `json:"sort" doc:"Sort expression that was applied."`
	Facets           map[string][]service.FacetValue `json:"facets" doc:"For each facet, up to 100 values, most frequent first."`
	FacetStats       map[string]service.FacetStats   `json:"facet_stats" doc:"For each facet of numbers or dates, its range and mean."`
	Filter           sentFilter                      `json:"filter,omitempty" doc:"The filter, as sent."`
	Filters          sentFilter                      `json:"filters,omitempty" doc:"The filter, as sent under this name."`
	Cursor           string                          `json:"cursor,omitempty" doc:"Continues after the last hit, in the next request."`
}

type searchResults struct {
	Results []searchResult `json:"results" doc:"The answers, in the order of the searches."`
}

type (
	searchOutput      struct{ Body searchResult }
	multiSearchOutput struct{ Body searchResults }
	suggestOutput     struct{ Body service.Suggestions }
)

const (
	searchExample = `{"query":"blade","facets":["genres"],"filter":"year 1980 TO 1989","per_page":10}`
	foundExample  = `{"hits":{"blade-runner":{"_id":"blade-runner","_score":4.27,"_highlight":{"title":["<b>Blade</b> Runner"]},` +
		`"title":"Blade Runner","year":1982,"genres":["science fiction","drama"]}},"ids":["blade-runner"],"total":1,"total_all_words":1,` +
		`"query":"blade","page":1,"per_page":10,"processing_time_ms":2,"autocomplete":["Blade Runner"],` +
		`"params":{"match":"all","page":1,"per_page":10,"sort":"_score","facets":["genres"],"fields":["title","genres"],"typo_tolerance":true},` +
		`"index":"films","search":"films","sort":"_score","facets":{"genres":[{"value":"drama","count":1},{"value":"science fiction","count":1}]},` +
		`"facet_stats":{},"filter":"year 1980 TO 1989"}`
)

// searchErrors are the codes that a search may answer with, besides those of any request.
var searchErrors = []service.Code{
	service.CodeIndexNotFound, service.CodeSearchNotFound, service.CodeKeyNotAllowed, service.CodeInvalidFilter,
	service.CodeInvalidSort, service.CodeInvalidFacets, service.CodeSearchTimeout,
}

func (a *api) registerSearches() {
	const tag = "Search"
	register(a, operation{
		id: "search", method: http.MethodPost, path: "/v1/search/{search}", tag: tag, searchKey: true,
		summary: "Search", description: "By the name of a defined search or of an index. An empty body matches everything.",
		body:    &bodySpec{limit: a.cfg.MaxSearchBytes, optional: true, schema: refTo("SearchRequest"), example: searchExample},
		example: foundExample, errors: searchErrors,
	}, a.search)
	register(a, operation{
		id: "multiSearch", method: http.MethodPost, path: "/v1/search", tag: tag, searchKey: true,
		summary: "Search several times in one request", description: "One bad search fails the request, and the error gives its location.",
		body: &bodySpec{
			limit: a.cfg.MaxSearchBytes, schema: refTo("MultiSearchRequest"),
			example: `{"searches":[{"search":"films","query":"blade"},{"search":"films","per_page":0,"facets":["genres"]}]}`,
		},
		example: `{"results":[` + foundExample + `]}`, errors: searchErrors,
	}, a.multiSearch)
	register(a, operation{
		id: "autocomplete", method: http.MethodGet, path: "/v1/search/{search}/autocomplete", tag: tag, searchKey: true,
		summary: "Complete a query", description: "Fast enough for every key press.",
		example: `{"query":"bla","autocomplete":["Blade Runner"]}`,
		errors:  []service.Code{service.CodeIndexNotFound, service.CodeSearchNotFound, service.CodeKeyNotAllowed, service.CodeSearchTimeout},
	}, a.autocomplete)
}

func (a *api) search(ctx context.Context, in *searchPath) (*searchOutput, error) {
	d, o, err := decodeBody(bodyOf(ctx).data)
	if err != nil {
		return nil, err
	}
	o.only(searchNames...)
	request := searchRequest(o)
	if err := d.err(service.CodeInvalidRequest); err != nil {
		return nil, err
	}
	found, err := a.svc.Search(ctx, principalOf(ctx), in.Search, request)
	if err != nil {
		return nil, d.asSent(err)
	}
	return &searchOutput{responseOf(found)}, nil
}

func (a *api) multiSearch(ctx context.Context, _ *struct{}) (*multiSearchOutput, error) {
	d, searches, err := decodeSearches(bodyOf(ctx).data)
	if err != nil {
		return nil, err
	}
	found, err := a.svc.MultiSearch(ctx, principalOf(ctx), searches)
	if err != nil {
		return nil, d.asSent(err)
	}
	out := make([]searchResult, len(found))
	for i, response := range found {
		out[i] = responseOf(response)
	}
	return &multiSearchOutput{searchResults{out}}, nil
}

func (a *api) autocomplete(ctx context.Context, in *struct {
	Search string `path:"search" doc:"Name of a defined search or of an index." example:"films"`
	Query  string `query:"q" doc:"What has been typed so far." example:"bla"`
},
) (*suggestOutput, error) {
	found, err := a.svc.Suggest(ctx, principalOf(ctx), in.Search, in.Query)
	if err != nil {
		return nil, err
	}
	found.Autocomplete = append([]string{}, found.Autocomplete...)
	return &suggestOutput{found}, nil
}

// searchNames are the members of a search request.
var searchNames = []string{
	"query", "page", "per_page", "facets", "filter", "filters", "sort", "match", "disjunctive", "explain", "cursor",
}

func searchRequest(o object) service.SearchRequest {
	explain := o.boolean("explain")
	return service.SearchRequest{
		Query:       o.words("query"),
		Page:        o.integer("page"),
		PerPage:     o.integer("per_page"),
		Facets:      o.facets("facets"),
		Filter:      service.FilterInput{Raw: o.filter("filter")},
		Filters:     service.FilterInput{Raw: o.filter("filters")},
		Sort:        o.strPtr("sort", `a string, such as "-price, title"`),
		Match:       service.Match(o.oneOf("match", string(service.MatchAll), string(service.MatchAny), string(service.MatchAuto))),
		Disjunctive: o.strings("disjunctive"),
		Explain:     explain != nil && *explain,
		Cursor:      o.str("cursor"),
	}
}

// words reads a query. Clients that send an object mean conditions, so the message points to filter.
func (o object) words(name string) string {
	if raw, ok := o.get(name); ok {
		return o.d.strAs(o.at+"."+name, raw, `a string of words, such as "red shoes"; put conditions into filter`)
	}
	return ""
}

func decodeSearches(body []byte) (*decoder, []service.NamedSearch, error) {
	d, o, err := decodeBody(body)
	if err != nil {
		return nil, nil, err
	}
	o.only("searches")
	var members []json.RawMessage
	if raw, ok := o.members["searches"]; ok {
		n := d.elements("body.searches", raw, "searches", func(i int, member json.RawMessage) {
			if i < service.MaxSearches {
				members = append(members, member)
			}
		})
		if n > service.MaxSearches || n == 0 && len(d.faults) == 0 {
			d.fault("body.searches", nil, "expected 1 to %d searches, got %d", service.MaxSearches, n)
			members = nil
		}
	} else if len(d.faults) == 0 {
		d.fault("body.searches", nil, "required")
	}
	searches := make([]service.NamedSearch, len(members))
	for i, raw := range members {
		member, ok := d.object(fmt.Sprintf("body.searches[%d]", i), raw)
		if !ok {
			continue
		}
		member.only(append([]string{"search"}, searchNames...)...)
		searches[i] = service.NamedSearch{Search: member.required("search"), Request: searchRequest(member)}
	}
	return d, searches, d.err(service.CodeInvalidRequest)
}

// facets reads the names of facets: a string or an array.
func (o object) facets(name string) service.FacetsInput {
	raw, ok := o.get(name)
	switch {
	case !ok:
		return service.FacetsInput{}
	case raw[0] == '[':
		return service.FacetsInput{Names: o.strings(name)}
	case raw[0] == '"':
		return service.FacetsInput{Expression: o.strPtr(name, "a string")}
	}
	o.d.fault(o.at+"."+name, raw, "expected a string of names separated by spaces or commas, or an array of names")
	return service.FacetsInput{}
}

func responseOf(found *service.SearchResponse) searchResult {
	out := searchResult{
		Hits:             hits(found.Hits),
		IDs:              append([]string{}, found.IDs...),
		Total:            found.Total,
		TotalAllWords:    found.TotalAllWords,
		Query:            found.Query,
		Page:             found.Page,
		PerPage:          found.PerPage,
		ProcessingTimeMS: found.ProcessingTimeMS,
		Autocomplete:     append([]string{}, found.Autocomplete...),
		Params:           found.Params,
		Index:            found.Index,
		Search:           found.Search,
		Sort:             found.Sort,
		Facets:           make(map[string][]service.FacetValue, len(found.Facets)),
		FacetStats:       make(map[string]service.FacetStats, len(found.FacetStats)),
		Filter:           sentFilter(found.Filter),
		Filters:          sentFilter(found.Filters),
		Cursor:           found.Cursor,
	}
	for name, values := range found.Facets {
		out.Facets[name] = append([]service.FacetValue{}, values...)
	}
	maps.Copy(out.FacetStats, found.FacetStats)
	return out
}
