package store_test

import (
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
