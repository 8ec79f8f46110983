package store_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// In a database where everybody may create objects in the schema public, as in those from PostgreSQL 14, what others create there is not run with the
// rights of Rowan's role.
func TestNothingOfAnOpenPublicSchemaRuns(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	// It matches better than pg_catalog.unnest(anyarray), which every write and many searches call.
	for _, sql := range []string{
		"GRANT CREATE ON SCHEMA public TO PUBLIC",
		"CREATE SEQUENCE public.ran",
		"CREATE TEXT SEARCH CONFIGURATION public.own (COPY = english)",
		`CREATE FUNCTION public.unnest(list text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN
			PERFORM nextval('public.ran'); RETURN QUERY SELECT pg_catalog.unnest(list); END $$`,
		`CREATE FUNCTION public.pg_backend_pid() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
			PERFORM nextval('public.ran'); RETURN pg_catalog.pg_backend_pid(); END $$`,
	} {
		if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	set(t, db, "SET search_path = public, pg_catalog") // applies to sessions that have not been set up yet
	opened := func() (*site, string) {
		var log bytes.Buffer
		st, err := store.Open(t.Context(), loggingConfig(db, &log))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(st.Close)
		return &site{Store: st, db: db, svc: service.New(st, service.Config{})}, log.String()
	}
	s, log := opened()
	if strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "configurations=own\n") {
		t.Errorf("log: %s", log)
	}
	if _, err := s.CreateApplication(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	s.create(t, "things", "title sentence")
	s.put(t, "things", "a", `{"title":"river bridge"}`, "b", `{"title":"river"}`)
	if found := s.search(t, "things", func(r *service.SearchRequest) { r.Query = "rivers brigde" }); found.Total == 0 {
		t.Error("nothing is found")
	}
	var ran bool
	if err := db.Pool.QueryRow(t.Context(), "SELECT is_called FROM public.ran").Scan(&ran); err != nil {
		t.Fatal(err)
	}
	if ran {
		t.Error("a function in public was called")
	}

	languages := func(s *site) bool {
		list, err := s.Languages(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(list, "own")
	}
	if languages(s) {
		t.Error("what is in public is a language, though anybody may make it")
	}
	if _, err := db.Pool.Exec(t.Context(), "REVOKE CREATE ON SCHEMA public FROM PUBLIC; DROP FUNCTION public.unnest(text[])"); err != nil {
		t.Fatal(err)
	}
	s, log = opened()
	if log != "" || !languages(s) {
		t.Errorf("public is not open any more: own is a language: %v; log: %s", languages(s), log)
	}

	s.create(t, "owned", "title sentence")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "owned", []byte(`{"language":"own"}`), true); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), "GRANT CREATE ON SCHEMA public TO PUBLIC"); err != nil {
		t.Fatal(err)
	}
	s, _ = opened()
	if _, err := s.svc.Search(t.Context(), demo, "owned", ask(forWords("rivers "))); service.ErrorCode(err) != service.CodeUnavailable || !strings.Contains(err.Error(), "everybody may create objects in the schema public") {
		t.Errorf("a language that may not be used: %v", err)
	}
}
