package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// Where many documents have the same value, pages in the order of values go through them by boosts and ids.
func TestTiesInTheOrderOfValues(t *testing.T) {
	t.Parallel()
	_, checked, svc := newAccelerated(t)
	for _, sort := range []string{"brand", "-sold", "sold", "price", "-year", "-made", "artist", "-artist", "note", "-note"} {
		before, pages := checked.accelerated.Load(), int64(0)
		size := 7
		req := service.SearchRequest{Sort: &sort, PerPage: &size}
		seen := map[string]bool{}
		for {
			resp, err := svc.Search(t.Context(), service.Principal{Application: "demo"}, "things", req)
			if err != nil {
				t.Fatal(err)
			}
			pages++
			for _, h := range resp.Hits {
				if seen[h.ID] {
					t.Errorf("%s: %s is on two pages", sort, h.ID)
				}
				seen[h.ID] = true
			}
			if resp.Cursor == "" {
				if int64(len(seen)) != resp.Total {
					t.Errorf("%s: %d of %d documents are on a page", sort, len(seen), resp.Total)
				}
				break
			}
			req.Cursor = resp.Cursor
		}
		if n := checked.accelerated.Load() - before; n != pages {
			t.Errorf("%s: %d of %d pages were answered from postings", sort, n, pages)
		}
	}
}

// Without a query, best first is the order of boosts, as without a sort; and before other keys it says nothing.
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
	for sort, like := range map[string]string{"_score": "", "_score,-price": "-price", "_score,-_id": "-_id"} {
		if diff := cmp.Diff(ids(like), ids(sort)); diff != "" {
			t.Errorf("sort %q, like %q: (-want +got)\n%s", sort, like, diff)
		}
	}
	if cmp.Equal(ids(""), ids("_id")) {
		t.Error("the order of boosts is that of ids")
	}
}
