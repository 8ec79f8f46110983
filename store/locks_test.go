package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// impatient is a site whose writes only wait a moment for locks.
func impatient(t *testing.T) *site {
	t.Helper()
	db := storetest.New(t)
	return siteWith(t, db, store.Config{URL: db.URL, MaxConns: 4, LockTimeout: 50 * time.Millisecond})
}

// holding runs a statement like a psql user who forgets to commit, until release.
func holding(t *testing.T, db *storetest.DB, sql string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "BEGIN; "+sql); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
}

// A write that waits for somebody else's lock is refused in time, with nothing applied, and can be sent again.
func TestWritesEndWhenSomebodyHoldsALock(t *testing.T) {
	t.Parallel()
	s := impatient(t)
	s.create(t, "films", "title sentence")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	writes := map[string]func() error{
		"upsert": func() error {
			_, err := s.svc.UpsertDocument(t.Context(), "demo", "films", "1", []byte(`{"title":"Aliens"}`))
			return err
		},
		"patch": func() error {
			_, err := s.svc.PatchDocument(t.Context(), "demo", "films", "1", []byte(`{"title":"Aliens"}`), false)
			return err
		},
		"delete": func() error { return s.svc.DeleteDocument(t.Context(), "demo", "films", "1") },
		"batch": func() error {
			_, err := s.svc.WriteBatch(t.Context(), "demo", "films", []byte(`[{"action":"upsert","_id":"2","body":{"title":"Solaris"}},{"action":"upsert","_id":"1","body":{"title":"Aliens"}}]`))
			return err
		},
	}
	for _, lock := range []string{"SELECT FROM app_demo.films WHERE _id = '1' FOR UPDATE", "LOCK TABLE app_demo.films IN EXCLUSIVE MODE"} {
		release := holding(t, s.db, lock)
		for name, write := range writes {
			err := write()
			e, ok := err.(*service.Error)
			if !ok || e.Code != service.CodeUnavailable || e.RetryAfter <= 0 || !strings.Contains(e.Detail, "nothing was applied") {
				t.Errorf("%s under %s: %v; want unavailable, and when to try again", name, lock, err)
			}
		}
		if got := s.found(t, "films", forWords("alien")); got != "1" {
			t.Errorf("under %s found %q", lock, got)
		}
		release()
	}
	if got := s.search(t, "films").Total; got != 1 {
		t.Errorf("%d documents, though nothing was applied", got)
	}
	for _, name := range []string{"upsert", "patch", "batch", "delete"} {
		if err := writes[name](); err != nil {
			t.Errorf("%s without the lock: %v", name, err)
		}
	}
}

// A read locks a table, then its indexes in order. Somebody's REINDEX TABLE locks them in another order, and PostgreSQL cancels the read because of
// the deadlock.
func TestReadsGoOnAfterADeadlock(t *testing.T) {
	t.Parallel()
	s := impatient(t)
	s.create(t, "films", "title sentence")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	var indexes []string
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT array_agg(indexrelid::regclass::text ORDER BY indexrelid) FROM pg_index WHERE indrelid = 'app_demo.films'::regclass").Scan(&indexes); err != nil {
		t.Fatal(err)
	}
	reads := map[string]func() error{
		"search": func() error {
			_, err := s.svc.Search(t.Context(), demo, "films", ask(forWords("alien")))
			return err
		},
		"document": func() error {
			_, err := s.svc.GetDocument(t.Context(), "demo", "films", "1")
			return err
		},
	}
	for name, read := range reads {
		conn, err := s.db.Pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		exec := func(sql string) {
			t.Helper()
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		exec("BEGIN")
		exec("REINDEX INDEX " + indexes[len(indexes)-1]) // the last one that a read locks
		done := make(chan error, 1)
		go func() { done <- read() }()
		eventually(t, "the "+name+" waits", func() bool {
			return s.text(t, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')::text") == "true"
		})
		// The read has locked this one. It has waited longer, so it is cancelled, unless this test was delayed by the second after which PostgreSQL checks.
		if _, err := conn.Exec(t.Context(), "REINDEX INDEX "+indexes[0]); err != nil {
			if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code != "40P01" {
				t.Fatal(err)
			}
			t.Logf("%s: the other one was ended", name)
		}
		exec("COMMIT")
		conn.Release()
		if err := <-done; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Requests do not hang if the catalog is locked, either.
func TestRequestsEndWhenSomebodyLocksTheCatalog(t *testing.T) {
	t.Parallel()
	s := impatient(t)
	release := holding(t, s.db, "LOCK TABLE rowan.keys, rowan.indices, rowan.applications")
	if _, err := s.svc.Authenticate(t.Context(), "demo", "rka_whatever-it-is"); service.ErrorCode(err) != service.CodeUnavailable {
		t.Errorf("authenticating: %v", err)
	}
	if err := s.svc.CreateIndex(t.Context(), "demo", "films", nil); service.ErrorCode(err) != service.CodeUnavailable {
		t.Errorf("creating an index: %v", err)
	}
	release()
	s.create(t, "films", "title sentence")
}

// Changes of an application's catalog that wait for one another leave connections for everything else.
func TestWaitingChangesHoldNoConnections(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := siteWith(t, db, store.Config{URL: db.URL, MaxConns: 4, LockTimeout: 20 * time.Second})
	s.create(t, "films", "title sentence")
	release := holding(t, db, "SELECT FROM rowan.applications FOR UPDATE")
	done := make(chan error, 8)
	for i := range cap(done) {
		go func() { done <- s.svc.CreateIndex(t.Context(), "demo", fmt.Sprintf("index%d", i), nil) }()
	}
	eventually(t, "a change waits", func() (waits bool) {
		err := db.Pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		return err == nil && waits
	})
	time.Sleep(100 * time.Millisecond) // so that the others begin
	if err := s.svc.Health(t.Context()); err != nil {
		t.Errorf("health: %v", err)
	}
	s.put(t, "films", "1", `{"title":"Alien"}`)
	if got := s.found(t, "films", forWords("alien")); got != "1" {
		t.Errorf("found %q", got)
	}
	release()
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A rebuild waits for the previous one as long as that takes.
func TestRebuildWaitsForAnother(t *testing.T) {
	t.Parallel()
	s := impatient(t)
	s.create(t, "films", "title sentence")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	conn, err := pgx.Connect(t.Context(), s.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock(1919907695, id::int) FROM rowan.indices"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "films", []mapping.Mapping{{Name: "title", Type: mapping.Text}}, false)
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("the rebuild did not wait: %v", err)
	case <-time.After(500 * time.Millisecond): // ten times as long as anything else would wait
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_unlock_all()"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A rebuild whose session with the lock has ended only exchanges the table that it has filled itself, not that of another rebuild that may have begun
// since.
func TestRebuildLosesItsLock(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := siteWith(t, db, storeConfig(db))
	s.create(t, "films", "title sentence")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	release := holding(t, db, "SELECT FROM app_demo.films")
	done := make(chan error, 1)
	go func() {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "films", []mapping.Mapping{{Name: "title", Type: mapping.Text}}, false)
		done <- err
	}()
	eventually(t, "the rebuild waits to exchange the tables", func() (waits bool) {
		err := db.Pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'app_demo.films'::regclass AND NOT granted)").Scan(&waits)
		return err == nil && waits
	})
	for _, sql := range []string{
		"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 1919907695 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
		// What another rebuild has when it begins.
		`DO $$ BEGIN
			PERFORM pg_advisory_xact_lock(1919907694, id::int) FROM rowan.indices;
			CREATE TABLE app_demo_derived.another (LIKE app_demo_derived.films_next INCLUDING ALL);
			DROP TABLE app_demo_derived.films_next;
			ALTER TABLE app_demo_derived.another RENAME TO films_next;
		END $$`,
	} {
		if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := s.found(t, "films", forWords("alien")); got != "1" {
		t.Errorf("found %q", got)
	}
}

// Requests for applications that do not exist leave connections for everything else.
func TestUnknownApplicationsLeaveConnections(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := siteWith(t, db, store.Config{URL: db.URL, MaxConns: 6})
	s.create(t, "films", "title sentence")
	release := holding(t, db, "LOCK TABLE rowan.keys")
	done := make(chan error, 20)
	for i := range cap(done) {
		go func() {
			_, err := s.svc.Authenticate(t.Context(), fmt.Sprintf("nobody%d", i), "rka_whatever-it-is")
			done <- err
		}()
	}
	eventually(t, "some wait", func() (wait bool) {
		err := db.Pool.QueryRow(t.Context(), "SELECT count(*) >= 4 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&wait)
		return err == nil && wait
	})
	time.Sleep(100 * time.Millisecond) // so that the others begin
	s.put(t, "films", "1", `{"title":"Alien"}`)
	release()
	for range cap(done) {
		if err := <-done; service.ErrorCode(err) != service.CodeUnauthorized {
			t.Errorf("error %v", err)
		}
	}
}

// While writes that wait for somebody's lock use all connections for writes, searches go on: their lookups of the catalog and of keys do not wait for
// one of these.
func TestSearchesGoOnBesideWritesThatWait(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := siteWith(t, db, store.Config{URL: db.URL, MaxConns: 2})
	s.create(t, "films", "title name")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	release := holding(t, db, "SELECT FROM app_demo.films FOR UPDATE")
	written := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := s.svc.UpsertDocument(t.Context(), "demo", "films", "1", []byte(`{"title":"Aliens"}`))
			written <- err
		}()
	}
	eventually(t, "both writes wait", func() bool {
		return s.text(t, "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == "2"
	})
	if _, err := s.KeyHashes(t.Context(), "demo"); err != nil {
		t.Errorf("keys: %v", err)
	}
	if _, err := s.CurrentTarget(t.Context(), "demo", "films"); err != nil {
		t.Errorf("what a name is: %v", err)
	}
	if _, err := s.svc.Search(t.Context(), demo, "films", ask(forWords("alien"))); err != nil {
		t.Errorf("a search: %v", err)
	}
	release()
	for range 2 {
		if err := <-written; err != nil {
			t.Error(err)
		}
	}
}
