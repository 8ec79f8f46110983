package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// Paths and order numbers begin alike though each is in one document: prefixes of them are answered from postings, as by the plain statement.
func TestBeginningsOfValuesOfTheirOwn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, checked, svc := newChecked(t, 6, 15, 40)
	err := svc.CreateIndex(ctx, "demo", "things", []mapping.Mapping{{Name: "path", Type: mapping.Path}, {Name: "number", Type: mapping.Identifier}, {Name: "brand", Type: mapping.Keyword}})
	if err != nil {
		t.Fatal(err)
	}
	var actions []string
	for i := range 300 {
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"path":"/home/u%03d/file %03d","number":"ORD%05d","brand":"b%d","boost":%g}}`, i, i, i, i, i%3, 1+float64(i)/100))
	}
	if _, err := svc.WriteBatch(ctx, "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
		t.Fatal(err)
	}
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	facets := "brand"
	for query, want := range map[string]int64{"/hom": 300, "/home/u1": 100, "ord": 300, "ORD001": 100, "ord0029": 10} {
		for _, page := range []int{1, 3} {
			before := checked.accelerated.Load()
			req := service.SearchRequest{Query: query, Page: &page}
			req.Facets.Expression = &facets
			found, err := svc.Search(ctx, demo, "things", req)
			if err != nil || found.Total != want {
				t.Errorf("%s finds %d things, want %d; %v", query, found.Total, want, err)
			}
			if checked.accelerated.Load() == before {
				t.Errorf("page %d of %s was not answered from postings", page, query)
			}
		}
	}
}

// A title of a part of the query's word is not named by the query: after a cursor, no document may be left out because its bound says that it is.
func TestPartsNameNoTitles(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, checked, svc := newChecked(t, 6, 15, 40)
	if err := svc.CreateIndex(ctx, "demo", "things", []mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "text", Type: mapping.Text}}); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for i := range 60 {
		title := []string{"cable", "black cable house"}[i%2]
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%02d","body":{"title":%q,"text":%q}}`, i, title, strings.Repeat("cable ", i%9)+strings.Repeat("word ", i%7)))
	}
	actions = append(actions, `{"action":"upsert","_id":"rare","body":{"title":"usb","text":"usb cable"}}`)
	if _, err := svc.WriteBatch(ctx, "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
		t.Fatal(err)
	}
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	size := 5
	req := service.SearchRequest{Query: "usb-cable ", Match: service.MatchAny, PerPage: &size}
	for {
		resp, err := svc.Search(ctx, demo, "things", req)
		if err != nil {
			t.Fatal(err)
		}
		if req.Cursor = resp.Cursor; resp.Cursor == "" {
			break
		}
	}
	if checked.accelerated.Load() == 0 {
		t.Error("no search was answered from postings")
	}
}

// What several facets collect counts together, because all of it is kept until the answer is complete.
func TestValuesOfFacetsAreLimited(t *testing.T) {
	t.Parallel()
	st, checked, svc := newChecked(t, 6, 15, 40)
	if err := svc.CreateIndex(t.Context(), "demo", "things", []mapping.Mapping{{Name: "title", Type: mapping.Text}, {Name: "at", Type: mapping.Long}, {Name: "cost", Type: mapping.Price}, {Name: "brand", Type: mapping.Keyword}, {Name: "tags", Type: mapping.Tags}}); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for i := range 320 {
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"title":"river","at":%d,"cost":%d,"brand":"b%d","tags":["t%d"]}}`, i, i, 1000-i, i/4, i/5))
	}
	if _, err := svc.WriteBatch(t.Context(), "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
		t.Fatal(err)
	}
	if err := buildPostings(t.Context(), st, 100); err != nil {
		t.Fatal(err)
	}
	st.CountFacets(400, 100)
	for facets, want := range map[string]bool{"at": true, "cost": true, "at, cost": false, "brand": true, "tags": true, "brand, tags": false, "brand, at": true} {
		before := checked.accelerated.Load()
		req := service.SearchRequest{Query: "river "}
		req.Facets.Expression = &facets
		if _, err := svc.Search(t.Context(), demo, "things", req); err != nil {
			t.Fatal(err)
		}
		if accelerated := checked.accelerated.Load() > before; accelerated != want {
			t.Errorf("facets %s are counted from postings: %t, want %t", facets, accelerated, want)
		}
	}
}
