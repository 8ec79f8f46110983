package store_test

import (
	"fmt"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// newHistorySite returns a site that reads the start of its database server from a table, which a test may change, and that can be asked what it
// remembers about a logged document.
func newHistorySite(t *testing.T, function string) *site {
	t.Helper()
	first := newSite(t)
	first.exec(t, "CREATE SCHEMA other; CREATE TABLE other.started AS SELECT now() AS at; CREATE FUNCTION other.pg_postmaster_start_time() RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN "+function+"; END $$")
	config := storeConfig(first.db)
	config.URL = withSetting(t, config.URL, "search_path", "other,pg_catalog,public")
	st := openWith(t, config)
	st.AccelerateSmall(6, 15, 40)
	s := &site{Store: st, db: first.db, svc: service.New(st, service.Config{})}
	s.createBridges(t)
	s.put(t, "things", "changed", `{"title":"river river"}`)
	return s
}

// createBridges creates an index with postings, with 50 documents that have bridge and one that does not.
func (s *site) createBridges(t *testing.T) {
	t.Helper()
	s.create(t, "things", "title sentence")
	documents := []string{"changed", `{"title":"river"}`}
	for i := range 50 {
		documents = append(documents, fmt.Sprint(i), `{"title":"bridge river"}`)
	}
	s.put(t, "things", documents...)
	s.buildPostings(t)
}

// remembersLogged searches until the logged document is remembered.
func (s *site) remembersLogged(t *testing.T, asked *int) {
	t.Helper()
	eventually(t, "the logged document to be remembered", func() bool {
		*asked++ // answers are remembered, too, so no two requests are the same
		if n := s.search(t, "things", forWords(fmt.Sprintf("%*sbridge ", *asked, "")), matching(service.MatchAll)).Total; n != 50 {
			t.Fatalf("%d documents are found, want 50", n)
		}
		n, err := s.RememberedLogged(t.Context(), s.current(t, "things"))
		return err == nil && n == 1
	})
}

// Transaction numbers may be reused after a restart or replacement of the database server: what was remembered by them is then not used.
func TestNothingIsRememberedFromAnotherHistory(t *testing.T) {
	t.Parallel()
	s := newHistorySite(t, "RETURN (SELECT at FROM other.started)")
	asked := 0
	s.remembersLogged(t, &asked)
	ix := s.current(t, "things")
	target, err := s.Target(t.Context(), "demo", "things")
	if err != nil {
		t.Fatal(err)
	}
	state := func() service.State {
		t.Helper()
		state, err := s.State(t.Context(), ix, target.Version)
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	before := state()
	s.exec(t, "CREATE TEXT SEARCH CONFIGURATION public.bent (COPY = english)")
	stem := func() string {
		t.Helper()
		lexemes, err := s.Lexemes(t.Context(), "public.bent", []string{"running"})
		if err != nil {
			t.Fatal(err)
		}
		return lexemes[0][0]
	}
	if got := stem(); got != "run" {
		t.Fatalf("the stem is %s", got)
	}
	s.exec(t, "ALTER TEXT SEARCH CONFIGURATION public.bent ALTER MAPPING FOR asciiword WITH german_stem")
	reconnect := func() {
		t.Helper()
		s.exec(t, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rowan' AND pid <> pg_backend_pid()")
	}
	reconnect()
	if again := state(); again != before {
		t.Errorf("the state of other connections is %+v, want %+v", again, before)
	}
	if n, err := s.RememberedLogged(t.Context(), ix); err != nil || n != 1 {
		t.Errorf("other connections remember %d logged documents, want 1, %v", n, err)
	}
	s.exec(t, "UPDATE other.started SET at = at + interval '1 second'")
	reconnect()
	if after := state(); after.Server == before.Server {
		t.Errorf("the state of another server is %+v, as that of the one before", after)
	}
	if n, err := s.RememberedLogged(t.Context(), ix); err != nil || n != 0 {
		t.Errorf("%d logged documents are remembered from another server, %v", n, err)
	}
	if got := stem(); got != "running" {
		t.Errorf("the stem %s is remembered from another server", got)
	}
	s.remembersLogged(t, &asked)
}

// If PostgreSQL does not reveal when it was started, a connection uses nothing that others remember.
func TestHistoryThatMayNotBeSeen(t *testing.T) {
	t.Parallel()
	s := newHistorySite(t, "RAISE insufficient_privilege")
	first, err := s.HistoryOfRead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release, err := s.TakeRead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.HistoryOfRead(t.Context())
	if err != nil || first == second {
		t.Errorf("two connections have the history %d, %v", first, err)
	}
	release()
	asked := 0
	s.remembersLogged(t, &asked)
}
