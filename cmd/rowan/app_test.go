package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// If something keeps an index of an application from being deleted, the indices before it are already gone: the message says so.
func TestDeletingAnApplicationThatIsInUse(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	st, err := store.Open(t.Context(), store.Config{URL: db.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	svc := service.New(st, service.Config{})
	if _, err := svc.CreateApplication(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	for _, index := range []string{"films", "people", "places"} {
		if err := svc.CreateIndex(t.Context(), "shop", index, nil); err != nil {
			t.Fatal(err)
		}
	}
	exec := func(sql string) {
		t.Helper()
		if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE VIEW public.names AS SELECT _id FROM app_shop.people")
	deletion := func() (status int, out, errOut string) {
		var written, told bytes.Buffer
		status = run([]string{"app", "delete", "shop", "--yes", "--database-url", db.URL}, terminal{out: &written, err: &told})
		return status, written.String(), told.String()
	}
	status, _, errOut := deletion()
	for _, want := range []string{"view names depends on table app_shop.people", "Still left: 2, the first of them people. Run the same command again to continue."} {
		if status != exitFailure || !strings.Contains(errOut, want) {
			t.Errorf("exit status %d, want %s:\n%s", status, want, errOut)
		}
	}
	exec("DROP VIEW public.names")
	// What others have made beside the indices is not theirs to lose. A publication of the schema is none of that.
	exec("CREATE TABLE app_shop.notes AS SELECT 1 AS n; CREATE PUBLICATION shop FOR TABLES IN SCHEMA app_shop; ALTER DEFAULT PRIVILEGES IN SCHEMA app_shop GRANT SELECT ON TABLES TO PUBLIC")
	status, _, errOut = deletion()
	for _, want := range []string{"The schema app_shop", "table app_shop.notes depends on schema app_shop"} {
		if status != exitFailure || !strings.Contains(errOut, want) {
			t.Errorf("exit status %d, want %s:\n%s", status, want, errOut)
		}
	}
	exec("DROP TABLE app_shop.notes")
	if status, out, errOut := deletion(); status != exitOK || out != "Deleted shop.\n" {
		t.Errorf("exit status %d: %s%s", status, out, errOut)
	}
}

// Nobody is asked to confirm the deletion of nothing.
func TestDeletingNoApplication(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		`expected "<id>"`: {"app", "delete"},
		`of "shop"`:       {"app", "delete", "shop"},
	} {
		var told bytes.Buffer
		if status := run(args, terminal{out: &told, err: &told}); status != exitUsage || !strings.Contains(told.String(), want) {
			t.Errorf("%v: exit status %d: %s", args, status, told.String())
		}
	}
}
