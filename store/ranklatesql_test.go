package store_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// Pages in an order other than by score only rank the hits that they may show: all pages together, by number and by cursor, are the whole list, and
// each hit has the same score as in any order.
func TestPagesThatAreRankedLate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if err := s.svc.CreateIndex(t.Context(), "demo", "things", acceleratedMappings); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 3))
	for range 3 {
		if _, err := s.svc.WriteBatch(t.Context(), "demo", "things", someBatch(r, 60)); err != nil {
			t.Fatal(err)
		}
	}
	all := func(r *service.SearchRequest) { r.Match = service.MatchAll }
	for range 15 {
		words := forWords(someWords(r, 1+r.IntN(2)) + " ")
		by := sortedBy([]string{"brand", "-brand,year", "sold", "-sold", "tags", "-price", "shelf", "title,-_score", "-weight,_id", "_id", "-_id", "rest", "-made,author"}[r.IntN(13)])
		scores := map[string]float64{}
		byScore := s.search(t, "things", words, all)
		for i, id := range byScore.IDs {
			scores[id] = byScore.Hits[i].Score
		}
		whole := s.search(t, "things", words, all, by)
		if want, got := slices.Sorted(slices.Values(byScore.IDs)), slices.Sorted(slices.Values(whole.IDs)); !slices.Equal(want, got) {
			t.Fatalf("%q by %s: %v, by score %v", whole.Query, whole.Sort, got, want)
		}
		size := 1 + r.IntN(9)
		var byPage, byCursor []string
		check := func(resp *service.SearchResponse) []string {
			for i, id := range resp.IDs {
				if resp.Hits[i].Score != scores[id] {
					t.Errorf("%q by %s: %s has the score %v, by score %v", resp.Query, resp.Sort, id, resp.Hits[i].Score, scores[id])
				}
			}
			if resp.Total != int64(len(whole.IDs)) || resp.TotalAllWords != resp.Total {
				t.Errorf("%q by %s: %d, %d with all words, want %d", resp.Query, resp.Sort, resp.Total, resp.TotalAllWords, len(whole.IDs))
			}
			return resp.IDs
		}
		for page := 1; page == 1 || (page-1)*size < len(whole.IDs); page++ {
			byPage = append(byPage, check(s.search(t, "things", words, all, by, func(r *service.SearchRequest) { r.Page, r.PerPage = &page, &size }))...)
		}
		for cursor, more := "", true; more; more = cursor != "" {
			resp := s.search(t, "things", words, all, by, func(r *service.SearchRequest) { r.Cursor, r.PerPage = cursor, &size })
			byCursor, cursor = append(byCursor, check(resp)...), resp.Cursor
		}
		for way, got := range map[string][]string{"page": byPage, "cursor": byCursor} {
			if diff := cmp.Diff(strings.Join(whole.IDs, " "), strings.Join(got, " ")); diff != "" {
				t.Errorf("%q by %s, %d at once, by %s: (-whole +pages)\n%s", whole.Query, whole.Sort, size, way, diff)
			}
		}
	}
}
