package store_test

import (
	"encoding/json"
	"testing"
)

// Versions of the catalog are never reused: a change that a failover loses is not mistaken for the one that comes after.
func TestVersionsAreNotGivenTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence")
	s.put(t, "things", "1", `{"title":"river"}`)
	other := join(t, s.db)
	s.exec(t, "CREATE TABLE public.was AS SELECT (SELECT version FROM rowan.applications) AS application, version AS index FROM rowan.indices")
	set := func(s *site, words string) {
		t.Helper()
		if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "things", json.RawMessage(`{"stop_words":[`+words+`]}`), true); err != nil {
			t.Fatal(err)
		}
	}
	set(s, `"bridge"`)
	if n := s.search(t, "things", forWords("river ")).Total; n != 1 {
		t.Fatalf("%d documents are found, want 1", n)
	}
	s.exec(t, "UPDATE rowan.applications SET version = was.application FROM public.was; UPDATE rowan.indices SET version = was.index, stop_words = '{}' FROM public.was")
	set(other, `"river"`)
	if n := s.search(t, "things", forWords("river ")).Total; n != 0 {
		t.Errorf("%d documents are found for what is a stop word now", n)
	}
}
