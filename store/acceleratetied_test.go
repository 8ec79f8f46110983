package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// Many documents that differ by their ids at the most come in the order of these, on every page, and are not all ranked.
func TestManyTiedDocuments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := newChecked(t, 6, 15, 20)
	st.SizeBlocks(192)
	if err := svc.CreateIndex(ctx, "demo", "streets", []mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "note", Type: mapping.Text}, {Name: "town", Type: mapping.Keyword}}); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	batch := func(n int, boosts ...string) {
		t.Helper()
		var actions []string
		for range n {
			title := fmt.Sprintf("%s %s", acceleratedWords[r.IntN(12)], []string{"street", "street", "street", "lane", "street street"}[r.IntN(5)])
			note := []string{"", "", "", "a street"}[r.IntN(4)]
			boost := boosts[r.IntN(len(boosts))]
			actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"title":%q,"note":%q,"town":"%d","boost":%s}}`, r.IntN(1e6), title, note, r.IntN(3), boost))
		}
		if _, err := svc.WriteBatch(ctx, "demo", "streets", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
			t.Fatal(err)
		}
	}
	build := func() {
		t.Helper()
		if err := buildPostingsOf(ctx, st, "streets", 100); err != nil {
			t.Fatal(err)
		}
	}
	walk := func(name string, least int64) {
		t.Helper()
		before := checked.accelerated.Load()
		for _, q := range []string{"street ", "street OR lane ", "street -lane ", "river street ", "river OR street ", `street "river" `} {
			for _, match := range []service.Match{service.MatchAll, service.MatchAny, service.MatchAuto} {
				for _, raw := range []string{"", `"town = 1"`} {
					req := service.SearchRequest{Query: q, Match: match, PerPage: new(7), Facets: service.FacetsInput{Names: []string{"town"}}}
					if raw != "" {
						req.Filter.Raw = []byte(raw)
					}
					for _, page := range []int{1, 5} {
						req.Page = &page
						if _, err := svc.Search(ctx, demo, "streets", req); err != nil {
							t.Fatal(err)
						}
					}
					req.Page = nil
					for range 6 {
						resp, err := svc.Search(ctx, demo, "streets", req)
						if err != nil {
							t.Fatal(err)
						}
						if req.Cursor = resp.Cursor; req.Cursor == "" {
							break
						}
					}
				}
			}
		}
		n := checked.accelerated.Load() - before
		if n < least {
			t.Errorf("%s: %d pages were answered from postings, want %d at least", name, n, least)
		}
	}
	for range 10 { // or ids would go with numbers
		batch(60, "1")
	}
	build()
	walk("all as their blocks have them", 150)
	batch(40, "1")
	walk("some changed", 100)
	batch(200, "1", "2.5")
	build()
	walk("boosts", 150)
	// In single precision these are 1.
	batch(20, "1.00000001")
	build()
	walk("boosts that blocks do not tell apart", 0)
}

// Documents that have the same score, each for a word of its own, are too many to be told apart by these.
func TestManyTiedDocumentsOfDifferentWords(t *testing.T) {
	t.Parallel()
	st, checked, svc := newChecked(t, 6, 15, 20)
	if err := svc.CreateIndex(t.Context(), "demo", "streets", []mapping.Mapping{{Name: "title", Type: mapping.Sentence}}); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for i := range 400 {
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"title":"street lane%d"}}`, i*37%400, i))
	}
	if _, err := svc.WriteBatch(t.Context(), "demo", "streets", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
		t.Fatal(err)
	}
	if err := buildPostingsOf(t.Context(), st, "streets", 100); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"lan", "lane", "street lane", "lane1"} {
		for req := (service.SearchRequest{Query: q, Match: service.MatchAll, PerPage: new(70)}); ; {
			resp, err := svc.Search(t.Context(), demo, "streets", req)
			if err != nil {
				t.Fatal(err)
			}
			if req.Cursor = resp.Cursor; req.Cursor == "" {
				break
			}
		}
	}
	if checked.accelerated.Load() == 0 {
		t.Error("nothing was answered from postings")
	}
}
