package store_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/storetest"
)

// A view that a DBA has created prevents changes of an index: the client is told so, and the change succeeds once the view is gone.
func TestViewsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.put(t, "docs", "a", `{"title":"Kept","n":1}`)
	s.exec(t, `CREATE VIEW public.titles AS SELECT _id, title FROM app_demo.docs`)
	changes := map[string]func() error{
		"mappings": func() error {
			_, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", []mapping.Mapping{{Name: "n", Type: mapping.Int}}, true)
			return err
		},
		"clear":  func() error { return s.svc.ClearIndex(t.Context(), "demo", "docs") },
		"delete": func() error { return s.svc.DeleteIndex(t.Context(), "demo", "docs") },
	}
	for name, change := range changes {
		if err := change(); service.ErrorCode(err) != service.CodeIndexInUse {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.put(t, "docs", "b", `{"title":"Kept, too","n":"a text"}`)
	if got := s.found(t, "docs", forWords("kept "), sortedBy("_id")); got != "a b" {
		t.Errorf("found %q", got)
	}
	if err := changes["mappings"](); service.ErrorCode(err) != service.CodeIndexInUse {
		t.Errorf("the view is noticed once the documents have been looked at: %v", err)
	}
	s.exec(t, `DROP VIEW public.titles; DELETE FROM app_demo.docs WHERE _id = 'b'`)
	for _, name := range []string{"mappings", "clear", "delete"} {
		if err := changes[name](); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A table that a DBA has created where an index would have its own keeps the name, as do names that become equal when cut.
func TestNamesOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.exec(t, `CREATE TABLE app_demo.docs (n int)`)
	// PostgreSQL uses 63 bytes of both names, and of names derived from them; the hash at their end is the same.
	const same = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz000000000"
	s.create(t, same+"09649", "title name")
	for _, name := range []string{"docs", same + "15206"} {
		if err := s.svc.CreateIndex(t.Context(), "demo", name, nil); service.ErrorCode(err) != service.CodeNameTaken {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.svc.CurrentIndex(t.Context(), "demo", name); service.ErrorCode(err) != service.CodeIndexNotFound {
			t.Errorf("%s is there all the same: %v", name, err)
		}
	}
	s.exec(t, `DROP TABLE app_demo.docs`)
	s.create(t, "docs", "title name")
}

// A name to which table names of another index are cut would give two indices the same table, in whichever order they are created.
func TestNamesThatOthersAreCutTo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	long := strings.Repeat("a", 60)
	sum := sha256.Sum256([]byte(long))
	cut := func(suffix string) string {
		return long[:63-len(suffix)-9] + "_" + hex.EncodeToString(sum[:4])
	}
	taken := func(name string) {
		t.Helper()
		if err := s.svc.CreateIndex(t.Context(), "demo", name, nil); service.ErrorCode(err) != service.CodeNameTaken {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.create(t, long, "title completion")
	for _, suffix := range []string{"_seq", "_changes", "_rebuild", "_next", "_words", "_touched", "_nextpostings"} {
		taken(cut(suffix))
	}
	s.create(t, "b"+cut("_changes")[1:], "title completion")
	s.create(t, long[:50], "title completion")
	if err := s.svc.DeleteIndex(t.Context(), "demo", long); err != nil {
		t.Fatal(err)
	}
	s.create(t, cut("_changes"), "title completion")
	taken(long)
}

// A document that a constraint or trigger of a DBA rejects does not fit; it is not a server error.
func TestConstraintsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name", "price price")
	for name, sql := range map[string]string{
		"check":                            `ALTER TABLE app_demo.docs ADD CONSTRAINT dear CHECK (price > 5)`,
		"unique":                           `CREATE UNIQUE INDEX titles ON app_demo.docs (title)`,
		"column":                           `ALTER TABLE app_demo.docs ADD COLUMN must text NOT NULL DEFAULT ''; ALTER TABLE app_demo.docs ALTER must DROP DEFAULT`,
		"trigger":                          `CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not on Sundays'; END $$; CREATE TRIGGER refuse BEFORE INSERT ON app_demo.docs FOR EACH ROW EXECUTE FUNCTION public.refuse()`,
		"trigger with an error of its own": `CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not on Mondays' USING ERRCODE = '45000'; END $$; CREATE TRIGGER refuse BEFORE INSERT ON app_demo.docs FOR EACH ROW EXECUTE FUNCTION public.refuse()`,
		"trigger that takes the title for a number": `CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM (NEW._body ->> 'title')::int; RETURN NEW; END $$; CREATE TRIGGER refuse AFTER INSERT ON app_demo.docs FOR EACH ROW EXECUTE FUNCTION public.refuse()`,
	} {
		if err := s.svc.ClearIndex(t.Context(), "demo", "docs"); err != nil { // remove documents of the previous case
			t.Fatal(err)
		}
		s.put(t, "docs", "a", `{"title":"Kept","price":9}`)
		s.exec(t, sql)
		body := []byte(`{"title":"Kept","price":1}`)
		_, err := s.svc.UpsertDocument(t.Context(), "demo", "docs", "b", body)
		if service.ErrorCode(err) != service.CodeInvalidDocument {
			t.Errorf("%s: %v", name, err)
		}
		_, err = s.svc.WriteBatch(t.Context(), "demo", "docs", []byte(`[{"action":"upsert","_id":"b","body":`+string(body)+`}]`))
		if service.ErrorCode(err) != service.CodeInvalidDocument {
			t.Errorf("%s, in a batch: %v", name, err)
		}
	}
}

// What depends on the table and goes with it does not prevent changes: columns, indexes, constraints, triggers, statistics and policies of others.
func TestBelongingsOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.put(t, "docs", "a", `{"title":"Kept"}`)
	s.exec(t, `CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
		ALTER TABLE app_demo.docs ADD COLUMN id serial, ADD COLUMN twice int GENERATED ALWAYS AS (length(_id) * 2) STORED, ADD COLUMN whole text REFERENCES app_demo.docs, ADD CHECK (length(title) < 100);
		CREATE INDEX lower ON app_demo.docs (lower(title)) WHERE twice > 0;
		CREATE STATISTICS public.both ON title, _id FROM app_demo.docs;
		CREATE TRIGGER nothing AFTER UPDATE OF _body ON app_demo.docs FOR EACH ROW WHEN (NEW.title IS NOT NULL) EXECUTE FUNCTION public.nothing();
		CREATE POLICY guests ON app_demo.docs USING (title <> '');
		CREATE PUBLICATION docs FOR TABLE app_demo.docs (_id, _body) WHERE (_id <> 'x')`)
	s.update(t, "docs", true, "n int")
	if err := s.svc.ClearIndex(t.Context(), "demo", "docs"); err != nil {
		t.Error(err)
	}
}

// An event trigger may forbid changes of the database's schema: that is no fault of the service, and the operator is told whose it is.
func TestEventTriggersOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.exec(t, `CREATE FUNCTION public.frozen() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not on Fridays'; END $$;
		CREATE EVENT TRIGGER frozen ON ddl_command_start EXECUTE FUNCTION public.frozen()`)
	for name, change := range map[string]func() error{
		"create": func() error { return s.svc.CreateIndex(t.Context(), "demo", "more", nil) },
		"mappings": func() error {
			_, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", []mapping.Mapping{{Name: "n", Type: mapping.Int}}, true)
			return err
		},
		"clear":  func() error { return s.svc.ClearIndex(t.Context(), "demo", "docs") },
		"delete": func() error { return s.svc.DeleteIndex(t.Context(), "demo", "docs") },
	} {
		if err := change(); service.ErrorCode(err) != service.CodeUnavailable || !strings.Contains(err.Error(), "function frozen()") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A table without its key, as a restore that was interrupted leaves it, is no fault of the service.
func TestTableWithoutItsKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.exec(t, `ALTER TABLE app_demo.docs DROP CONSTRAINT "docs._id"`)
	if _, err := s.svc.UpsertDocument(t.Context(), "demo", "docs", "a", []byte(`{}`)); service.ErrorCode(err) != service.CodeUnavailable {
		t.Error(err)
	}
	s.exec(t, `ALTER TABLE app_demo.docs ADD PRIMARY KEY (_id)`)
	s.put(t, "docs", "a", `{"title":"Kept"}`)
}

// PostgreSQL cannot run statements that return rows on a table with rules: that does not pass by itself.
func TestRulesOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.exec(t, "CREATE RULE pass_over AS ON INSERT TO app_demo.docs DO INSTEAD NOTHING")
	_, err := s.svc.UpsertDocument(t.Context(), "demo", "docs", "a", []byte(`{"title":"New"}`))
	if e, ok := err.(*service.Error); !ok || e.Code != service.CodeUnavailable || e.RetryAfter != 0 || !strings.Contains(e.Detail, "CREATE RULE") {
		t.Errorf("with a rule: %v", err)
	}
	s.exec(t, "DROP RULE pass_over ON app_demo.docs")
	s.put(t, "docs", "a", `{"title":"New"}`)
}

// Everything works when all tables are published, including those without a key.
func TestPublishedTables(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(10)
	s.exec(t, "CREATE PUBLICATION everything FOR ALL TABLES")
	s.create(t, "things", "title name")
	for i := range 40 {
		s.put(t, "things", fmt.Sprint(i), `{"title":"Kept"}`)
	}
	follow := func() {
		t.Helper()
		if err := s.Settle(t.Context(), s.current(t, "things")); err != nil {
			t.Fatal(err)
		}
		s.buildPostings(t)
	}
	follow()
	s.put(t, "things", "1", `{"title":"Neww"}`)
	if _, err := s.svc.UpdateIndex(t.Context(), "demo", "things", mappings("other keyword"), true); err != nil {
		t.Error(err)
	}
	if err := s.svc.DeleteDocument(t.Context(), "demo", "things", "2"); err != nil {
		t.Error(err)
	}
	follow()
	if got := s.found(t, "things", forWords("newv")); got != "1" {
		t.Errorf("by a misspelled word, %q is found", got)
	}
	var logged int
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM app_demo_derived.things_changes) + (SELECT count(*) FROM app_demo_derived.things_touched)").Scan(&logged); err != nil || logged != 0 {
		t.Errorf("%d documents are logged still: %v", logged, err)
	}
}

// Tables of earlier builds may have no replica identity: whoever publishes them is told so, and the error ends with the publication.
func TestPublishedLogs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.put(t, "docs", "a", `{"title":"Kept"}`)
	change := func() error {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", mappings("other keyword"), true)
		return err
	}
	s.exec(t, "ALTER TABLE app_demo_derived.docs_progress REPLICA IDENTITY DEFAULT")
	s.exec(t, "CREATE PUBLICATION everything FOR ALL TABLES")
	e, ok := change().(*service.Error)
	if !ok || e.Code != service.CodeUnavailable || e.RetryAfter != 0 || !strings.Contains(e.Detail, "TABLES IN SCHEMA") {
		t.Errorf("with all tables published: %v", e)
	}
	s.put(t, "docs", "b", `{"title":"New"}`)
	if got := s.found(t, "docs", forWords("new")); got != "b" {
		t.Errorf("found %q", got)
	}
	s.exec(t, "DROP PUBLICATION everything; CREATE PUBLICATION documents FOR TABLES IN SCHEMA app_demo")
	if err := change(); err != nil {
		t.Errorf("with the documents published: %v", err)
	}
	if got := s.found(t, "docs", forWords("kept")); got != "a" {
		t.Errorf("found %q", got)
	}
}

// A DBA's trigger that returns NULL makes PostgreSQL skip a row silently: the client is not told that it was written.
func TestRowsThatTriggersOfOthersLeaveOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	s.put(t, "docs", "a", `{"title":"Kept"}`)
	s.exec(t, `CREATE FUNCTION public.pass_over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF (CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END)._id IN ('a', 'b') THEN RETURN NULL; END IF; RETURN NEW; END $$;
		CREATE TRIGGER pass_over BEFORE INSERT OR UPDATE OR DELETE ON app_demo.docs FOR EACH ROW EXECUTE FUNCTION public.pass_over()`)
	batch := func(actions string) func() error {
		return func() error {
			_, err := s.svc.WriteBatch(t.Context(), "demo", "docs", []byte(actions))
			return err
		}
	}
	for name, write := range map[string]func() error{
		"a new document": func() error {
			_, err := s.svc.UpsertDocument(t.Context(), "demo", "docs", "b", []byte(`{"title":"New"}`))
			return err
		},
		"one that is there": func() error {
			_, err := s.svc.UpsertDocument(t.Context(), "demo", "docs", "a", []byte(`{"title":"New"}`))
			return err
		},
		"a patch": func() error {
			_, err := s.svc.PatchDocument(t.Context(), "demo", "docs", "a", []byte(`{"title":"New"}`), false)
			return err
		},
		"a removal":            func() error { return s.svc.DeleteDocument(t.Context(), "demo", "docs", "a") },
		"a batch":              batch(`[{"action":"upsert","_id":"c","body":{"title":"New"}},{"action":"upsert","_id":"b","body":{"title":"New"}}]`),
		"a batch that removes": batch(`[{"action":"delete","_id":"a"},{"action":"upsert","_id":"c","body":{"title":"New"}}]`),
	} {
		if err := write(); service.ErrorCode(err) != service.CodeInvalidDocument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := s.found(t, "docs", forWords("kept")); got != "a" || s.found(t, "docs", forWords("new")) != "" {
		t.Errorf("found %q, and something new", got)
	}
	if err := batch(`[{"action":"upsert","_id":"c","body":{}},{"action":"delete","_id":"c"},{"action":"delete","_id":"gone"},{"action":"upsert","_id":"d","body":{}}]`)(); err != nil {
		t.Errorf("what the trigger lets through: %v", err)
	}
}

// Rights that somebody was granted on an index's table survive the replacement of the table.
func TestGrantsStay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name")
	const role = `"rowan reader"`
	if _, err := s.db.Pool.Exec(t.Context(), "DO $$ BEGIN CREATE ROLE "+role+"; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := s.db.Pool.Exec(context.Background(), "DROP OWNED BY "+role); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.db.Pool.Exec(t.Context(), "GRANT SELECT ON app_demo.things TO "+role+" WITH GRANT OPTION; GRANT UPDATE ON app_demo.things TO PUBLIC; GRANT USAGE ON SEQUENCE app_demo_derived.things_seq TO "+role); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"mappings": func() error {
			_, err := s.svc.UpdateIndex(t.Context(), "demo", "things", mappings("other keyword"), true)
			return err
		},
		"clear": func() error { return s.svc.ClearIndex(t.Context(), "demo", "things") },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		var granted bool
		if err := s.db.Pool.QueryRow(t.Context(), `SELECT has_table_privilege($1, 'app_demo.things', 'SELECT WITH GRANT OPTION') AND has_table_privilege('public', 'app_demo.things', 'UPDATE') AND has_sequence_privilege($1, 'app_demo_derived.things_seq', 'USAGE')`,
			"rowan reader").Scan(&granted); err != nil || !granted {
			t.Errorf("%s: the rights are there: %t (%v)", name, granted, err)
		}
	}
}

// Rights to some columns and some rows survive it as well: a reader who may see a few rows is not shown all. A policy that needs a column that would
// be removed keeps the table.
func TestRightsToRowsStay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name", "extra name")
	const role = `"rowan guest"`
	s.exec(t, "DO $$ BEGIN CREATE ROLE "+role+"; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$")
	t.Cleanup(func() {
		if _, err := s.db.Pool.Exec(context.Background(), "DROP OWNED BY "+role); err != nil {
			t.Error(err)
		}
	})
	s.exec(t, "GRANT USAGE ON SCHEMA app_demo TO "+role+`;
		GRANT SELECT (_id, extra, _body) ON app_demo.things TO `+role+`;
		ALTER TABLE app_demo.things ENABLE ROW LEVEL SECURITY;
		CREATE POLICY "open, all" ON app_demo.things FOR SELECT USING (_body ->> 'open' = 'yes');
		CREATE POLICY guests ON app_demo.things AS RESTRICTIVE TO `+role+", CURRENT_USER USING (_id <> 'c') WITH CHECK (false)")
	fill := func() {
		s.put(t, "things", "a", `{"open":"yes"}`, "b", `{"open":"no"}`, "c", `{"open":"yes"}`)
	}
	fill()
	shown := func() (ids string) {
		t.Helper()
		err := pgx.BeginFunc(t.Context(), s.db.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "SET LOCAL ROLE "+role); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), "SELECT string_agg(_id, ' ') FROM app_demo.things").Scan(&ids)
		})
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	update := func(fields ...string) error {
		_, err := s.svc.UpdateIndex(t.Context(), "demo", "things", mappings(fields...), false)
		return err
	}
	if err := update("title name"); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "a" {
		t.Errorf("with other mappings a guest is shown %q", got)
	}
	if err := s.svc.ClearIndex(t.Context(), "demo", "things"); err != nil {
		t.Fatal(err)
	}
	fill()
	if got := shown(); got != "a" {
		t.Errorf("of an index that was cleared a guest is shown %q", got)
	}
	s.exec(t, "CREATE POLICY titles ON app_demo.things USING (title = 'x')")
	if err := update("other keyword"); service.ErrorCode(err) != service.CodeIndexInUse {
		t.Errorf("without the column of a policy: %v", err)
	}
	if got := shown(); got != "a" {
		t.Errorf("a guest is shown %q", got)
	}
}

// If row policies also apply to Rowan's role, statements fail: otherwise documents would be missing, and lost when the table is exchanged.
func TestPoliciesForTheRoleOfTheService(t *testing.T) {
	t.Parallel()
	s, _, exec := limitedSite(t)
	s.create(t, "things", "title name")
	s.put(t, "things", "a", `{"title":"one"}`, "b", `{"title":"two"}`)
	exec("ALTER TABLE app_demo.things ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY first ON app_demo.things USING (_id = 'a')")
	if _, err := s.svc.UpdateIndex(t.Context(), "demo", "things", mappings("other name"), true); err == nil {
		t.Error("the index is built anew from the documents that are shown")
	}
	exec("ALTER TABLE app_demo.things NO FORCE ROW LEVEL SECURITY")
	if got := s.found(t, "things", sortedBy("_id")); got != "a b" {
		t.Errorf("found %q", got)
	}
}

// limitedSite is a site whose service has a role with few rights, which owns what it creates. exec runs a statement as superuser.
func limitedSite(t *testing.T) (s *site, role string, exec func(sql string)) {
	t.Helper()
	db := storetest.Empty(t)
	address, _ := limitedRole(t, db)
	role = roleOf(t, address)
	exec = func(sql string) {
		t.Helper()
		if _, err := db.Pool.Exec(context.Background(), sql); err != nil {
			t.Error(err)
		}
	}
	exec("DO $$ BEGIN EXECUTE 'GRANT CREATE ON DATABASE ' || current_database() || ' TO " + role + "'; END $$")
	config := storeConfig(db)
	config.URL = address
	if err := openWith(t, config).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return siteWith(t, db, config), role, exec
}
