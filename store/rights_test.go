package store_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// A role that lacks a right is told which ones there must be; the one to make schemas, only where some are to be made.
func TestRightsOfTheRole(t *testing.T) {
	t.Parallel()
	db := storetest.Empty(t)
	address, _ := limitedRole(t, db)
	role := address[strings.Index(address, "//")+2 : strings.Index(address, ":secret")]
	exec := func(sql string) {
		t.Helper()
		if _, err := db.Pool.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { exec("DROP OWNED BY " + role) })
	onDatabase := func(what string) {
		t.Helper()
		exec("DO $$ BEGIN EXECUTE '" + strings.Replace(what, "DATABASE", "DATABASE ' || quote_ident(current_database()) || '", 1) + "'; END $$")
	}
	st, err := store.Open(t.Context(), store.Config{URL: address, MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	lacks := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "GRANT CREATE ON DATABASE") {
			t.Errorf("%s: %v", what, err)
		}
	}
	lacks("a role that may make no schema", st.Migrate(t.Context()))
	exec("CREATE SCHEMA rowan")
	lacks("a catalog of somebody else", st.Migrate(t.Context()))
	exec("DROP SCHEMA rowan")

	onDatabase("GRANT CREATE ON DATABASE TO " + role)
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	onDatabase("REVOKE CREATE ON DATABASE FROM " + role)
	if err := st.Migrate(t.Context()); err != nil {
		t.Errorf("where there is nothing to make: %v", err)
	}
	_, err = st.CreateApplication(t.Context(), "demo")
	lacks("an application", err)
}
