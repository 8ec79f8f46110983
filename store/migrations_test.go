package store_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/rowansearch/rowan/migrations"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// migratedTo brings the catalog of an empty database to an earlier version.
func migratedTo(t *testing.T, pool *pgxpool.Pool, version int64) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), "CREATE SCHEMA rowan"); err != nil {
		t.Fatal(err)
	}
	sql := stdlib.OpenDBFromPool(pool)
	defer func() { _ = sql.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, sql, migrations.FS, goose.WithTableName("rowan.migrations"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
}

// The catalog needs no extension, so that it works in a PostgreSQL without contrib, and with a role that may not create any.
func TestMigrationsNeedNoExtension(t *testing.T) {
	t.Parallel()
	var extensions string
	if err := storetest.New(t).Pool.QueryRow(t.Context(), "SELECT string_agg(extname, ' ') FROM pg_extension").Scan(&extensions); err != nil {
		t.Fatal(err)
	}
	if extensions != "plpgsql" {
		t.Errorf("the extensions are %s", extensions)
	}
}

// If a migration lacks the right to write documents, it logs what to do: they keep what an earlier version has made of them.
func TestMigrationsTellWhatTheyMayNotWrite(t *testing.T) {
	t.Parallel()
	db := storetest.Empty(t)
	set(t, db, "SET client_min_messages = error")
	address, _ := limitedRole(t, db)
	role := roleOf(t, address)
	exec := func(sql string) {
		t.Helper()
		if _, err := db.Pool.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec("DO $$ BEGIN EXECUTE 'GRANT CREATE ON DATABASE ' || current_database() || ' TO " + role + "'; END $$")
	pool, err := pgxpool.New(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	migratedTo(t, pool, 13)
	var log bytes.Buffer
	s := siteWith(t, db, store.Config{URL: address, MaxConns: 4, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	s.create(t, "noticias", "title text", "shelf category")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "noticias", []byte(`{"language":"spanish"}`), true); err != nil {
		t.Fatal(err)
	}
	s.create(t, "docs", "title text")
	exec("REVOKE UPDATE ON app_demo.noticias FROM " + role)

	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := log.String()
	for _, want := range []string{`msg="migrating the catalog, which may compute documents anew; while another server does so, this one waits" from=13 to=`, `msg="the catalog is migrated" duration=`, "documents of app_demo.noticias keep levels", "documents of app_demo.noticias keep words", "documents of app_demo.noticias that have C++", "documents of app_demo.noticias in Devanagari", `hint="have its owner run UPDATE app_demo.noticias SET _body = _body"`} {
		if strings.Count(told, want) == 0 {
			t.Errorf("no %q in the log: %s", want, told)
		}
	}
	if strings.Contains(told, "app_demo.docs") || strings.Count(told, "level=WARN") != 5 {
		t.Errorf("told of what was written: %s", told)
	}
	log.Reset()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if log.Len() > 0 {
		t.Errorf("told of a catalog that was up to date: %s", log.String())
	}
}
