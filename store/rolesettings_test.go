package store_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// Settings of PostgreSQL for a database or a role change neither what is stored nor what is found.
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

// A walk by cursor through dates goes on, however the database writes dates: what the style SQL writes cannot be read with the order YMD.
func TestDateStyleOfTheDatabase(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	set(t, db, "SET datestyle = 'SQL, YMD'")
	s := siteWith(t, db, storeConfig(db))
	s.create(t, "things", "made date")
	s.put(t, "things", "a", `{"made":"2023-02-01"}`, "b", `{"made":"2023-03-15"}`)
	byDate := func(r *service.SearchRequest) { r.Sort, r.PerPage = new("made"), new(1) }
	first := s.search(t, "things", byDate)
	second := s.search(t, "things", byDate, func(r *service.SearchRequest) { r.Cursor = first.Cursor })
	if !slices.Equal(slices.Concat(first.IDs, second.IDs), []string{"a", "b"}) {
		t.Errorf("pages %v, %v", first.IDs, second.IDs)
	}
}

// Nor do settings in the address change what is answered.
func TestSettingsOfTheAddress(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	config := storeConfig(db)
	address, err := url.Parse(config.URL)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	for name, value := range map[string]string{"timezone": "Asia/Kolkata", "datestyle": "German", "extra_float_digits": "-15", "default_transaction_isolation": "serializable"} {
		query.Set(name, value)
	}
	address.RawQuery = query.Encode()
	config.URL = address.String()
	s := siteWith(t, db, config)
	s.create(t, "things", "title name", "made date")
	s.put(t, "things", "a", `{"title":"never","made":"2023-02-01"}`, "b", `{"title":"never","made":"9999-12-31T23:59:59.999999Z"}`)
	byDate := func(r *service.SearchRequest) {
		r.Sort, r.PerPage, r.Facets.Names = new("made"), new(1), []string{"made"}
	}
	first := s.search(t, "things", byDate)
	second := s.search(t, "things", byDate, func(r *service.SearchRequest) { r.Cursor = first.Cursor })
	if !slices.Equal(slices.Concat(first.IDs, second.IDs), []string{"a", "b"}) {
		t.Errorf("pages %v, %v", first.IDs, second.IDs)
	}
	if resp := s.search(t, "things", forWords("never ")); len(resp.IDs) != 2 || resp.Hits[0].Score == float64(int(resp.Hits[0].Score)) {
		t.Errorf("never finds %v", resp.Hits)
	}
}

// A database's settings for parsing functions do not prevent their creation.
func TestMigrationsWithSettingsOfTheDatabase(t *testing.T) {
	t.Parallel()
	db := storetest.Empty(t)
	for _, setting := range []string{"backslash_quote = off", "plpgsql.extra_errors = 'all'"} {
		set(t, db, "SET "+setting)
	}
	st, err := store.Open(t.Context(), storeConfig(db))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
}

// Whoever waits for the lock of an index sees what was committed before it was granted, whatever the database's default isolation: otherwise a
// rebuild would omit what was written while it waited to exchange the tables.
func TestIsolationOfTheDatabase(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"repeatable read", "serializable"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			db := storetest.New(t)
			set(t, db, "SET default_transaction_isolation = '"+isolation+"'")
			s := siteWith(t, db, storeConfig(db))
			s.create(t, "films", "title name")
			other, err := db.Pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, sql := range []string{
				"SELECT pg_advisory_xact_lock(1919907694, id::int) FROM rowan.indices",
				`INSERT INTO app_demo.films (_id, _body) VALUES ('1', '{"title":"Alien"}')`,
			} {
				if _, err := other.Exec(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			deleted := make(chan error, 1)
			go func() { deleted <- s.svc.DeleteDocument(t.Context(), "demo", "films", "1") }()
			eventually(t, "the deletion waits for the lock", func() (waits bool) {
				err := db.Pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))").Scan(&waits)
				return err == nil && waits
			})
			if err := other.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-deleted; err != nil {
				t.Errorf("the document that was stored before the deletion got the lock: %v", err)
			}
		})
	}
}

// The database's statement timeout does not apply to changes of an index, which may take many minutes.
func TestStatementTimeoutOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := filmsWhere(t, "SET statement_timeout = '1s'")
	release := holding(t, s.db, "SELECT FROM app_demo.films FOR UPDATE")
	deleted := make(chan error, 1)
	go func() { deleted <- s.svc.DeleteDocument(t.Context(), "demo", "films", "1") }()
	eventually(t, "the deletion has taken longer than the database lets others", func() (longer bool) {
		err := s.db.Pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND clock_timestamp() - query_start > interval '1.2s')").Scan(&longer)
		return len(deleted) > 0 || err == nil && longer
	})
	release()
	if err := <-deleted; err != nil {
		t.Error(err)
	}
}

// The database's timeout for idle sessions does not apply to a server's sessions: some hold a lock while others do the work.
func TestIdleSessionTimeoutOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := filmsWhere(t, "SET idle_session_timeout = '200ms'")
	sessions := func() (pids []int) {
		rows, _ := s.db.Pool.Query(t.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rowan' ORDER BY pid")
		pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
		if err != nil {
			t.Fatal(err)
		}
		return pids
	}
	before := sessions()
	if len(before) == 0 {
		t.Fatal("the server has no sessions")
	}
	time.Sleep(600 * time.Millisecond)
	after := sessions()
	for _, pid := range before {
		if !slices.Contains(after, pid) {
			t.Errorf("of the sessions %v only %v are there yet", before, after)
			break
		}
	}
}

// Searches wait for locks as long as they may take, whatever the database's lock timeout.
func TestLockTimeoutOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := filmsWhere(t, "SET lock_timeout = '1ms'")
	release := holding(t, s.db, "LOCK TABLE app_demo.films")
	searched := make(chan error, 1)
	go func() {
		_, err := s.svc.Search(t.Context(), demo, "films", ask(forWords("alien")))
		searched <- err
	}()
	eventually(t, "the search waits for the lock", func() (waits bool) {
		err := s.db.Pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'app_demo.films'::regclass AND NOT granted)").Scan(&waits)
		return err == nil && waits || len(searched) > 0
	})
	release()
	if err := <-searched; err != nil {
		t.Error(err)
	}
}

// A database whose settings let nothing be written, or keep no foreign keys, is told with what to do.
func TestDatabaseWithoutWritesOrForeignKeys(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"default_transaction_read_only = on": "DATABASE_URL must point to the primary",
		"session_replication_role = replica": "RESET session_replication_role",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			db := storetest.New(t)
			set(t, db, "SET "+setting)
			st, err := store.Open(t.Context(), storeConfig(db))
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			if err := st.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// The pools are only made as large as PostgreSQL has connections for both.
func TestPoolsFit(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	set(t, db, "CONNECTION LIMIT 7")
	shareSeven(t, storeConfig(db))
}

// The limit of connections is that of the role that logs in, even if it acts as another.
func TestPoolsFitTheRoleThatSignsIn(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	address, limit := limitedRole(t, db)
	role, owner := address[strings.Index(address, "//")+2:strings.Index(address, ":secret")], ""
	if err := db.Pool.QueryRow(t.Context(), "SELECT quote_ident(current_user)").Scan(&owner); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"GRANT " + owner + " TO " + role, "ALTER ROLE " + role + " SET role = " + owner} {
		if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	limit(7)
	shareSeven(t, store.Config{URL: address})
}

// shareSeven limits the two pools of a server to seven connections in total.
func shareSeven(t *testing.T, config store.Config) {
	t.Helper()
	st, err := store.Open(t.Context(), config)
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

// filmsWhere returns an index with one film in a database that has been altered.
func filmsWhere(t *testing.T, altered string) *site {
	t.Helper()
	db := storetest.New(t)
	set(t, db, altered)
	s := siteWith(t, db, storeConfig(db))
	s.create(t, "films", "title name")
	s.put(t, "films", "1", `{"title":"Alien"}`)
	return s
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
