package store_test

import (
	"testing"

	"github.com/rowansearch/rowan/service"
)

// British and American spellings find each other, however many documents have each, in texts and names, and documents with the spelling of the query
// come first.
func TestBritishAndAmericanSpellings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title sentence", "maker name")
	s.put(t, "things", "uk", `{"title":"the behaviour of generalised models"}`, "us", `{"title":"the behavior of generalized models"}`,
		"gray", `{"maker":"Gray Theater"}`, "grey", `{"maker":"Grey Theatre"}`)
	s.put(t, "things", "organised", `{"title":"organised events"}`, "organized", `{"title":"organized events"}`, "organ", `{"title":"organ organs organ events"}`)
	check := func(when string) {
		t.Helper()
		for query, want := range map[string]string{
			"behaviour models ":               "uk us",
			"behavior models ":                "us uk",
			"models behaviour":                "uk us",
			"generalised models ":             "uk us",
			"models of analyze ":              "",
			"organised events ":               "organised organ organized", // the other two have the stem of organ
			"grey-theatre ":                   "grey gray",
			"behavior-of-generalized models ": "us uk",
			`"grey-theatre" `:                 "grey",
			"grey theatre ":                   "grey gray",
			"gray theater ":                   "gray grey",
			`"behaviour of" models `:          "uk",
			"models -behaviour -grey":         "us",
		} {
			if got := s.found(t, "things", forWords(query), matching(service.MatchAll)); got != want {
				t.Errorf("%s, %q finds %q, want %q", when, query, got, want)
			}
		}
	}
	check("just written")
	s.many(t, "things", 240, func(i int) string {
		return []string{`{"title":"behaviour and generalised"}`, `{"title":"behavior and generalized"}`, `{"maker":"Grey"}`, `{"maker":"Theater"}`}[i%4]
	})
	if err := s.Settle(t.Context(), s.current(t, "things")); err != nil {
		t.Fatal(err)
	}
	check("in the vocabulary")
	s.buildPostings(t)
	check("with postings")
	strict := false
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "things", TypoTolerance: &strict}); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "strict", forWords("behaviour models "), matching(service.MatchAll)); got != "uk" {
		t.Errorf("without tolerance %q is found", got)
	}
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "things", []byte(`{"language":"simple"}`), true); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "things", forWords("behaviour models "), matching(service.MatchAll)); got != "uk" {
		t.Errorf("in another language %q is found", got)
	}
}
