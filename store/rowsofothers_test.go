package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/store/storetest"
)

// A table is a function of its documents and mappings: a row that psql writes is as good as one from the API.
func TestRowsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title name", "year int")
	s.exec(t, `INSERT INTO app_demo.goods (_id, _body) VALUES ('x', '{"title":"Émile","year":"7","more":"dogs"}')`)
	for _, q := range []string{"emile", "dog "} {
		if got := s.found(t, "goods", forWords(q), filtered("year = 7")); got != "x" {
			t.Errorf("%q finds %q", q, got)
		}
	}
	for _, body := range []string{`[]`, `"x"`, `null`} {
		if _, err := s.db.Pool.Exec(t.Context(), `INSERT INTO app_demo.goods (_id, _body) VALUES ('y', $1::jsonb)`, body); err == nil {
			t.Errorf("%s is taken for a document", body)
		}
	}
}

// The id of such a row is one that a client can ask for. If another one is stored nevertheless, it can be changed and removed.
func TestIDsOfRowsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title name")
	for _, id := range []string{".", "..", "a\nb", "\u007f", "x\u0085", ""} {
		if _, err := s.db.Pool.Exec(t.Context(), `INSERT INTO app_demo.goods (_id, _body) VALUES ($1, '{}')`, id); err == nil {
			t.Errorf("%q is taken for an id", id)
		}
	}
	s.exec(t, `INSERT INTO app_demo.goods (_id, _body) VALUES ('a.b', '{}'), ('...', '{}'), ('ключ 東京\n', '{}')`)
	if _, err := s.db.Pool.Exec(t.Context(), `UPDATE app_demo.goods SET _id = '.' WHERE _id = 'a.b'`); err == nil {
		t.Error("an id becomes one that no client can ask for")
	}
	s.exec(t, `ALTER TABLE app_demo.goods DISABLE TRIGGER rowan_row; INSERT INTO app_demo.goods (_id, _body) VALUES ('.', '{}'); ALTER TABLE app_demo.goods ENABLE TRIGGER rowan_row`)
	s.exec(t, `UPDATE app_demo.goods SET _body = '{"title":"x"}' WHERE _id = '.'; DELETE FROM app_demo.goods WHERE _id = '.'`)
}

// A property "autocomplete" of such a row is dropped, as over HTTP: an answer has it once, with Rowan's suggestions.
func TestSuggestionsOfRowsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title completion")
	for _, write := range []string{
		`INSERT INTO app_demo.goods (_id, _body) VALUES ('a', '{"title":"Mug","autocomplete":["Cup"],"in":{"autocomplete":1}}')`,
		`UPDATE app_demo.goods SET _body = '{"title":"Mug","autocomplete":null,"in":{"autocomplete":1}}' WHERE _id = 'a'`,
	} {
		s.exec(t, write)
		doc, err := s.svc.GetDocument(t.Context(), "demo", "goods", "a")
		if err != nil {
			t.Fatal(err)
		}
		got, err := doc.MarshalJSON()
		if want := `{"_id":"a","autocomplete":["Mug"],"in":{"autocomplete":1},"title":"Mug"}`; err != nil || string(got) != want {
			t.Errorf("after %s: %s, want %s; %v", write, got, want, err)
		}
	}
}

// exec runs a statement like a psql user.
func (s *site) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := s.db.Pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// suggests fails the test unless an index suggests for q what is wanted, with commas between.
func (s *site) suggests(t *testing.T, index, q, want string) {
	t.Helper()
	list, err := s.svc.Suggest(t.Context(), demo, index, q)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(list.Autocomplete, ", "); got != want {
		t.Errorf("%q suggests %q, want %q", q, got, want)
	}
}

// Words and suggestions follow rows that psql writes, and what the API has written is logged once.
func TestRowsOfOthersAreFollowed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title completion")
	suggests := func(q, want string) {
		t.Helper()
		s.suggests(t, "goods", q, want)
	}
	s.exec(t, `INSERT INTO app_demo.goods (_id, _body) VALUES ('a', '{"title":"Espresso machine"}'), ('b', '{"title":"Kettle"}')`)
	suggests("es", "Espresso machine")
	if got := s.found(t, "goods", forWords("expresso ")); got != "a" {
		t.Errorf("with a typo: %q", got)
	}
	s.exec(t, `UPDATE app_demo.goods SET _body = '{"title":"Espresso cup"}' WHERE _id = 'a'`)
	suggests("es", "Espresso cup")
	s.exec(t, `UPDATE app_demo.goods SET _id = 'c' WHERE _id = 'a'`)
	suggests("es", "Espresso cup")
	if got := s.found(t, "goods", forWords("expresso ")); got != "c" {
		t.Errorf("under another id: %q", got)
	}
	s.exec(t, `DELETE FROM app_demo.goods WHERE _id = 'c'`)
	suggests("es", "")
	var dated bool
	s.exec(t, `UPDATE app_demo.goods SET _body = '{"title":"Teapot"}' WHERE _id = 'b'`)
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT _updated_at > _created_at FROM app_demo.goods WHERE _id = 'b'").Scan(&dated); err != nil || !dated {
		t.Errorf("the update is dated: %t, %v", dated, err)
	}
	s.exec(t, "TRUNCATE app_demo_derived.goods_changes")
	s.put(t, "goods", "d", `{"title":"Mug"}`)
	s.put(t, "goods", "d", `{"title":"Large mug"}`)
	var logged int
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM app_demo_derived.goods_changes").Scan(&logged); err != nil || logged != 2 {
		t.Errorf("two writes through the API are logged %d times, %v", logged, err)
	}
	if _, err := s.db.Pool.Exec(t.Context(), "TRUNCATE app_demo.goods"); err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("TRUNCATE: %v", err)
	}
}

// A role that may write the table, and has no other rights, can write it through psql.
func TestRowsOfAnotherRole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title completion")
	role := fmt.Sprintf("clerk_%d", time.Now().UnixNano())
	s.exec(t, "CREATE ROLE "+role)
	t.Cleanup(func() {
		if _, err := s.db.Pool.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	s.exec(t, "GRANT USAGE ON SCHEMA app_demo, rowan TO "+role)
	s.exec(t, "GRANT INSERT ON app_demo.goods TO "+role)
	s.exec(t, "GRANT USAGE ON SEQUENCE app_demo_derived.goods_seq TO "+role)
	err := pgx.BeginFunc(t.Context(), s.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "SET LOCAL ROLE "+role); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), `INSERT INTO app_demo.goods (_id, _body) VALUES ('a', '{"title":"Espresso machine"}')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.svc.Suggest(t.Context(), demo, "goods", "es")
	if err != nil || len(list.Autocomplete) != 1 {
		t.Errorf("%q, %v", list.Autocomplete, err)
	}
}

// rebuildBeside returns a site whose index of goods is being rebuilt while somebody is in a transaction that began with sql.
func rebuildBeside(t *testing.T, sql string) (s *site, tx pgx.Tx, rebuilt <-chan error) {
	t.Helper()
	s = newSite(t)
	s.create(t, "goods", "title name")
	s.put(t, "goods", "a", `{"title":"Kettle","year":1}`)
	tx, err := s.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "goods", mappings("title name", "year int"), true)
		done <- err
	}()
	return s, tx, done
}

// awaitsWriters returns when somebody is waiting for the transactions that are writing, and has checked them again.
func awaitsWriters(t *testing.T, db *storetest.DB) {
	t.Helper()
	eventually(t, "waiting for writers", func() (waits bool) {
		err := db.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND query LIKE '%RowExclusiveLock%virtualtransaction = ANY(%')`).Scan(&waits)
		return err == nil && waits
	})
}

// A rebuild waits for a transaction that began to write before it and whose rows are not logged for it.
func TestRebuildWaitsForRowsOfOthers(t *testing.T) {
	t.Parallel()
	s, tx, rebuilt := rebuildBeside(t, `INSERT INTO app_demo.goods (_id, _body) VALUES ('b', '{"title":"Teapot","year":2}')`)
	awaitsWriters(t, s.db)
	s.put(t, "goods", "c", `{"title":"Mug","year":4}`) // others do not wait
	if _, err := tx.Exec(t.Context(), `UPDATE app_demo.goods SET _body = '{"title":"Kettle","year":3}' WHERE _id = 'a'`); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-rebuilt:
		t.Fatalf("the rebuild has not waited: %v", err)
	default:
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-rebuilt; err != nil {
		t.Fatal(err)
	}
	if got := s.search(t, "goods", filtered("year IN [2, 3, 4]")).Total; got != 3 {
		t.Errorf("%d of three documents are in the new table", got)
	}
}

// A change that changes nothing is answered with what is in force, without waiting for a running rebuild.
func TestNothingToChangeWhileAnIndexIsRebuilt(t *testing.T) {
	t.Parallel()
	s, tx, rebuilt := rebuildBeside(t, `INSERT INTO app_demo.goods (_id, _body) VALUES ('b', '{"title":"Teapot","year":2}')`)
	eventually(t, "the rebuild", func() (holds bool) {
		err := s.db.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 1919907695 AND granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&holds)
		return err == nil && holds
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for _, merge := range []bool{false, true} {
		ix, err := s.svc.UpdateIndex(ctx, "demo", "goods", nil, merge)
		if err != nil || len(ix.Mappings) != 1 {
			t.Errorf("merge %t: %v, %v", merge, ix, err)
		}
	}
	if ix, err := s.svc.UpdateIndex(ctx, "demo", "goods", mappings(), true); err != nil || len(ix.Mappings) != 1 {
		t.Errorf("an empty list to add: %v, %v", ix, err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-rebuilt; err != nil {
		t.Fatal(err)
	}
}

// Numbers come from the sequence, whatever psql says: blocks of postings and rebuilds depend on it.
func TestNumbersOfRowsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title name")
	s.put(t, "goods", "a", `{"title":"Kettle","year":1}`)
	s.exec(t, `INSERT INTO app_demo.goods (_id, _seq, _body) VALUES ('b', -5, '{"year":2}'), ('c', 1::bigint << 40, '{"year":3}'), ('d', NULL, '{"year":4}'), ('e', 7, '{"year":5}')`)
	s.exec(t, `UPDATE app_demo.goods SET _seq = 1000 + _seq`)
	// As when all columns are copied: others have these numbers.
	s.exec(t, `INSERT INTO app_demo.goods (_id, _seq, _body) SELECT _id || _id, row_number() OVER (ORDER BY _id DESC), _body FROM app_demo.goods`)
	s.exec(t, `INSERT INTO app_demo.goods (_id, _seq, _body) SELECT 'h', last_value, '{"year":8}' FROM app_demo_derived.goods_seq`)
	s.put(t, "goods", "f", `{"year":6}`, "g", `{"year":7}`)
	var outside int
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM app_demo.goods, app_demo_derived.goods_seq s WHERE _seq NOT BETWEEN 1 AND s.last_value").Scan(&outside); err != nil || outside != 0 {
		t.Errorf("%d numbers are not the sequence's, %v", outside, err)
	}
	s.update(t, "goods", true, "year int")
	if got := s.found(t, "goods", sortedBy("_id"), filtered("year > 0")); got != "a aa b bb c cc d dd e ee f g h" {
		t.Errorf("after a rebuild: %q", got)
	}
}

// Somebody's trigger that writes another index is not the API.
func TestRowsOfATrigger(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title completion")
	s.create(t, "copies", "title completion")
	s.exec(t, `CREATE FUNCTION public.mirror() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO app_demo.copies (_id, _body) VALUES (NEW._id, NEW._body); RETURN NULL; END $$`)
	s.exec(t, `CREATE TRIGGER mirror AFTER INSERT ON app_demo.goods FOR EACH ROW EXECUTE FUNCTION public.mirror()`)
	for range 3 {
		if got := s.found(t, "copies"); got != "" {
			t.Fatalf("before: %q", got)
		}
	}
	s.put(t, "goods", "a", `{"title":"Espresso"}`)
	if got := s.found(t, "copies"); got != "a" {
		t.Errorf("after: %q", got)
	}
	if list, err := s.svc.Suggest(t.Context(), demo, "copies", "es"); err != nil || len(list.Autocomplete) != 1 {
		t.Errorf("suggested: %q, %v", list.Autocomplete, err)
	}
}

// Somebody who has read a table may write it while an exchange waits for the reader.
func TestReaderOfATableThatIsExchangedWrites(t *testing.T) {
	t.Parallel()
	s, tx, rebuilt := rebuildBeside(t, `SELECT FROM app_demo.goods`)
	for waits := false; !waits; {
		if err := s.db.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'
			AND relation = 'app_demo.goods'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tx.Exec(t.Context(), `INSERT INTO app_demo.goods (_id, _body) VALUES ('b', '{"title":"Teapot","year":2}')`); err != nil {
		t.Error(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-rebuilt; err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "goods", sortedBy("_id"), filtered("year > 0")); got != "a b" {
		t.Errorf("found %q", got)
	}
}

// What a trigger or foreign key of others writes while the API writes to the same table is not the API's: its words and suggestions are followed.
func TestRowsWrittenBesideTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title completion", "whole keyword")
	s.exec(t, `ALTER TABLE app_demo.goods ADD COLUMN part_of text REFERENCES app_demo.goods ON DELETE CASCADE`)
	s.exec(t, `CREATE FUNCTION public.relate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		UPDATE app_demo.goods SET _body = _body || '{"title":"Espresso machine"}' WHERE _id = NEW._body ->> 'whole'; RETURN NULL; END $$`)
	s.exec(t, `CREATE TRIGGER relate AFTER INSERT ON app_demo.goods FOR EACH ROW EXECUTE FUNCTION public.relate()`)
	s.put(t, "goods", "a", `{"title":"Kettle"}`, "other", `{"title":"Mug"}`)
	s.exec(t, `INSERT INTO app_demo.goods (_id, _body) SELECT 'more' || n, '{"title":"Bowl"}' FROM generate_series(1, 500) n`) // of few, all words are recounted
	s.suggests(t, "goods", "es", "")
	s.put(t, "goods", "part", `{"title":"Portafilter","whole":"a"}`)
	s.suggests(t, "goods", "es", "Espresso machine")
	s.finds(t, "goods", map[string]string{"kettle ": "", "machine ": "a", "expresso ": "a"})

	s.exec(t, `UPDATE app_demo.goods SET part_of = 'a' WHERE _id = 'part'`)
	if err := s.svc.DeleteDocument(t.Context(), "demo", "goods", "a"); err != nil {
		t.Fatal(err)
	}
	s.suggests(t, "goods", "po", "")
	s.finds(t, "goods", map[string]string{"portafilter ": "", "mug ": "other"})
}

// Logical replication, for which most triggers do not fire, writes rows as good as others.
func TestReplicatedRows(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title completion")
	s.put(t, "goods", "a", `{"title":"Kettle"}`)
	s.finds(t, "goods", map[string]string{"kettle ": "a"})
	s.exec(t, `BEGIN; SET LOCAL session_replication_role = replica;
		INSERT INTO app_demo.goods (_id, _seq, _body) VALUES ('b', 1, '{"title":"Espresso kettle"}'); DELETE FROM app_demo.goods WHERE _id = 'a'; COMMIT`)
	s.finds(t, "goods", map[string]string{"kettle ": "b", "expresso ": "b"})
	s.suggests(t, "goods", "es", "Espresso kettle")
	if _, err := s.db.Pool.Exec(t.Context(), "SET session_replication_role = replica; TRUNCATE app_demo.goods"); err == nil {
		t.Error("truncated")
	}
}

// An index whose triggers are those of an earlier build has the triggers of a new one once it is migrated.
func TestTriggersAreMigrated(t *testing.T) {
	t.Parallel()
	s := beforeMigration(t, 31)
	s.create(t, "goods", "title completion")
	const triggers = "SELECT string_agg(tgenabled::text || ' ' || pg_get_triggerdef(oid), E'\n' ORDER BY tgname) FROM pg_trigger WHERE tgrelid = 'app_demo.goods'::regclass"
	want := s.text(t, triggers)
	s.exec(t, `DO $$ DECLARE d text; BEGIN
		FOR d IN SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'app_demo.goods'::regclass LOOP
			EXECUTE replace(replace(d, 'CREATE', 'CREATE OR REPLACE'), ' OR (pg_trigger_depth() > 0)', '');
		END LOOP; END $$`)
	s.exec(t, `ALTER TABLE app_demo.goods ENABLE TRIGGER USER`)
	if s.text(t, triggers) == want {
		t.Fatal("there is nothing to migrate")
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.text(t, triggers); got != want {
		t.Errorf("migrated:\n%s\nnew:\n%s", got, want)
	}
}

// A foreign key of others, whose transaction may last, does not keep documents from being changed.
func TestForeignKeysOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title completion")
	s.put(t, "goods", "a", `{"title":"Kettle"}`)
	s.exec(t, `CREATE TABLE public.orders (goods text REFERENCES app_demo.goods)`)
	tx, err := s.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), `INSERT INTO public.orders VALUES ('a')`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := s.svc.PatchDocument(ctx, "demo", "goods", "a", []byte(`{"title":"Teapot"}`), false); err != nil {
		t.Error(err)
	}
}
