package store_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// When a mapping that makes suggestions has been acknowledged, they exist.
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

// What a search has begun to derive is completed, however long that takes: otherwise, on an overloaded machine, each search would start it again, and
// none would find the words.
func TestFollowingOutlastsItsSearch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title sentence")
	s.put(t, "films", "1", `{"title":"A film"}`)
	if err := s.Settle(t.Context(), s.current(t, "films")); err != nil {
		t.Fatal(err)
	}
	s.exec(t, `CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN WHILE NOT pg_try_advisory_xact_lock_shared(7, 7) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NULL; END $$;
		CREATE TRIGGER slowly BEFORE INSERT ON app_demo_derived.films_words FOR EACH STATEMENT EXECUTE FUNCTION slowly()`)
	release := holding(t, s.db, "SELECT pg_advisory_xact_lock(7, 7)")
	// More than the number of documents whose words a search reads itself.
	s.many(t, "films", 20, func(int) string { return `{"title":"The warrior"}` })
	begin := time.Now()
	s.search(t, "films", forWords("warr"))
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("the search has waited %s for the step", took)
	}
	release()
	if got := s.search(t, "films", forWords("warrior ")).Total; got != 20 {
		t.Errorf("%d documents have the word itself", got)
	}
	logged := func() (n int) {
		t.Helper()
		if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM app_demo_derived.films_changes").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for begin = time.Now(); logged() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			t.Fatal("the step of the search was given up")
		}
	}
	if got := s.search(t, "films", forWords("warr")).Total; got != 20 {
		t.Errorf("the beginning of a word that has been followed finds %d documents", got)
	}
}

// While somebody takes a long step, such as one that counts many documents again, what was just written is still found by its prefix and with a typo,
// and suggested.
func TestWordsDuringALongStep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title completion")
	s.put(t, "films", "0", `{"title":"Metropolis"}`)
	if got := s.found(t, "films", forWords("metr")); got != "0" {
		t.Fatalf("found %q", got)
	}
	defer holding(t, s.db, fmt.Sprintf("SELECT pg_advisory_xact_lock(%s, %d)", store.DeriveLockClass, s.current(t, "films").ID))()
	var documents []string
	for i, title := range []string{"Vertigo", "Rashomon", "Playtime", "Stalker", "Ordet", "Mirror", "Psycho", "Persona", "Breathless", "Viridiana", "Nosferatu", "Sunrise"} {
		documents = append(documents, fmt.Sprint(i+1), fmt.Sprintf(`{"title":%q}`, title))
	}
	s.put(t, "films", documents...)
	if got := s.found(t, "films", forWords("nosf")); got != "11" {
		t.Errorf("by its beginning %q is found", got)
	}
	if got := s.found(t, "films", forWords("nosferato ")); got != "11" {
		t.Errorf("with a typo %q is found", got)
	}
	if got, err := s.svc.Suggest(t.Context(), demo, "films", "nosf"); err != nil || !slices.Equal(got.Autocomplete, []string{"Nosferatu"}) {
		t.Errorf("suggested are %v: %v", got.Autocomplete, err)
	}
}

// What is stored after a step has read the log and before it counts all documents is counted once, in the vocabulary in use and in the one beside it,
// and so are its suggestions.
func TestStoredWhileAllAreCounted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title completion")
	s.put(t, "films", "1", `{"title":"Metropolis"}`, "2", `{"title":"Gone Girl"}`)
	if err := s.Settle(t.Context(), s.current(t, "films")); err != nil {
		t.Fatal(err)
	}
	// The statement that deletes from the log has its snapshot when it begins to wait.
	s.exec(t, `CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7, 7); RETURN NULL; END $$;
		CREATE TRIGGER waits BEFORE DELETE ON app_demo_derived.films_changes FOR EACH STATEMENT EXECUTE FUNCTION waits()`)
	release := holding(t, s.db, "SELECT pg_advisory_xact_lock(7, 7)")
	changed := make(chan error, 1)
	go func() {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "films", mappings("year int"), true)
		changed <- err
	}()
	eventually(t, "the step waits", func() bool {
		return s.text(t, "SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND classid = 7 AND objid = 7 AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") != "0"
	})
	s.put(t, "films", "1", `{"title":"Vertigo"}`, "3", `{"title":"Metropolis"}`, "4", `{"title":"Metropolis"}`)
	if err := s.svc.DeleteDocument(t.Context(), "demo", "films", "2"); err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-changed; err != nil {
		t.Fatal(err)
	}
	s.exec(t, "DROP TRIGGER waits ON app_demo_derived.films_changes")
	if err := s.Settle(t.Context(), s.current(t, "films")); err != nil {
		t.Fatal(err)
	}
	const words = "SELECT string_agg(word || documents, ' ' ORDER BY word) FROM app_demo_derived.films_words"
	if got := s.text(t, words); got != "metropolis2 vertigo1" {
		t.Errorf("counted are %s", got)
	}
	if got := s.text(t, "SELECT string_agg(key || documents, ' ' ORDER BY key) FROM app_demo_derived.films_suggestions"); got != "metropolis2 vertigo1" {
		t.Errorf("suggested are %s", got)
	}
	if left := s.text(t, "SELECT count(*)::text FROM app_demo_derived.films_changes"); left != "0" {
		t.Errorf("%s rows of the log are left", left)
	}
}
