package store_test

import (
	"context"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// A view that a DBA has made keeps an index as it is: whoever would change that is told, and can once it is gone.
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
	s.exec(t, `DROP VIEW public.titles; DELETE FROM app_demo.docs WHERE _id = 'b'`)
	for _, name := range []string{"mappings", "clear", "delete"} {
		if err := changes[name](); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rights that somebody has been given on an index's table outlive the table.
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
	if _, err := s.db.Pool.Exec(t.Context(), "GRANT SELECT ON app_demo.things TO "+role+" WITH GRANT OPTION; GRANT UPDATE ON app_demo.things TO PUBLIC"); err != nil {
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
		if err := s.db.Pool.QueryRow(t.Context(), `SELECT has_table_privilege($1, 'app_demo.things', 'SELECT WITH GRANT OPTION') AND has_table_privilege('public', 'app_demo.things', 'UPDATE')`,
			"rowan reader").Scan(&granted); err != nil || !granted {
			t.Errorf("%s: the rights are there: %t (%v)", name, granted, err)
		}
	}
}
