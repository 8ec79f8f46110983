package store_test

import (
	"testing"

	"github.com/rowansearch/rowan/store"
)

// How rare words are follows an index that is written anew, though it has as many documents as before: a count is used
// for its life, and not longer for being asked for all the time.
func TestRaritiesFollowRewrittenDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "books", "title name")
	rarity := func(s *site) float64 {
		t.Helper()
		req := ask(forWords("covid "))
		req.Explain = true
		resp, err := s.svc.Search(t.Context(), demo, "books", req)
		if err != nil {
			t.Fatal(err)
		}
		if len(resp.Hits) == 0 {
			return -1
		}
		return resp.Hits[0].Explanation.Words[0].Rarity
	}
	s.many(t, "books", 100, func(int) string { return `{"title":"plain"}` })
	s.put(t, "books", "covid", `{"title":"covid"}`)
	rare := rarity(s)
	s.many(t, "books", 100, func(int) string { return `{"title":"covid"}` })
	for range 2 {
		rarity(s)
		s.AgeStatistics(store.TermLife / 2)
	}
	// A server that starts later has nothing to remember.
	if got, want := rarity(s), rarity(join(t, s.db)); got != want || got >= rare {
		t.Errorf("the rarity was %v and is %v; on a server that started later it is %v", rare, got, want)
	}
}
