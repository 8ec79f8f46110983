package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3/lock"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// A transaction that writes all of some hundreds of indices needs more locks than PostgreSQL has by default. So indices are migrated one by one; a
// migration that failed at one of them is repeated, with the same result as if it had not failed.
func TestMigrationsTakeIndicesOneByOne(t *testing.T) {
	t.Parallel()
	s := beforeMigration(t, 14)
	for _, index := range []string{"first", "second", "third"} {
		s.create(t, index, "title completion", "shelf category")
		s.exec(t, insertSpelled(index))
	}
	s.exec(t, `CREATE TABLE public.most (tables bigint)`)
	s.exec(t, `CREATE FUNCTION public.count_tables() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO public.most SELECT count(DISTINCT l.relation) FROM pg_locks l JOIN pg_class r ON r.oid = l.relation
		WHERE l.pid = pg_backend_pid() AND l.mode = 'RowExclusiveLock' AND r.relkind = 'r' AND r.relnamespace = 'app_demo'::regnamespace;
		IF TG_ARGV[0] = 'refuse' THEN RAISE EXCEPTION USING ERRCODE = 'lock_not_available'; END IF;
		RETURN NULL; END $$`)
	for _, index := range []string{"first", "second", "third"} {
		s.exec(t, `CREATE TRIGGER counted AFTER UPDATE ON app_demo.`+index+` FOR EACH ROW EXECUTE FUNCTION public.count_tables()`)
	}
	s.exec(t, `CREATE TRIGGER refused AFTER UPDATE ON app_demo.second FOR EACH ROW WHEN (OLD._body ->> 'title' LIKE '%C%') EXECUTE FUNCTION public.count_tables('refuse')`)
	if err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "documents of app_demo.second locked") {
		t.Fatalf("of a locked table is told: %v", err)
	}
	s.exec(t, `DROP TRIGGER refused ON app_demo.second`)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var most, written int
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT max(tables), count(*) FROM public.most").Scan(&most, &written); err != nil {
		t.Fatal(err)
	}
	if most != 1 || written < 3 {
		t.Errorf("%d tables are written in one transaction, of %d rows", most, written)
	}
	for _, index := range []string{"first", "second", "third"} {
		s.isAsNew(t, index)
	}
}

// Transactions that write while a migration exchanges functions may still compute a document with the old ones: such documents are computed again,
// too.
func TestMigrationsWaitForWriters(t *testing.T) {
	t.Parallel()
	for _, version := range []int64{14, 16, 17, 18} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			s := beforeMigration(t, version)
			s.create(t, "docs", "title text", "shelf category")
			tx, err := s.db.Pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback(context.Background()) }()
			if _, err := tx.Exec(t.Context(), insertSpelled("docs")); err != nil {
				t.Fatal(err)
			}
			const functions = "SELECT md5(string_agg(prosrc, '' ORDER BY oid)) FROM pg_proc WHERE pronamespace = 'rowan'::regnamespace"
			before := s.text(t, functions)
			migrated := make(chan error, 1)
			go func() { migrated <- s.Migrate(context.WithoutCancel(t.Context())) }()
			for s.text(t, functions) == before {
				select {
				case err := <-migrated:
					t.Fatalf("migrated without another function: %v", err)
				case <-time.After(5 * time.Millisecond):
				}
			}
			if err := tx.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-migrated; err != nil {
				t.Fatal(err)
			}
			s.isAsNew(t, "docs")
		})
	}
}

// beforeMigration returns a site whose catalog is in the state before a migration.
func beforeMigration(t *testing.T, version int64) *site {
	t.Helper()
	db := storetest.Empty(t)
	migratedTo(t, db.Pool, version-1)
	return siteWith(t, db, storeConfig(db))
}

// insertSpelled returns a statement that writes a document which each of the migrations from 14 on computes again.
func insertSpelled(index string) string {
	return `INSERT INTO app_demo.` + index + ` (_id, _body) VALUES ('1', '{"title":"C++ für हिन्दी ё", "shelf":"A ＞ B > C"}')`
}

func (s *site) text(t *testing.T, sql string) (text string) {
	t.Helper()
	if err := s.db.Pool.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// isAsNew fails the test if a document of an index has other columns than it would get if it were written now.
func (s *site) isAsNew(t *testing.T, index string) {
	t.Helper()
	again := "public.again_" + index
	s.exec(t, "CREATE TABLE "+again+" (LIKE app_demo."+index+" INCLUDING GENERATED)")
	s.exec(t, "INSERT INTO "+again+" (_seq, _created_at, _updated_at, _id, _body) SELECT _seq, _created_at, _updated_at, _id, _body FROM app_demo."+index)
	stored, anew := s.text(t, "SELECT to_jsonb(d)::text FROM app_demo."+index+" d"), s.text(t, "SELECT to_jsonb(d)::text FROM "+again+" d")
	if stored != anew {
		t.Errorf("%s has\n%s\nand would have\n%s", index, stored, anew)
	}
}

// A server that has waited in vain for another server's migration says what it has waited for.
func TestMigrationOfAnotherServer(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	conn, err := db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock($1)", lock.DefaultLockID); err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := db.Pool.Exec(t.Context(), "DELETE FROM rowan.migrations WHERE version_id = (SELECT max(version_id) FROM rowan.migrations)"); err != nil {
		t.Fatal(err)
	}
	if err := store.MigrateWithin(t.Context(), db.Pool, 1); err == nil || !strings.Contains(err.Error(), "another server, or rowan migrate, has been migrating this database for more than 1 s") {
		t.Errorf("got %v", err)
	}
}
