package handlers_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/openapi"
)

// Every operation refuses parameters that are unknown or repeated before it does anything, and lists the known ones.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{
		{"POST", "/v1/index/films", "", 202, "", nil},
		{"PUT", "/v1/index/films/document/1", `{"title":"Nosferatu","year":1922}`, 201, "", nil},
	})
	type operation struct {
		Parameters []struct{ In, Name string }
		Security   []any
		Responses  map[string]any
	}
	var document struct {
		Paths map[string]map[string]operation
	}
	if err := json.Unmarshal(openapi.JSON, &document); err != nil {
		t.Fatal(err)
	}
	paths := strings.NewReplacer("{index}", "films", "{search}", "films", "{id}", "1")
	n := 0
	for path, operations := range document.Paths {
		for method, op := range operations {
			n++
			method, path := strings.ToUpper(method), paths.Replace(path)
			if len(op.Security) == 0 {
				if got := c.do(method, path+"?colour=red", ""); got.status != 200 {
					t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
				}
				continue
			}
			var known []string
			for _, p := range op.Parameters {
				if p.In == "query" {
					known = append(known, p.Name)
				}
			}
			want := "unknown parameter; none is expected here"
			if len(known) > 0 {
				want = "unknown parameter; expected " + strings.Join(known, ", ")
			}
			got := c.do(method, path+"?colour=red", `{"title":"gone"}`)
			var p handlers.Problem
			if err := json.Unmarshal([]byte(got.body), &p); err != nil {
				t.Fatal(err)
			}
			fault := handlers.ProblemError{Location: "query.colour", Message: want, Value: "red"}
			if got.status != 422 || p.Code != "invalid_request" || !slices.Equal(p.Errors, []handlers.ProblemError{fault}) {
				t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
			}
			if op.Responses["422"] == nil {
				t.Errorf("%s %s: 422 is not described", method, path)
			}
		}
	}
	if n < 30 {
		t.Errorf("the document has %d operations", n)
	}

	const one, inBody = "/v1/index/films/document/1", "unknown parameter; in the JSON body, write "
	c.run([]step{
		// What belongs into the body, under its name or that of another search engine.
		{"POST", "/v1/search/films?q=nosferatu", "", 422, `{"errors":[{"location":"query.q","message":"` + inBody + `query","value":"nosferatu"}]}`, nil},
		{"POST", "/v1/search/films?query=nosferatu&hitsPerPage=3", "", 422, `{"errors":[{"message":"` + inBody + `per_page"},{"message":"` + inBody + `query"}]}`, nil},
		{"GET", "/v1/search/films?q=nosferatu", "", 422, `{"errors":[{"message":"unknown parameter; send POST, and in its JSON body write query"}]}`, nil},
		{"GET", "/v1/keys?filter=a", "", 422, `{"errors":[{"message":"unknown parameter; none is expected here"}]}`, nil},
		{"GET", one, "", 200, `{"title":"Nosferatu","year":1922}`, nil}, // nothing was done
		{"PUT", one + "?actoin=patch", `{"title":"Vampyr"}`, 422, `{"code":"invalid_request","detail":"query.actoin: unknown parameter; expected action"}`, nil},
		{"PUT", one + "?action=patch&b=1&a", `{}`, 422, `{"errors":[{"location":"query.a","value":""},{"location":"query.b","value":"1"}]}`, nil},
		{"PUT", one + "?ACTION=patch", `{}`, 422, `{"errors":[{"location":"query.ACTION"}]}`, nil},
		{"PUT", one + "?action=upsert&action=patch", `{"title":"Vampyr"}`, 422, `{"errors":[{"location":"query.action","message":"is given 2 times; send it once","value":["upsert","patch"]}]}`, nil},
		{"PUT", one + "?%61ction=patch&action=patch&", `{}`, 422, `{"code":"invalid_request","errors":[{"location":"query.action"}]}`, nil},
		{"PUT", one + "?b=1&action=patch&b=2&action=patch", `{}`, 422, `{"errors":[{"location":"query.action"},{"location":"query.b","value":"1"}]}`, nil},
		{"PUT", one + "?action=", `{"title":"Vampyr"}`, 422, `{"code":"invalid_request","errors":[{"location":"query.action","message":"expected one of upsert, patch","value":""}]}`, nil},
		{"POST", one + "?action", `{"title":"Vampyr"}`, 422, `{"errors":[{"location":"query.action"}]}`, nil},
		{"PUT", one + "?action=Patch", `{}`, 422, `{"errors":[{"location":"query.action","message":"expected one of upsert, patch","value":"Patch"}]}`, nil},
		{"GET", "/v1/search/films/autocomplete?q=", "", 200, `{"query":""}`, nil},
		{"GET", "/v1/search/films/autocomplete?q=a&q=b", "", 422, `{"errors":[{"location":"query.q"}]}`, nil},
		{"GET", "/v1/index?filter=&filter", "", 422, `{"errors":[{"location":"query.filter"}]}`, nil},
		{"GET", "/v1/index?filter=%ff", "", 422, `{"code":"invalid_request","errors":[{"location":"query.filter","message":"not UTF-8","value":"�"}]}`, nil},
		{"GET", "/v1/search/films/autocomplete?q=caf%e9", "", 422, `{"errors":[{"location":"query.q","message":"not UTF-8"}]}`, nil},
		{"GET", "/health?a=1&a=2", "", 200, "", nil},
		{"GET", one, "", 200, `{"title":"Nosferatu","year":1922}`, nil}, // nothing was done
		{"PUT", one + "?%61ction=patch&", `{"title":"Vampyr"}`, 200, `{"title":"Vampyr","year":1922}`, nil},
		{"GET", one + "?", "", 200, `{"title":"Vampyr"}`, nil},
		{"GET", one + "?&&", "", 200, `{"title":"Vampyr"}`, nil},
		{"HEAD", one + "?x", "", 422, "", nil},
		{"GET", "/v1/search/films/autocomplete?query=a", "", 422, `{"errors":[{"location":"query.query"}]}`, nil},
		{"GET", one + "?x", "", 401, `{"code":"unauthorized"}`, []string{"Authorization", "Bearer x"}}, // without credentials nothing is revealed
	})
}
