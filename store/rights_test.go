package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// A role that lacks a right is told which ones it needs; the right to create schemas only if some must be created.
func TestRightsOfTheRole(t *testing.T) {
	t.Parallel()
	db := storetest.Empty(t)
	address, _ := limitedRole(t, db)
	role := roleOf(t, address)
	exec := func(sql string) {
		t.Helper()
		if _, err := db.Pool.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
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

// A database without the language of Rowan's functions is told how to get it.
func TestDatabaseWithoutPLpgSQL(t *testing.T) {
	t.Parallel()
	db := storetest.Empty(t)
	st := openWith(t, storeConfig(db))
	for _, sql := range []string{"DROP EXTENSION plpgsql"} {
		if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "CREATE EXTENSION plpgsql") {
		t.Error(err)
	}
}

// A role that may write the documents of one index gets no other rights from that, in particular not those of Rowan's role, with which the table's
// triggers run.
func TestRightsOfWritersAreTheirOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title name")
	s.create(t, "secrets", "title name")
	s.put(t, "secrets", "a", `{"title":"secret"}`)
	address, _ := limitedRole(t, s.db)
	writer, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	role := pgx.Identifier{writer.Config().User}.Sanitize()
	t.Cleanup(func() { _ = writer.Close(context.Background()) })
	s.exec(t, "GRANT USAGE ON SCHEMA rowan, app_demo TO "+role+"; GRANT SELECT, INSERT, UPDATE, DELETE ON app_demo.goods TO "+role+"; GRANT USAGE ON SEQUENCE app_demo_derived.goods_seq TO "+role)
	do := func(sql string) error {
		_, err := writer.Exec(t.Context(), sql)
		return err
	}
	for _, sql := range []string{
		`INSERT INTO app_demo.goods (_id, _body) VALUES ('x', '{"title":"kettle"}')`,
		`UPDATE app_demo.goods SET _body = '{"title":"teapot"}'`,
		"CREATE TEMP TABLE own (_seq bigint, _id text)",
		"CREATE TEMP TABLE loot (what text); GRANT INSERT ON loot TO PUBLIC",
	} {
		if err := do(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if got := s.found(t, "goods", forWords("teapot")); got != "x" {
		t.Errorf("what the role has written: %q", got)
	}

	denied := func(what, state string, err error) {
		t.Helper()
		if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code != state {
			t.Errorf("%s: %v", what, err)
		}
	}
	trigger := `CREATE TRIGGER own AFTER INSERT ON own FOR EACH ROW EXECUTE FUNCTION rowan.log_row('1', '1',
		'loot (what) SELECT _body::text FROM app_demo.secrets --')`
	denied("a trigger with the rights of Rowan", "42501", do(trigger))
	denied("a number of any sequence", "42501", do(`CREATE TRIGGER own BEFORE INSERT ON own FOR EACH ROW EXECUTE FUNCTION rowan.number_row('app_demo_derived.secrets_seq')`))

	// As in a database that was restored without rights.
	s.exec(t, "GRANT EXECUTE ON FUNCTION rowan.log_row() TO PUBLIC")
	if err := do(trigger); err != nil {
		t.Fatal(err)
	}
	denied("a statement in the place of a table", "42602", do("INSERT INTO own VALUES (1, 'a')"))
}
