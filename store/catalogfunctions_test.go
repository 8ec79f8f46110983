package store_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/storetest"
)

// A migration removes functions of the catalog that nothing calls; statements and tables of indices call functions, and these call others.
func TestFunctionsOfTheCatalogAreCalled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var fields []string
	for _, typ := range mapping.Types {
		fields = append(fields, "of_"+string(typ)+" "+string(typ))
	}
	s.create(t, "things", fields...)
	var calls strings.Builder
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	builders, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, builders...)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		calls.Write(text)
	}
	column := func(sql string) []string {
		t.Helper()
		rows, _ := s.db.Pool.Query(t.Context(), sql)
		list, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	calls.WriteString(strings.Join(column(`SELECT DISTINCT 'rowan.' || proname FROM pg_attrdef a
		JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
		JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
		WHERE adrelid = 'app_demo.things'::regclass`), "\n"))

	bodies := map[string]string{}
	names := column("SELECT proname FROM pg_proc WHERE pronamespace = 'rowan'::regnamespace ORDER BY oid")
	for i, body := range column("SELECT prosrc FROM pg_proc WHERE pronamespace = 'rowan'::regnamespace ORDER BY oid") {
		bodies[names[i]] += body
	}
	call := regexp.MustCompile(`rowan\.(\w+)`)
	var follow func(text string)
	follow = func(text string) {
		for _, m := range call.FindAllStringSubmatch(text, -1) {
			if body, left := bodies[m[1]]; left {
				delete(bodies, m[1])
				follow(body)
			}
		}
	}
	follow(calls.String())
	for name := range bodies {
		t.Errorf("nothing calls rowan.%s", name)
	}
}

// Objects that somebody has made using a removed function continue to work.
func TestFunctionsThatOthersUseStay(t *testing.T) {
	t.Parallel()
	db := storetest.Empty(t)
	migratedTo(t, db.Pool, 23)
	if _, err := db.Pool.Exec(t.Context(), `CREATE VIEW public.others AS SELECT rowan.any_text('["Ä", 1]') AS texts`); err != nil {
		t.Fatal(err)
	}
	if err := open(t, db).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var texts []string
	if err := db.Pool.QueryRow(t.Context(), "SELECT texts FROM public.others").Scan(&texts); err != nil || len(texts) != 1 || texts[0] != "a" {
		t.Errorf("the view has %q, %v", texts, err)
	}
}
