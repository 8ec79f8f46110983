package store_test

import (
	"context"
	"testing"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// What a database or a role has set of PostgreSQL changes neither what is stored nor what is found.
func TestSettingsOfTheDatabase(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	for _, setting := range []string{"client_encoding = 'LATIN1'", "standard_conforming_strings = off", "extra_float_digits = -15"} {
		set(t, db, "SET "+setting)
	}
	s := siteWith(t, db, storeConfig(db))
	s.create(t, "things", "title name")
	s.put(t, "things", "a", `{"title":"ÉCOLE Москва \\ x"}`, "b", `{"title":"another"}`)
	for _, query := range []string{"москва ", "ecole "} {
		if resp := s.search(t, "things", forWords(query)); len(resp.IDs) != 1 || resp.Hits[0].Score == float64(int(resp.Hits[0].Score)) {
			t.Errorf("%s finds %v", query, resp.Hits)
		}
	}
}

// The pools are made as large as PostgreSQL has connections for both.
func TestPoolsFit(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	set(t, db, "CONNECTION LIMIT 7")
	st, err := store.Open(t.Context(), storeConfig(db))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, p := range st.Stats().Pools {
		if p.Max != 3 {
			t.Errorf("the pool for %s has %d connections of 7", p.Name, p.Max)
		}
	}
}

// set alters the database.
func set(t *testing.T, db *storetest.DB, what string) {
	t.Helper()
	var name string
	if err := db.Pool.QueryRow(context.Background(), "SELECT quote_ident(current_database())").Scan(&name); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(context.Background(), "ALTER DATABASE "+name+" "+what); err != nil {
		t.Fatal(err)
	}
}
