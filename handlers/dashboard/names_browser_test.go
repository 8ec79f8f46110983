//go:build browser

package dashboard_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// An index with the longest possible name leaves the numbers of all others visible.
func TestBrowserLongNames(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	for _, name := range []string{strings.Repeat("L", 60), "films"} {
		if err := b.svc.CreateIndex(t.Context(), app, name, nil); err != nil {
			t.Fatal(err)
		}
	}
	c := b.open()
	c.signIn()
	for _, path := range []string{"/dashboard/", "/dashboard/indices"} {
		c.visit(path)
		c.run(chromedp.EmulateViewport(1280, 800))
		if over := evaluate[float64](c, `(e => e.scrollWidth - e.clientWidth)(document.querySelector(".scroll"))`); over > 0 {
			t.Errorf("%s: %v px of the table are cut off", path, over)
		}
		c.run(chromedp.EmulateViewport(phoneWidth, 812))
		if right := evaluate[float64](c, `document.querySelector(".scroll thead th:nth-child(2)").getBoundingClientRect().right`); right > phoneWidth {
			t.Errorf("%s: on a phone the numbers of documents end at %v px", path, right)
		}
		c.look("long-names")
	}
}

// Rowan's own words in a table are not broken beside long texts that people have written.
func TestBrowserWholeWords(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	if err := b.svc.CreateIndex(t.Context(), app, "films", []mapping.Mapping{{Name: strings.Repeat("property", 30), Type: mapping.CaseSensitiveKeyword}}); err != nil {
		t.Fatal(err)
	}
	_, _, err := b.svc.CreateKey(t.Context(), service.NewKey{Application: app, Type: service.SearchKey, Description: strings.Repeat("The search box of the shop's web pages. ", 5), Filter: "tenant = " + strings.Repeat("4", 300)})
	if err != nil {
		t.Fatal(err)
	}
	c := b.open()
	c.signIn()
	c.run(chromedp.EmulateViewport(1280, 800))
	for _, path := range []string{"/dashboard/keys", "/dashboard/indices/films"} {
		c.visit(path)
		broken := evaluate[[]string](c, `[...document.querySelectorAll("td[data-label=Type], .links a")].filter((cell) => {
			const text = document.createRange();
			text.selectNodeContents(cell);
			return new Set([...text.getClientRects()].map((r) => Math.round(r.bottom / 8))).size > 1;
		}).map((cell) => cell.textContent)`)
		if len(broken) > 0 {
			t.Errorf("%s: words are broken: %q", path, broken)
		}
		c.look("whole-words")
	}
}
