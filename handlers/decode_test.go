package handlers

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

func decodeSearch(body string) (service.SearchRequest, error) {
	d, o, err := decodeBody([]byte(body))
	if err != nil {
		return service.SearchRequest{}, err
	}
	o.only(searchNames...)
	request := searchRequest(o)
	return request, d.err(service.CodeInvalidRequest)
}

func TestDecodeSearch(t *testing.T) {
	t.Parallel()
	facets, sort := func(s string) service.FacetsInput { return service.FacetsInput{Expression: &s} }, func(s string) *string { return &s }
	number := func(n int) *int { return &n }
	for body, want := range map[string]service.SearchRequest{
		``:                           {},
		`{}`:                         {},
		" {} ":                       {},
		`{"query":"blade \"runner"}`: {Query: `blade "runner`},
		`{"query":"\u0000\ud800😀"}`:  {Query: "\x00�😀"},
		`{"query":null,"sort":null,"facets":null}`:        {},
		`{"query":"a","query":"b"}`:                       {Query: "b"},
		`{"page":2,"per_page":"25"}`:                      {Page: number(2), PerPage: number(25)},
		`{"page":"002","per_page":0}`:                     {Page: number(2), PerPage: number(0)},
		`{"page":-1}`:                                     {Page: number(-1)},
		`{"per_page":99999999999999999999}`:               {PerPage: number(math.MaxInt)},
		`{"page":"-99999999999999999999"}`:                {Page: number(math.MinInt)},
		`{"facets":"brand, price"}`:                       {Facets: facets("brand, price")},
		`{"facets":""}`:                                   {Facets: facets("")},
		`{"facets":["brand","my field","a` + "`" + `b"]}`: {Facets: service.FacetsInput{Names: []string{"brand", "my field", "a`b"}}},
		`{"facets":[]}`:                                   {Facets: service.FacetsInput{Names: []string{}}},
		`{"filter":"a = 1"}`:                              {Filter: service.FilterInput{Raw: json.RawMessage(`"a = 1"`)}},
		`{"filter":{"a":1.0}}`:                            {Filter: service.FilterInput{Raw: json.RawMessage(`{"a":1.0}`)}},
		`{"filter":null}`:                                 {},
		`{"filters": {"a" : 1} }`:                         {Filters: service.FilterInput{Raw: json.RawMessage(`{"a" : 1}`)}},
		`{"sort":"-price"}`:                               {Sort: sort("-price")},
		`{"sort":""}`:                                     {Sort: sort("")},
		`{"match":"any"}`:                                 {Match: service.MatchAny},
		`{"disjunctive":["a","b"]}`:                       {Disjunctive: []string{"a", "b"}},
		`{"explain":true,"cursor":"abc"}`:                 {Explain: true, Cursor: "abc"},
		`{"explain":false}`:                               {},
	} {
		got, err := decodeSearch(body)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

// places returns the locations of an error's faults.
func places(err error) string {
	var e *service.Error
	if !errors.As(err, &e) {
		return ""
	}
	var out []string
	for _, f := range e.Fields {
		out = append(out, f.Location)
	}
	return strings.Join(out, " ")
}

func TestDecodeSearchRefuses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{ // locations; invalid_json has none
		`{`:                                   "",
		`{}{}`:                                "",
		`nonsense`:                            "",
		`{"page":01}`:                         "",
		`[]`:                                  "body",
		`null`:                                "body",
		`"text"`:                              "body",
		`{"page":1.5}`:                        "body.page",
		`{"page":1.0}`:                        "body.page",
		`{"page":1e2}`:                        "body.page",
		`{"page":null}`:                       "body.page",
		`{"page":""}`:                         "body.page",
		`{"page":"+1"}`:                       "body.page",
		`{"page":" 1"}`:                       "body.page",
		`{"page":"1-"}`:                       "body.page",
		`{"page":true}`:                       "body.page",
		`{"page":[1]}`:                        "body.page",
		`{"per_page":"many"}`:                 "body.per_page",
		`{"query":1}`:                         "body.query",
		`{"query":["a"]}`:                     "body.query",
		`{"facets":1}`:                        "body.facets",
		`{"facets":{"a":1}}`:                  "body.facets",
		`{"facets":["a",1]}`:                  "body.facets[1]",
		`{"filter":1}`:                        "body.filter",
		`{"filter":["a"]}`:                    "body.filter",
		`{"filters":true}`:                    "body.filters",
		`{"sort":["a"]}`:                      "body.sort",
		`{"match":""}`:                        "body.match",
		`{"match":"some"}`:                    "body.match",
		`{"match":1}`:                         "body.match",
		`{"disjunctive":"a"}`:                 "body.disjunctive",
		`{"disjunctive":[null]}`:              "body.disjunctive[0]",
		`{"explain":"true"}`:                  "body.explain",
		`{"cursor":1}`:                        "body.cursor",
		`{"Query":"a"}`:                       "body.Query",
		`{"z":1,"a":1,"page":"x","query":{}}`: "body.a body.z body.query body.page",
	} {
		_, err := decodeSearch(body)
		code := service.CodeInvalidRequest
		if want == "" {
			code = service.CodeInvalidJSON
		}
		if got := places(err); service.ErrorCode(err) != code || got != want {
			t.Errorf("%s: %v at %q, want %s at %q", body, err, got, code, want)
		}
	}
}

// Of very many faults, the first ones are listed with their locations, and the others counted: suggestions for each would take long.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	for what, body := range map[string]string{
		"unknown properties":    `{"k` + strings.Join(numbered(5000), `":0,"k`) + `":0}`,
		"elements of some type": `{"facets":[` + strings.Join(numbered(5000), ",") + `]}`,
	} {
		_, err := decodeSearch(body)
		var e *service.Error
		if !errors.As(err, &e) || len(e.Fields) != 100 || !strings.HasSuffix(e.Detail, "(and 4999 more)") {
			t.Errorf("%s: faults at %q, %v", what, places(err), err)
		}
	}
}

func numbered(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strconv.Itoa(i)
	}
	return list
}

// A body with too many levels to be read may still be JSON.
func TestDeepBodies(t *testing.T) {
	t.Parallel()
	_, _, err := decodeBody([]byte(strings.Repeat("[", 20000) + strings.Repeat("]", 20000)))
	if service.ErrorCode(err) != service.CodeInvalidRequest || places(err) != "body" {
		t.Errorf("%v at %q", err, places(err))
	}
}

func TestInvalidJSONSaysWhere(t *testing.T) {
	t.Parallel()
	_, _, err := decodeBody([]byte("{\n  \"a\": 1,\n  b\n}"))
	if want := "(line 3, byte 3)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v does not say %s", err, want)
	}
}

func TestDecodeSearches(t *testing.T) {
	t.Parallel()
	_, got, err := decodeSearches([]byte(`{"searches":[{"search":"films","query":"a"},{"search":"books"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []service.NamedSearch{{Search: "films", Request: service.SearchRequest{Query: "a"}}, {Search: "books"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	twenty := `{"searches":[` + strings.Repeat(`{"search":"films"},`, 19) + `{"search":"films"}]}`
	if _, got, err := decodeSearches([]byte(twenty)); err != nil || len(got) != 20 {
		t.Errorf("20 searches: %d, %v", len(got), err)
	}
	for body, want := range map[string]string{
		`{}`:                    "body.searches",
		`{"searches":null}`:     "body.searches",
		`{"searches":[]}`:       "body.searches",
		`{"searches":{}}`:       "body.searches",
		`[]`:                    "body",
		`{"searches":[1]}`:      "body.searches[0]",
		`{"searches":[{}]}`:     "body.searches[0].search",
		`{"searches":[],"x":1}`: "body.x",
		`{"searches":[{"search":"a"},{"search":"b","page":"x","y":1}]}`:              "body.searches[1].y body.searches[1].page",
		`{"searches":[` + strings.Repeat(`{"search":"a"},`, 20) + `{"search":"a"}]}`: "body.searches",
	} {
		_, _, err := decodeSearches([]byte(body))
		if got := places(err); service.ErrorCode(err) != service.CodeInvalidRequest || got != want {
			t.Errorf("%s: %v at %q, want %q", body, err, got, want)
		}
	}
}

func TestDecodeMappings(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]mapping.Mapping{
		``:                 nil,
		`{}`:               nil,
		`{"mappings":[]}`:  {},
		`{"name":"films"}`: nil,
		`{"name":"films","mappings":[{"name":"title","type":"text"}],"documents":1,"size_bytes":2,"created_at":"x","updated_at":"y"}`: {{Name: "title", Type: "text"}},
		`{"mappings":[{"name":"a","type":"unheard of"},{"type":"","name":""}]}`:                                                       {{Name: "a", Type: "unheard of"}, {}},
	} {
		got, err := decodeMappings([]byte(body), "films")
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if (got == nil) != (want == nil) {
			t.Errorf("%s: nil %v, want %v", body, got == nil, want == nil)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	for body, want := range map[string]struct {
		code  service.Code
		place string
	}{
		`[`:                               {service.CodeInvalidJSON, ""},
		`[]`:                              {service.CodeInvalidRequest, "body"},
		`{"mapping":[]}`:                  {service.CodeInvalidRequest, "body.mapping"},
		`{"settings":{"language":"x"}}`:   {service.CodeInvalidRequest, "body.settings"},
		`{"stop_words":[],"x":1}`:         {service.CodeInvalidRequest, "body.stop_words body.x"},
		`{"name":"books"}`:                {service.CodeInvalidRequest, "body.name"},
		`{"mappings":null}`:               {service.CodeInvalidMapping, "body.mappings"},
		`{"mappings":{"title":"text"}}`:   {service.CodeInvalidMapping, "body.mappings"},
		`{"mappings":["title"]}`:          {service.CodeInvalidMapping, "body.mappings[0]"},
		`{"mappings":[{"name":"title"}]}`: {service.CodeInvalidMapping, "body.mappings[0].type"},
		`{"mappings":[{"name":1,"type":"text","boost":2}]}`: {service.CodeInvalidMapping, "body.mappings[0].boost body.mappings[0].name"},
	} {
		_, err := decodeMappings([]byte(body), "films")
		if got := places(err); service.ErrorCode(err) != want.code || got != want.place {
			t.Errorf("%s: %v at %q, want %v", body, err, got, want)
		}
	}
}

// A message lists what can be sent, not what is merely ignored.
func TestDecodeMessages(t *testing.T) {
	t.Parallel()
	_, unknown := decodeMappings([]byte(`{"colour":[]}`), "films")
	_, setting := decodeMappings([]byte(`{"language":"german"}`), "films")
	_, spelled := decodeMappings([]byte(`{"mapping":[]}`), "films")
	_, properties := decodeMappings([]byte(`{"mappings":{"properties":{}}}`), "films")
	_, _, list := decodeDefinition([]byte(`{"index":"films","fields":["title"]}`), "best")
	_, _, heavy := decodeDefinition([]byte(`{"index":"films","fields":{"title":1e999}}`), "best")
	_, named := decodeMappings([]byte(`{"name":"books"}`), "films")
	_, _, defined := decodeDefinition([]byte(`{"index":"films","name":"good"}`), "best")
	_, seconds := decodeKey([]byte(`{"type":"search","expires_at":1893456000}`))
	for want, err := range map[string]error{
		`body.expires_at: expected an RFC 3339 time, such as "2030-01-31T00:00:00Z"`:                                    seconds,
		"body.colour: unknown property; expected mappings":                                                              unknown,
		"body.language: belongs to the settings of the index: once the index exists, send PUT /v1/index/films/settings": setting,
		"body.mapping: unknown property; write mappings":                                                                spelled,
		"body.name: must be the name in the path, or omitted":                                                           named,
		`body.mappings: expected an array of mappings, such as [{"name": "title", "type": "sentence"}]`:                 properties,
		`body.fields: expected an object of fields and their weights, such as {"title": 1}`:                             list,
		"body.fields.title: expected a number, 0.001 to 1000":                                                           heavy,
	} {
		if e, ok := errors.AsType[*service.Error](err); !ok || e.Detail != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if e, ok := errors.AsType[*service.Error](defined); !ok || e.Detail != "body.name: must be the name in the path, or omitted" {
		t.Errorf("the name of another search: %v", defined)
	}
}

// Requests for other search engines are answered with what to send instead.
func TestDecodeForeignSearches(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{"query":{"match":{"title":"laptop"}},"from":10,"size":5}`: { // Elasticsearch
			"body.from: unknown property; write page, which counts from 1; use cursor to reach deep pages",
			"body.size: unknown property; write per_page",
			`body.query: expected a string of words, such as "red shoes"; put conditions into filter`,
		},
		`{"q":"laptop","filter":["brand = HP",["price > 1000"]],"sort":["price:asc"]}`: { // Meilisearch
			"body.q: unknown property; write query",
			`body.filter: expected a string or an object, such as "brand = Acme AND price > 10" or {"brand": "Acme", "price": {"gt": 10}}`,
			`body.sort: expected a string, such as "-price, title"`,
		},
		`{"query":"laptop","facetFilters":["brand:HP"],"colour":1}`: { // Algolia
			"body.colour: unknown property; expected one of " + strings.Join(searchNames, ", "),
			`body.facetFilters: unknown property; write filter, for example "brand = Acme AND price > 10"`,
		},
	} {
		_, err := decodeSearch(body)
		e, ok := errors.AsType[*service.Error](err)
		if !ok {
			t.Errorf("%s: %v", body, err)
			continue
		}
		var got []string
		for _, fault := range e.Fields {
			got = append(got, fault.Location+": "+fault.Message)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

func TestDecodeDefinition(t *testing.T) {
	t.Parallel()
	perPage, typos := 20, false
	_, got, err := decodeDefinition([]byte(`{"name":"best","index":"films","per_page":20,"fields":{"title":3,"plot":0.5},"facets":["genres"],`+
		`"filter":{"year":1982},"sort":"-year","match":"all","typo_tolerance":false}`), "best")
	if err != nil {
		t.Fatal(err)
	}
	want := service.SearchDefinition{
		Name: "best", Index: "films", PerPage: &perPage, Fields: map[string]float64{"title": 3, "plot": 0.5}, Facets: []string{"genres"},
		Filter: json.RawMessage(`{"year":1982}`), Sort: "-year", Match: service.MatchAll, TypoTolerance: &typos,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for body, want := range map[string]string{
		`{}`:                                     "body.index",
		`{"index":null}`:                         "body.index",
		`{"index":"a","name":"b"}`:               "body.name",
		`{"index":"a","fields":["title"]}`:       "body.fields",
		`{"index":"a","fields":{"t":0,"s":"1"}}`: "body.fields.s body.fields.t",
		`{"index":"a","fields":{"t":1e999}}`:     "body.fields.t",
		`{"index":"a","per_page":1.5,"boost":1}`: "body.boost body.per_page",
		`{"index":"a","typo_tolerance":"yes"}`:   "body.typo_tolerance",
	} {
		_, _, err := decodeDefinition([]byte(body), "best")
		if got := places(err); service.ErrorCode(err) != service.CodeInvalidRequest || got != want {
			t.Errorf("%s: %v at %q, want %q", body, err, got, want)
		}
	}
}

func TestDecodeKey(t *testing.T) {
	t.Parallel()
	expires := "2030-01-01T00:00:00Z"
	got, err := decodeKey([]byte(`{"type":"search","description":"shop","indices":["films"],"filter":"a = 1","expires_at":"` + expires + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := service.NewKey{Type: service.SearchKey, Description: "shop", Indices: []string{"films"}, Filter: "a = 1", ExpiresAt: &expires}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for body, want := range map[string]string{
		`{}`:                                 "body.type",
		`{"type":"root"}`:                    "body.type",
		`{"type":null}`:                      "body.type",
		`{"type":"admin","secret":"x"}`:      "body.secret",
		`{"type":"admin","indices":"a"}`:     "body.indices",
		`{"type":"admin","expires_at":1}`:    "body.expires_at",
		`{"type":"admin","application":"x"}`: "body.application",

		`{"type":"search","indices":[],"filter":" "}`: "body.indices body.filter",
	} {
		_, err := decodeKey([]byte(body))
		if got := places(err); service.ErrorCode(err) != service.CodeInvalidRequest || got != want {
			t.Errorf("%s: %v at %q, want %q", body, err, got, want)
		}
	}
}
