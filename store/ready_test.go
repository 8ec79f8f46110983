package store_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// checked returns the check with the given name.
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
	// The primary itself is not a standby.
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

// databaseOf creates a database on the server of db and returns its address.
func databaseOf(t *testing.T, db *storetest.DB, name, options string) string {
	t.Helper()
	u, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.Path += "_" + name
	quoted := pgx.Identifier{u.Path[1:]}.Sanitize()
	if _, err := db.Pool.Exec(t.Context(), "CREATE DATABASE "+quoted+" TEMPLATE template0 "+options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Pool.Exec(context.Background(), "DROP DATABASE "+quoted+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return u.String()
}

// A database that cannot lower letters, or lowers them as in Turkish, is used, with one warning; one that is not UTF-8 is rejected.
func TestOpenLooksAtTheDatabasesLetters(t *testing.T) {
	t.Parallel()
	db := storetest.Empty(t)
	warnings := func(url string) (string, error) {
		var log bytes.Buffer
		st, err := store.Open(t.Context(), store.Config{URL: url, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err == nil {
			st.Close()
		}
		return log.String(), err
	}
	if log, err := warnings(db.URL); err != nil || log != "" {
		t.Errorf("a database that knows letters: %v, %s", err, log)
	}
	log, err := warnings(databaseOf(t, db, "c", "ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C'"))
	if err != nil || strings.Count(log, "level=WARN") != 1 || strings.Count(log, "\n") != 1 || !strings.Contains(log, "lc_ctype=C\n") || !strings.Contains(log, "'C.UTF-8'") {
		t.Errorf("a database of the LC_CTYPE C: %v, %s", err, log)
	}
	// Few machines have a Turkish locale, so a function stands in for text search with one.
	for _, sql := range []string{
		"CREATE SCHEMA turkish",
		"CREATE FUNCTION turkish.ts_lexize(d regdictionary, w text) RETURNS text[] LANGUAGE sql AS $$ SELECT pg_catalog.ts_lexize(d, translate(w, 'I', 'ı')) $$",
	} {
		if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	log, err = warnings(withSetting(t, db.URL, "search_path", "turkish,pg_catalog"))
	if err != nil || strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "a capital I are never found") {
		t.Errorf("a database that lowers as in Turkish: %v, %s", err, log)
	}
	var apart bool // whether ICU is there, and for lower() only
	if err := db.Pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') AND current_setting('server_version_num')::int < 180000").Scan(&apart); err != nil {
		t.Fatal(err)
	}
	if apart {
		log, err := warnings(databaseOf(t, db, "icu", "ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'"))
		if err != nil || strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "only ASCII capitals") {
			t.Errorf("a database of ICU with the LC_CTYPE C: %v, %s", err, log)
		}
	}
	if _, err := warnings(databaseOf(t, db, "latin", "ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'")); err == nil || !strings.Contains(err.Error(), "the encoding LATIN1; create one with ENCODING 'UTF8'") {
		t.Errorf("a database of the encoding LATIN1: %v", err)
	}
}
