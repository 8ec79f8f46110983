package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// servers returns two servers on one database, of which the second remembers the index docs as it was created.
func servers(t *testing.T, fields ...string) (a, b *site) {
	t.Helper()
	a = newSite(t)
	b = join(t, a.db)
	a.create(t, "docs", fields...)
	b.put(t, "docs", "0", `{"n":0}`)
	b.found(t, "docs")
	return a, b
}

// What an index was is no reason to reject what fits it as it is, and does not cause a PostgreSQL error.
func TestServersRefuseByWhatIsThereNow(t *testing.T) {
	t.Parallel()
	t.Run("filter", func(t *testing.T) {
		t.Parallel()
		a, b := servers(t, "n int")
		a.update(t, "docs", false, "n keyword")
		if got := b.found(t, "docs", filtered("n = red")); got != "" {
			t.Errorf("found %q", got)
		}
	})
	t.Run("filter that has another type in PostgreSQL", func(t *testing.T) {
		t.Parallel()
		a, b := servers(t, "n int")
		a.update(t, "docs", false, "n keyword")
		if got := b.found(t, "docs", filtered(`n = 0`)); got != "0" {
			t.Errorf("found %q", got)
		}
	})
	t.Run("sort and facet", func(t *testing.T) {
		t.Parallel()
		a, b := servers(t, "n int", "t text")
		a.update(t, "docs", false, "n keyword")
		if got := facet(t, b.search(t, "docs", sortedBy("n"), withFacets("n")), "n"); got != `"0"=1` {
			t.Errorf("facet %s", got)
		}
	})
	t.Run("facet of what was a long text", func(t *testing.T) {
		t.Parallel()
		a, b := servers(t, "t long_text")
		a.update(t, "docs", false, "t text")
		b.search(t, "docs", withFacets("t"))
	})
	t.Run("document", func(t *testing.T) {
		t.Parallel()
		a, b := servers(t, "n int")
		a.update(t, "docs", false, "n keyword")
		if _, err := b.svc.UpsertDocument(t.Context(), "demo", "docs", "1", []byte(`{"n":"red"}`)); err != nil {
			t.Error(err)
		}
	})
	t.Run("batch", func(t *testing.T) {
		t.Parallel()
		a, b := servers(t, "n int")
		a.update(t, "docs", false, "n keyword")
		b.put(t, "docs", "1", `{"n":"red"}`)
	})
	t.Run("merge patch", func(t *testing.T) {
		t.Parallel()
		a, b := servers(t, "n int")
		a.update(t, "docs", false, "n keyword")
		if _, err := b.svc.PatchDocument(t.Context(), "demo", "docs", "0", []byte(`{"n":"red"}`), true); err != nil {
			t.Error(err)
		}
	})
	t.Run("index that was deleted", func(t *testing.T) {
		t.Parallel()
		a, b := servers(t, "n int")
		if err := a.svc.DeleteIndex(t.Context(), "demo", "docs"); err != nil {
			t.Fatal(err)
		}
		if _, err := b.svc.UpsertDocument(t.Context(), "demo", "docs", "1", []byte(`{"n":"red"}`)); service.ErrorCode(err) != service.CodeIndexNotFound {
			t.Errorf("error %v", err)
		}
	})
	t.Run("what does not fit what is there now", func(t *testing.T) {
		t.Parallel()
		a, b := servers(t, "n int")
		a.update(t, "docs", false, "n float")
		_, err := b.svc.UpsertDocument(t.Context(), "demo", "docs", "1", []byte(`{"n":"red"}`))
		if e, ok := errors.AsType[*service.Error](err); !ok || len(e.Fields) != 1 || !strings.Contains(e.Fields[0].Message, "float") {
			t.Errorf("error %v", err)
		}
	})
}

// An index that is cleared keeps the mappings that another server has given it.
func TestClearKeepsMappingsOfOthers(t *testing.T) {
	t.Parallel()
	a, b := servers(t, "n int", "t text")
	a.update(t, "docs", false, "n long", "t keyword")
	if err := b.svc.ClearIndex(t.Context(), "demo", "docs"); err != nil {
		t.Fatal(err)
	}
	a.put(t, "docs", "1", `{"n":9999999999,"t":"Red House"}`)
	for _, server := range []*site{a, b} {
		if got := server.found(t, "docs", filtered(`n = 9999999999 AND t = "red house"`)); got != "1" {
			t.Errorf("found %q", got)
		}
	}
}

// Suggestions come from what a search refers to now, on every server.
func TestSuggestionsFollowServers(t *testing.T) {
	t.Parallel()
	a := newSite(t)
	b := join(t, a.db)
	a.create(t, "one", "t completion")
	a.create(t, "two", "t completion")
	a.create(t, "bare", "t name")
	a.put(t, "one", "1", `{"t":"Alpha one"}`)
	a.put(t, "two", "1", `{"t":"Alpha two"}`)
	a.put(t, "bare", "1", `{"t":"Alpha three"}`)
	define := func(def service.SearchDefinition) {
		t.Helper()
		def.Name = "sug"
		if _, err := a.svc.PutSearch(t.Context(), "demo", def); err != nil {
			t.Fatal(err)
		}
	}
	suggested := func(want string) {
		t.Helper()
		got, err := b.svc.Suggest(t.Context(), demo, "sug", "al")
		if err != nil || strings.Join(got.Autocomplete, ", ") != want {
			t.Errorf("suggests %q, want %q (%v)", got.Autocomplete, want, err)
		}
	}
	define(service.SearchDefinition{Index: "one"})
	suggested("Alpha one")
	define(service.SearchDefinition{Index: "two"})
	suggested("Alpha two")
	define(service.SearchDefinition{Index: "bare"})
	suggested("")
	a.update(t, "bare", false, "t completion")
	suggested("Alpha three")
	define(service.SearchDefinition{Index: "one", Filter: []byte(`"_id = 7"`)})
	suggested("")
	define(service.SearchDefinition{Index: "one"})
	suggested("Alpha one")
	if err := a.svc.DeleteSearch(t.Context(), "demo", "sug"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.svc.Suggest(t.Context(), demo, "sug", "al"); service.ErrorCode(err) != service.CodeSearchNotFound {
		t.Errorf("error %v", err)
	}
}

// A misspelled query is completed from what documents have now, whichever server has written them and whatever is remembered about the words.
func TestSuggestionsOfMisspelledWordsFollowServers(t *testing.T) {
	t.Parallel()
	a := newSite(t)
	b := join(t, a.db)
	a.create(t, "films", "title completion")
	ix := a.current(t, "films")
	settle := func() {
		t.Helper()
		if err := a.Settle(t.Context(), ix); err != nil {
			t.Fatal(err)
		}
	}
	suggested := func(want string) {
		t.Helper()
		got, err := b.svc.Suggest(t.Context(), demo, "films", "kurosavva")
		if err != nil || strings.Join(got.Autocomplete, ", ") != want {
			t.Errorf("suggests %q, want %q (%v)", got.Autocomplete, want, err)
		}
	}
	a.put(t, "films", "1", `{"title":"Seven Samurai"}`)
	settle()
	suggested("")
	suggested("")
	a.put(t, "films", "2", `{"title":"Kurosawa"}`)
	suggested("Kurosawa")
	settle()
	suggested("Kurosawa")
	suggested("Kurosawa")
	a.put(t, "films", "3", `{"title":"Kurosavva"}`)
	suggested("Kurosavva")
}
