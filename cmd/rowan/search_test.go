package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/document"
)

// An argument with one hyphen is a word to exclude, or the value of the flag before it.
func TestArgumentsOfSearch(t *testing.T) {
	t.Setenv("ROWAN_SEARCH_KEY", "k")
	for line, want := range map[string]struct {
		query, sort, filter string
		json                bool
	}{
		"search papers":                                         {},
		"search papers black_hole":                              {query: "black_hole"},
		"search papers black_hole -hawking":                     {query: "black_hole -hawking"},
		"search papers -hawking black_hole":                     {query: "-hawking black_hole"},
		"search papers black_hole -hawking --json":              {query: "black_hole -hawking", json: true},
		"search --sort -year papers black -hawking --json hole": {query: "black -hawking hole", sort: "-year", json: true},
		"search papers --sort=-year --filter -brand:Acme x":     {query: "x", sort: "-year", filter: "-brand:Acme"},
		"search papers -- black_hole -hawking --json":           {query: "black_hole -hawking --json"},
		"search papers --sort year -- -json":                    {query: "-json", sort: "year"},
		"search papers - -5":                                    {query: "- -5"},
		"search papers -hole=-1":                                {query: "-hole=-1"},
	} {
		c, err := parsed(t, strings.Fields(line)...)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		s := c.Search
		if s.Search != "papers" || strings.Join(s.Query, " ") != want.query || s.Sort != want.sort || s.Filter != want.filter || s.JSON != want.json {
			t.Errorf("%s: %+v", line, s)
		}
	}
	// Without the flag the defined search and the application say how many hits a page has.
	for line, want := range map[string]*int{"search papers x": nil, "search papers x --per-page 0": new(0), "search papers x --per-page=20": new(20)} {
		c, err := parsed(t, strings.Fields(line)...)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if diff := cmp.Diff(want, c.Search.PerPage); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", line, diff)
		}
	}
	for line, want := range map[string]string{
		"search papers black_hole -json":     "-json: write --json for the flag, or -- before the query to exclude the word",
		"search papers black_hole -sort=x":   "-sort=x: write --sort=x for the flag",
		"search papers --sort":               "--sort needs a value: --sort=…",
		"search papers --sort --json":        "--sort needs a value: --sort=…",
		"search papers --srot x":             `unknown flag --srot, did you mean "--sort"?`,
		"search":                             `expected "<search>`,
		"import films f.ndjson --key k -day": "unknown flag -d", // unchanged
	} {
		if _, err := parsed(t, strings.Fields(line)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// Without --fields, a table shows the fields of its order and its filter.
func TestColumnsOfSearch(t *testing.T) {
	t.Parallel()
	const hits = `{"hits":{
		"a":{"_id":"a","_score":1,"age":1,"batch":2,"colour":"red","depth":3,"name":"Mouse","price":12,"seller":{"town":"Lyon"},"text":"` + longText + `","title":"A mouse"},
		"b":{"_id":"b","_score":1,"age":1,"a.b":7,"gone":null,"title":"B"}},"ids":["a","b"]}`
	for name, test := range map[string]struct{ sort, filter, want string }{
		"nothing asked":          {"", "", "title name a.b age"},
		"sort and filter":        {"price", "price < 1000", "title price name a.b"},
		"several":                {"-price,depth:desc", "colour = red AND NOT (age 1 TO 2 OR text:mouse)", "title price depth colour age text"},
		"the title itself":       {"title", "name = Mouse", "title name a.b age"},
		"paths":                  {"", "seller.town = Lyon AND a.b > 1", "title seller.town a.b name"},
		"score, id and nothings": {"-_score,_id", "nowhere IS NULL AND _id = a AND seller EXISTS", "title seller name a.b"},
		"what cannot be read":    {"a b c", "price <", "title name a.b age"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var result searchResult
			if err := json.Unmarshal([]byte(hits), &result); err != nil {
				t.Fatal(err)
			}
			result.Params.Sort = test.sort
			c := &searchCommand{Filter: test.filter}
			if got := c.showableFields(result); !slices.Equal(got, strings.Fields(test.want)) {
				t.Errorf("%q, want %s", got, test.want)
			}
			if got := string(document.At(result.Hits["a"], "seller.town")); got != `"Lyon"` {
				t.Errorf("the town is %s", got)
			}
		})
	}
}

const longText = "A mouse with a long cable, many buttons and a wheel, for work and for play."

// Shown documents cannot send commands to a terminal, and are on one line, whoever has stored them.
func TestHitsCommandNoTerminal(t *testing.T) {
	t.Parallel()
	const answer = `{"hits":{"a\u009b2J":{"_id":"a\u009b2J","_score":1,"title":"\u001b[31mred\nfake","\u001b]0;owned\u0007":"x","list":["\u001b[2J"]}},"ids":["a\u009b2J"],"total":1,
		"facets":{"\u001b[1m":[{"value":"\u001b[31m","count":1}]}}`
	var result searchResult
	if err := json.Unmarshal([]byte(answer), &result); err != nil {
		t.Fatal(err)
	}
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
	if got := (&searchCommand{}).table(result); strings.ContainsFunc(got, control) || !strings.Contains(got, "�[31mred fake") || strings.Count(got, "\n") != 7 {
		t.Errorf("%q", got)
	}
}
