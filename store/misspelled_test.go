package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// A rare word that there is comes before the common word that it might be a misspelling of, whatever else the query has; one of 50
// documents stands for no other.
func TestRareWordsComeFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "works", "title sentence", "artist name", "medium text")
	s.many(t, "works", 2000, func(i int) string {
		switch {
		case i < 5:
			return `{"title":"Coast","artist":"John Piper","medium":"Oil on canvas"}`
		case i < 8:
			return `{"title":"Brighton","medium":"Graphite on paper"}`
		}
		return fmt.Sprintf(`{"title":"Sheet","artist":"A %d","medium":"Graphite on paper"}`, i%9)
	})
	s.put(t, "works", "real", `{"title":"Parade","artist":"John Piper","place":"Brighton","medium":"Oil"}`)
	settle := func() {
		t.Helper()
		if err := s.Settle(t.Context(), s.current(t, "works")); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	first := func(query string) (string, int64) {
		t.Helper()
		found, err := s.svc.Search(t.Context(), demo, "works", service.SearchRequest{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		return found.Hits[0].Document.ID, found.Total
	}
	if id, total := first("piper brighton "); id != "real" || total != 4 {
		t.Errorf("piper brighton: %s comes first of %d documents, want real of 4", id, total)
	}
	if id, total := first("papir brighton "); id == "real" || total != 4 {
		t.Errorf("papir brighton: %s comes first of %d documents, want one on paper of 4", id, total)
	}
	if _, total := first("piper "); total != 2001 {
		t.Errorf("piper, of 6 documents, finds %d, want those on paper, too", total)
	}
	for i := range 60 {
		s.put(t, "works", fmt.Sprint("other", i), `{"title":"Coast","artist":"John Piper","medium":"Oil on canvas"}`)
	}
	settle()
	if _, total := first("piper "); total != 66 {
		t.Errorf("piper, of 66 documents, finds %d", total)
	}
}

// Vocabularies know words as they are written. A word that documents have in another form is known all the same.
func TestOtherFormsAreNoMisspellings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title sentence", "director name")
	s.put(t, "films", "plane", `{"title":"The paper plane"}`)
	s.put(t, "films", "plans", `{"title":"Plans and a planet"}`)
	s.put(t, "films", "palmer", `{"title":"Palms","director":"Arnold Palmer"}`)
	settle := func() {
		t.Helper()
		if err := s.Settle(t.Context(), s.current(t, "films")); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	find := func(query string, want ...string) {
		t.Helper()
		for _, match := range []service.Match{service.MatchAll, service.MatchAny} {
			found, err := s.svc.Search(t.Context(), demo, "films", service.SearchRequest{Query: query, Match: match})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, found.IDs); diff != "" {
				t.Errorf("%q, match %s (-want +got):\n%s", query, match, diff)
			}
		}
	}
	find("planes ", "plane")
	find("planes", "plane") // which planets begin with but for an error
	find("palmers ", "palmer")
	find("plamer ", "palmer")
	for i := range 25 {
		s.put(t, "films", fmt.Sprint("planet", i), `{"title":"Planet"}`)
	}
	settle()
	if found, err := s.svc.Search(t.Context(), demo, "films", service.SearchRequest{Query: "planes "}); err != nil || found.Total != 27 || found.IDs[0] != "plane" {
		t.Errorf("planes, of one document, finds %d, first %v; want those of planet, too: %v", found.Total, found.IDs[:1], err)
	}
}
