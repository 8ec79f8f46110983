package store_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
)

// A search that waits for a table while it is exchanged finds what was written in the meantime: its snapshot is taken after that.
func TestSearchesWaitBeforeTheirSnapshot(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name", "kind keyword")
	s.put(t, "docs", "a", `{"title":"first","kind":"k"}`)
	// In quotes, so that nothing is looked up in the vocabulary. Then the number of documents with the words is known, and every connection has its
	// statements prepared: none waits before it has begun.
	var wait sync.WaitGroup
	for i := range 31 {
		query := []byte(`"first"`)
		for j := range 5 {
			query[1+j] -= byte(i>>j&1) * ('a' - 'A') // identical searches are answered from memory
		}
		wait.Go(func() { s.search(t, "docs", forWords(string(query))) })
	}
	wait.Wait()
	for _, options := range [][]func(*service.SearchRequest){
		{forWords(`"FIRST"`)}, {forWords(`"first"`), filtered("kind = k")}, {forWords("fir")}, {},
	} {
		s.put(t, "docs", "b", `{}`)
		conn, err := pgx.Connect(t.Context(), s.db.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(t.Context()) }()
		exec := func(sql string) {
			t.Helper()
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		exec(`BEGIN; LOCK TABLE app_demo.docs IN ACCESS EXCLUSIVE MODE`)
		found := make(chan string)
		go func() { found <- s.found(t, "docs", options...) }()
		for waiting := false; !waiting; time.Sleep(time.Millisecond) {
			if err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'app_demo.docs'::regclass AND NOT granted)`).Scan(&waiting); err != nil {
				t.Fatal(err)
			}
		}
		exec(`UPDATE app_demo.docs SET _body = '{"title":"first","kind":"k"}' WHERE _id = 'b'; COMMIT`)
		if got := <-found; got != "a b" {
			t.Errorf("found %q", got)
		}
	}
}

// Clients that may only search what the filter of a defined search, or of a key, admits get no suggestions from other documents.
func TestNoSuggestionsOfFilteredSearches(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "plans", "title completion", "public bool")
	s.put(t, "plans", "1", `{"title":"secret plan","public":false}`, "2", `{"title":"second plan","public":true}`)
	for filter, want := range map[string]int{`"public = true"`: 0, `{"public":true}`: 0, `""`: 2, `{}`: 2, ``: 2} {
		def := service.SearchDefinition{Name: "published", Index: "plans"}
		if filter != "" {
			def.Filter = json.RawMessage(filter)
		}
		if _, err := s.svc.PutSearch(t.Context(), "demo", def); err != nil {
			t.Fatal(err)
		}
		got, err := s.svc.Suggest(t.Context(), demo, "published", "sec")
		if err != nil || len(got.Autocomplete) != want {
			t.Errorf("filter %s: %q, %v", filter, got.Autocomplete, err)
		}
		if got := s.search(t, "published", forWords("sec")).Autocomplete; len(got) != want {
			t.Errorf("filter %s: %q with hits", filter, got)
		}
	}
	limited := demo
	limited.Filter = "public = true"
	got, err := s.svc.Suggest(t.Context(), limited, "plans", "sec")
	if err != nil || len(got.Autocomplete) > 0 {
		t.Errorf("a key with a filter: %q, %v", got.Autocomplete, err)
	}
	found, err := s.svc.Search(t.Context(), limited, "plans", service.SearchRequest{Query: "sec"})
	if err != nil || len(found.Autocomplete) > 0 || found.Total != 1 {
		t.Errorf("a key with a filter: %q with %d hits, %v", found.Autocomplete, found.Total, err)
	}
}
