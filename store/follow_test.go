package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// A mapping that makes suggestions has made them when it is answered for.
func TestReshapedIndexSuggests(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := storetest.New(t)
	st, err := store.Open(ctx, store.Config{URL: db.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := st.CreateApplication(ctx, "demo"); err != nil {
		t.Fatal(err)
	}
	svc := service.New(st, service.Config{})
	if err := svc.CreateIndex(ctx, "demo", "shop", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.UpsertDocument(ctx, "demo", "shop", "1", []byte(`{"title":"Espresso machine"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.UpdateIndex(ctx, "demo", "shop", []mapping.Mapping{{Name: "title", Type: mapping.Completion}}, true); err != nil {
		t.Fatal(err)
	}
	got, err := svc.Suggest(ctx, service.Principal{Application: "demo"}, "shop", "esp")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Espresso machine"}, got.Autocomplete); diff != "" {
		t.Errorf("suggestions right after the mapping (-want +got):\n%s", diff)
	}
}

// What a search has begun to derive is brought to its end, however long that takes: on a machine with too much to do each
// search would begin it anew, and none would find the words.
func TestFollowingOutlastsItsSearch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title sentence")
	s.put(t, "films", "1", `{"title":"A film"}`)
	if err := s.Settle(t.Context(), s.current(t, "films")); err != nil {
		t.Fatal(err)
	}
	s.exec(t, `CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2.5); RETURN NULL; END $$;
		CREATE TRIGGER slowly BEFORE INSERT ON app_demo_derived.films_words FOR EACH STATEMENT EXECUTE FUNCTION slowly()`)
	// More than a search reads the words of itself.
	s.many(t, "films", 20, func(int) string { return `{"title":"The warrior"}` })
	if got := s.search(t, "films", forWords("warrior ")).Total; got != 20 {
		t.Errorf("%d documents have the word itself", got)
	}
	s.search(t, "films", forWords("warr"))
	logged := func() (n int) {
		t.Helper()
		if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM app_demo_derived.films_changes").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for begin := time.Now(); logged() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			t.Fatal("the step of the search was given up")
		}
	}
	if got := s.search(t, "films", forWords("warr")).Total; got != 20 {
		t.Errorf("the beginning of a word that has been followed finds %d documents", got)
	}
}
