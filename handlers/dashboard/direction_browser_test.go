//go:build browser

package dashboard_test

import (
	"testing"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service/mapping"
)

// Texts in Hebrew or Arabic read from right to left wherever they are shown; the page itself does not.
func TestBrowserDirection(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	err := b.svc.CreateIndex(t.Context(), app, "books", []mapping.Mapping{
		{Name: "title", Type: mapping.Completion}, {Name: "subject", Type: mapping.Keyword}, {Name: "text", Type: mapping.Text},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.put("books", "1", `{"title":"ספר (PostgreSQL 18)!","subject":"תוכנה (SQL)!","text":"זהו ספר על PostgreSQL."}`)
	c := b.open()
	c.signIn()
	c.visit("/dashboard/search?in=books&q=ספר")
	for _, selector := range []string{"#q", "#suggestions a", ".facets .value", ".hits h3 a", ".hits dd"} {
		if got := evaluate[string](c, "getComputedStyle(document.querySelector(`"+selector+"`)).direction"); got != "rtl" {
			t.Errorf("the direction of %s is %s", selector, got)
		}
	}
	if got := evaluate[string](c, `getComputedStyle(document.querySelector(".hits li")).direction`); got != "ltr" {
		t.Errorf("the direction of a hit is %s", got)
	}
	c.look("direction")

	c.visit("/dashboard/indices/books/document?id=1")
	if got := evaluate[string](c, `getComputedStyle(document.querySelector("main li bdi")).direction`); got != "rtl" {
		t.Errorf("the direction of a document's suggestion is %s", got)
	}
	c.look("direction-document")
}
