package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// site is an application without indices on a database of its own, used through the service.
type site struct {
	*store.Store
	db  *storetest.DB
	svc *service.Service
}

// demo is the client of searches.
var demo = service.Principal{Application: "demo"}

func newSite(t *testing.T) *site {
	t.Helper()
	db := storetest.New(t)
	return siteWith(t, db, storeConfig(db))
}

// patient returns a service that never refuses a request for having waited: tests of the store are not about how many requests may run at once, and
// on a busy machine many of them wait for more than a second.
func patient(st service.Store) *service.Service {
	return service.New(st, service.Config{Limits: service.Limits{Wait: time.Minute}})
}

// siteWith returns a site whose store has another configuration.
func siteWith(t *testing.T, db *storetest.DB, config store.Config) *site {
	t.Helper()
	st := openWith(t, config)
	if _, err := st.CreateApplication(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	return &site{Store: st, db: db, svc: patient(st)}
}

// join returns another server on the same database.
func join(t *testing.T, db *storetest.DB) *site {
	t.Helper()
	st := open(t, db)
	return &site{Store: st, db: db, svc: patient(st)}
}

// create creates an index; fields are "name type", the name up to the last space.
func (s *site) create(t *testing.T, index string, fields ...string) {
	t.Helper()
	if err := s.svc.CreateIndex(t.Context(), "demo", index, mappings(fields...)); err != nil {
		t.Fatal(err)
	}
}

func mappings(fields ...string) []mapping.Mapping {
	list := make([]mapping.Mapping, len(fields))
	for i, f := range fields {
		space := strings.LastIndexByte(f, ' ')
		list[i] = mapping.Mapping{Name: f[:space], Type: mapping.Type(f[space+1:])}
	}
	return list
}

// current returns an index as it is now.
func (s *site) current(t *testing.T, index string) *service.Index {
	t.Helper()
	ix, err := s.CurrentIndex(t.Context(), "demo", index)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// put stores documents, each given as an id and a body.
func (s *site) put(t *testing.T, index string, documents ...string) {
	t.Helper()
	var actions []map[string]any
	for i := 0; i < len(documents); i += 2 {
		actions = append(actions, map[string]any{"action": "upsert", "_id": documents[i], "body": json.RawMessage(documents[i+1])})
	}
	s.batch(t, index, actions)
}

func (s *site) batch(t *testing.T, index string, actions []map[string]any) []service.ActionResult {
	t.Helper()
	body, err := json.Marshal(actions)
	if err != nil {
		t.Fatal(err)
	}
	results, err := s.svc.WriteBatch(t.Context(), "demo", index, body)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// ask returns a request for up to 1000 hits; each option changes it.
func ask(options ...func(*service.SearchRequest)) service.SearchRequest {
	req := service.SearchRequest{PerPage: new(1000)}
	for _, option := range options {
		option(&req)
	}
	return req
}

func forWords(q string) func(*service.SearchRequest) {
	return func(r *service.SearchRequest) { r.Query = q }
}

func explained(r *service.SearchRequest) { r.Explain = true }

func sortedBy(s string) func(*service.SearchRequest) {
	return func(r *service.SearchRequest) { r.Sort = &s }
}

func withFacets(names string) func(*service.SearchRequest) {
	return func(r *service.SearchRequest) { r.Facets.Expression = &names }
}

func filtered(expression string) func(*service.SearchRequest) {
	return func(r *service.SearchRequest) {
		raw, err := json.Marshal(expression)
		if err != nil {
			panic(err)
		}
		r.Filter.Raw = raw
	}
}

func matching(m service.Match) func(*service.SearchRequest) {
	return func(r *service.SearchRequest) { r.Match = m }
}

func (s *site) search(t *testing.T, name string, options ...func(*service.SearchRequest)) *service.SearchResponse {
	t.Helper()
	resp, err := s.svc.Search(t.Context(), demo, name, ask(options...))
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// found returns the ids of the hits in order, separated by spaces.
func (s *site) found(t *testing.T, name string, options ...func(*service.SearchRequest)) string {
	t.Helper()
	return strings.Join(s.search(t, name, options...).IDs, " ")
}

// finds checks which documents each query finds, in any order: their ids, sorted, with spaces between them.
func (s *site) finds(t *testing.T, name string, queries map[string]string) {
	t.Helper()
	for query, want := range queries {
		got := strings.Fields(s.found(t, name, forWords(query)))
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// facet returns a facet as text: value=count, separated by spaces, the values as JSON.
func facet(t *testing.T, resp *service.SearchResponse, name string) string {
	t.Helper()
	var parts []string
	for _, v := range resp.Facets[name] {
		raw, ok := v.Value.(json.RawMessage)
		if !ok {
			raw = fmt.Appendf(nil, "%q", v.Value)
		}
		parts = append(parts, fmt.Sprintf("%s=%d", raw, v.Count))
	}
	return strings.Join(parts, " ")
}
