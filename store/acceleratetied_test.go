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

// Many documents that differ in their ids at most come in the order of these, on every page, and not all of them are ranked.
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
					for range 4 {
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
	for range 10 { // otherwise ids would correlate with numbers
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

// Documents with the same score for different words with one prefix either form more classes than can be distinguished, or are distinguished by these
// words and the lengths of the titles that have them.
func TestManyTiedDocumentsOfDifferentWords(t *testing.T) {
	t.Parallel()
	st, checked, svc := newChecked(t, 6, 15, 20)
	const short, long = `{"title":"lane%d","text":"street of trees"}`, `{"title":"street lane%d","text":"of trees"}`
	for index, words := range map[string]int{"streets": 400, "lanes": 120} {
		if err := svc.CreateIndex(t.Context(), "demo", index, []mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "text", Type: mapping.LongText}}); err != nil {
			t.Fatal(err)
		}
		var actions []string
		add := func(body string, word int) {
			actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":%s}`, len(actions)*37%500, fmt.Sprintf(body, word)))
		}
		for word := range words { // in fewer documents each than have postings
			add(long, word)
			if word < 12 {
				add(short, word) // scores higher
			}
		}
		if _, err := svc.WriteBatch(t.Context(), "demo", index, []byte("["+strings.Join(actions, ",")+"]")); err != nil {
			t.Fatal(err)
		}
		if err := buildPostingsOf(t.Context(), st, index, 100); err != nil {
			t.Fatal(err)
		}
		before := checked.accelerated.Load()
		for _, q := range []string{"lan", "lane", "street lane", "lane1"} {
			for req := (service.SearchRequest{Query: q, Match: service.MatchAll, PerPage: new(30)}); ; {
				resp, err := svc.Search(t.Context(), demo, index, req)
				if err != nil {
					t.Fatal(err)
				}
				if req.Cursor = resp.Cursor; req.Cursor == "" {
					break
				}
			}
		}
		if checked.accelerated.Load() == before {
			t.Errorf("%s: nothing was answered from postings", index)
		}
	}
}
