//go:build browser

package dashboard_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rowansearch/rowan/handlers/dashboard"
)

// An index with the longest of names leaves the numbers of all others in sight.
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
