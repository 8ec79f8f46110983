package store_test

import "testing"

// What was stored while text behind an attribute that ends with an equals sign was lost is then found, and no other document is written.
func TestMarkupOfWhatIsStored(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 30)
	s.create(t, "pages", "text html")
	s.create(t, "others", "title name")
	s.put(t, "pages", "lost", `{"text":"<a href=\"/search?q=\">ship</a> and <a href=\"next\">sail</a>"}`, "found", `{"text":"<a href=\"/search\">boat</a>"}`)
	if got := s.found(t, "pages", forWords("ship ")); got != "" {
		t.Errorf("found before the migration: %q", got)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.text(t, "SELECT string_agg(name, ' ') FROM rowan.indices WHERE computed_by IS NULL"); n != "pages" {
		t.Errorf("documents of %q are to be compared", n)
	}
	s.Start(t.Context())
	eventually(t, "the document", func() bool { return s.found(t, "pages", forWords("ship ")) == "lost" })
	if n := s.text(t, "SELECT string_agg(_id, ' ') FROM app_demo.pages WHERE _updated_at > _created_at"); n != "lost" {
		t.Errorf("documents written: %q", n)
	}
}
