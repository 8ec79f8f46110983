package store_test

import (
	"strings"
	"testing"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// checked returns the check of a name.
func checked(t *testing.T, st *store.Store, name string) store.Check {
	t.Helper()
	for _, c := range st.Ready(t.Context()) {
		if strings.HasPrefix(c.Name, name) {
			return c
		}
	}
	t.Fatalf("there is no check %s", name)
	return store.Check{}
}

func TestReady(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	// The primary itself is no standby.
	st, err := store.Open(t.Context(), store.Config{URL: db.URL, ReplicaURLs: []string{db.URL}, MaxConns: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, name := range []string{"database", "migrations", "connections"} {
		if c := checked(t, st, name); !c.OK || !c.Needed {
			t.Errorf("got %+v", c)
		}
	}
	if c := checked(t, st, "replica "); c.OK || c.Needed || !strings.Contains(c.Detail, "left out") {
		t.Errorf("got %+v; want a replica that is left out, and not needed", c)
	}

	release, err := st.HoldConnections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c := checked(t, st, "connections"); c.OK || c.Detail != "all 3 for writes were in use for 1s" {
		t.Errorf("all are taken: got %+v", c)
	}
	if c := checked(t, st, "database"); !c.OK {
		t.Errorf("all are taken, and yet the database answers: got %+v", c)
	}
	release()

	if _, err := db.Pool.Exec(t.Context(), "DELETE FROM rowan.migrations WHERE version_id > 3"); err != nil {
		t.Fatal(err)
	}
	if c := checked(t, st, "migrations"); c.OK || !strings.Contains(c.Detail, "at version 3") {
		t.Errorf("an old catalog: got %+v", c)
	}
	if _, err := db.Pool.Exec(t.Context(), "INSERT INTO rowan.migrations (version_id, is_applied) VALUES (9000, true)"); err != nil {
		t.Fatal(err)
	}
	if c := checked(t, st, "migrations"); !c.OK {
		t.Errorf("the catalog of a newer version: got %+v", c)
	}
	st.Close()
	if c := checked(t, st, "database"); c.OK {
		t.Errorf("closed: got %+v", c)
	}
}
