package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// Where many documents have the same value, or none, a page sorted by it is found by the rest of the order among these: by boosts and ids, by score,
// or by the next field.
func TestTiesInTheOrderOfValues(t *testing.T) {
	t.Parallel()
	_, checked, svc := newAccelerated(t)
	for _, of := range []struct{ query, sorts string }{
		{"", "brand|-sold|sold|price|-year|-made|artist|-artist|note|-note|author|-author|cost|-cost"},
		{"", "sold,-made|-sold,made,title|brand,_id|-brand,-_id|author,sold"},
		{"river ", "brand|-sold|-year|-artist|note|author|-author|sold,-made|-brand,_score|author,-_id|sold,brand,year"},
		{"stone OR house ", "-sold|artist,-year"},
		{`"river stone" OR tree `, "-sold|author"},
	} {
		for sort := range strings.SplitSeq(of.sorts, "|") {
			before, pages := checked.accelerated.Load(), int64(0)
			size := 37
			req := service.SearchRequest{Query: of.query, Sort: &sort, PerPage: &size, Match: service.MatchAll}
			if strings.Contains(of.query, "house") {
				req.Match = service.MatchAny
			}
			seen := map[string]bool{}
			for {
				resp, err := svc.Search(t.Context(), service.Principal{Application: "demo"}, "things", req)
				if err != nil {
					t.Fatal(err)
				}
				pages++
				for _, h := range resp.Hits {
					if seen[h.ID] {
						t.Errorf("%s%s: %s is on two pages", of.query, sort, h.ID)
					}
					seen[h.ID] = true
				}
				if resp.Cursor == "" {
					if int64(len(seen)) != resp.Total {
						t.Errorf("%s%s: %d of %d documents are on a page", of.query, sort, len(seen), resp.Total)
					}
					break
				}
				req.Cursor = resp.Cursor
			}
			// Bounds on the scores of phrases are too rough to prove every page.
			if n := checked.accelerated.Load() - before; n != pages && !(strings.Contains(of.query, `"`) && n > 0) {
				t.Errorf("%s%s: %d of %d pages were answered from postings", of.query, sort, n, pages)
			}
		}
	}
}

// If no hits are requested, postings count the matches for any order, even one that only the statement knows.
func TestCountsHaveNoOrder(t *testing.T) {
	t.Parallel()
	_, checked, svc := newAccelerated(t)
	for _, match := range []service.Match{service.MatchAll, service.MatchAny, service.MatchAuto} {
		for _, sort := range []string{"-_score", "unmapped", "-_score,title", "_id"} {
			before := checked.accelerated.Load()
			req := service.SearchRequest{Query: "river stone ", Match: match, Sort: &sort, PerPage: new(0), Facets: service.FacetsInput{Names: []string{"brand"}}}
			resp, err := svc.Search(t.Context(), service.Principal{Application: "demo"}, "things", req)
			if err != nil {
				t.Fatal(err)
			}
			if n := checked.accelerated.Load() - before; n != 1 || resp.Total == 0 || len(resp.Facets["brand"]) == 0 {
				t.Errorf("%s, sort %q: %d documents with %d brands, of %d answers from postings", match, sort, resp.Total, len(resp.Facets["brand"]), n)
			}
		}
	}
}

// A first page may reach the documents that have no value.
func TestFirstPagesOfDocumentsWithoutValues(t *testing.T) {
	t.Parallel()
	_, checked, svc := newAccelerated(t)
	size := 20
	for _, sort := range []string{"author", "-author", "author,sold", "-author,_id"} {
		before := checked.accelerated.Load()
		req := service.SearchRequest{Sort: &sort, PerPage: &size}
		req.Filter.Raw = []byte(`"NOT author <= w"`)
		resp, err := svc.Search(t.Context(), demo, "things", req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Total <= int64(size) || checked.accelerated.Load() == before {
			t.Errorf("%s: of %d documents the first were not found from postings", sort, resp.Total)
		}
	}
}

// A walk can continue from a number with more digits than blocks distinguish.
func TestWalkAmongNumbersOfManyDigits(t *testing.T) {
	t.Parallel()
	st, checked, svc := newChecked(t, 6, 15, 40)
	if err := svc.CreateIndex(t.Context(), "demo", "things", []mapping.Mapping{{Name: "cost", Type: mapping.Price}}); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for i := range 200 {
		cost := fmt.Sprint(i)
		if i%8 == 0 {
			cost = []string{"12.5", "12.500000000000000001", "12.499999999999999999"}[i%3]
		}
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"cost":%s}}`, i, cost))
	}
	if _, err := svc.WriteBatch(t.Context(), "demo", "things", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
		t.Fatal(err)
	}
	if err := buildPostings(t.Context(), st, 100); err != nil {
		t.Fatal(err)
	}
	for _, sort := range []string{"cost", "-cost"} {
		before, pages := checked.accelerated.Load(), int64(0)
		for req := (service.SearchRequest{Sort: &sort, PerPage: new(9)}); pages == 0 || req.Cursor != ""; pages++ {
			resp, err := svc.Search(t.Context(), demo, "things", req)
			if err != nil {
				t.Fatal(err)
			}
			req.Cursor = resp.Cursor
		}
		if n := checked.accelerated.Load() - before; n != pages {
			t.Errorf("%s: %d of %d pages were answered from postings", sort, n, pages)
		}
	}
}

// Without a query, best first is the order of boosts, as without a sort; before other keys it has no effect.
func TestScoresOrderNothingWithoutAQuery(t *testing.T) {
	t.Parallel()
	_, _, svc := newAccelerated(t)
	size := 100
	ids := func(sort string) []string {
		resp, err := svc.Search(t.Context(), service.Principal{Application: "demo"}, "things", service.SearchRequest{Sort: &sort, PerPage: &size})
		if err != nil {
			t.Fatal(err)
		}
		return resp.IDs
	}
	for sort, like := range map[string]string{"_score": "", "_score,-price": "-price", "-_score,-price": "-price", "_score,-_id": "-_id", "-price,_score": "-price"} {
		if diff := cmp.Diff(ids(like), ids(sort)); diff != "" {
			t.Errorf("sort %q, like %q: (-want +got)\n%s", sort, like, diff)
		}
	}
	if cmp.Equal(ids(""), ids("_id")) {
		t.Error("the order of boosts is that of ids")
	}
}
