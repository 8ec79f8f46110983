package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// A statement that makes no progress, such as one that waits for a slow disk, ends at the search timeout, and the server goes on. A lock stands in
// for the disk: PostgreSQL counts the wait for either.
func TestSearchesEndAtTheirLimit(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := siteWith(t, db, store.Config{URL: db.URL, SearchTimeout: 300 * time.Millisecond})
	s.create(t, "films", "title name")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	if got := s.found(t, "films", forWords("alien")); got != "1" {
		t.Fatalf("found %q", got)
	}
	tx, err := db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE app_demo.films"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.svc.Search(t.Context(), demo, "films", ask(forWords("alien"))); service.ErrorCode(err) != service.CodeSearchTimeout {
			t.Errorf("while the table cannot be read: %v", err)
		}
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "films", forWords("alien")); got != "1" {
		t.Errorf("afterwards: found %q", got)
	}
}

// Processing hits in the service counts, too: marking texts of many megabytes takes seconds.
func TestHighlightsEndAtTheLimitOfSearches(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title name")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	hasty := service.New(s.Store, service.Config{SearchTimeout: time.Nanosecond})
	_, err := hasty.Search(t.Context(), demo, "films", ask(forWords("alien")))
	if service.ErrorCode(err) != service.CodeSearchTimeout || !strings.Contains(err.Error(), "per_page") {
		t.Errorf("the error is %v", err)
	}
	if _, err := hasty.Search(t.Context(), demo, "films", ask(forWords("robots"))); err != nil {
		t.Errorf("without hits: %v", err)
	}
}

// A search that runs again, because a word was taken apart, has one limit for both: on an index of hundreds of fields, four runs of a long query took
// five times as long as its limit.
func TestRepeatedSearchesEndAtTheirLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title name")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	for limit, want := range map[time.Duration]service.Code{time.Nanosecond: service.CodeSearchTimeout, time.Minute: ""} {
		svc := service.New(s.Store, service.Config{SearchTimeout: limit})
		if _, err := svc.Search(t.Context(), demo, "films", ask(forWords("usb-c-hub"))); service.ErrorCode(err) != want {
			t.Errorf("with a limit of %s: %v", limit, err)
		}
	}
}

// Suggestions for a misspelled query try several readings of it, one after the other. All have one limit, and those for a query as it is written are within it.
func TestSuggestionsEndAtTheLimitOfSearches(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title completion")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	for limit, want := range map[time.Duration]service.Code{time.Nanosecond: service.CodeSearchTimeout, time.Minute: ""} {
		svc := service.New(s.Store, service.Config{SearchTimeout: limit})
		if _, err := svc.Suggest(t.Context(), demo, "films", "alein"); service.ErrorCode(err) != want {
			t.Errorf("misspelled, with a limit of %s: %v", limit, err)
		}
		if got, err := svc.Suggest(t.Context(), demo, "films", "alie"); err != nil || len(got.Autocomplete) != 1 {
			t.Errorf("with a limit of %s: %v, %v", limit, got, err)
		}
	}
}

// A statement that fails before it describes its columns, such as one that ends at the limit, is an error like any other.
func TestRankingTakesFailure(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if err := s.RankFailed(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("the error is %v", err)
	}
}
