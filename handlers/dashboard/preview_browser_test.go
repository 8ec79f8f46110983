//go:build browser

package dashboard_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service/mapping"
)

// shop creates an index with suggestions, facets and words in several fields.
func (b *bundle) shop() {
	b.t.Helper()
	err := b.svc.CreateIndex(b.t.Context(), app, "shop", []mapping.Mapping{
		{Name: "sku", Type: mapping.Identifier}, {Name: "title", Type: mapping.Sentence}, {Name: "brand", Type: mapping.Keyword}, {Name: "kind", Type: mapping.Category},
		{Name: "description", Type: mapping.Text},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.svc.UpdateIndexSettings(b.t.Context(), app, "shop", []byte(`{"autocomplete":{"fields":["title"]}}`), true); err != nil {
		b.t.Fatal(err)
	}
	for i, title := range []string{"Logitech mouse", "Logitech wireless mouse", "Logistics of mice", "Trackball"} {
		b.put("shop", fmt.Sprintf("sku-%d", i), fmt.Sprintf(`{"title":%q,"brand":"Brand %d","kind":"Computers > Mice","description":"A mouse by Logitech with many buttons"}`, title, i))
	}
}

const phoneWidth = 375

// On a phone the hits come first, with the facets folded above them; on a wide screen the facets are beside the hits, and never folded.
func TestBrowserFacetsFold(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.shop()
	c := b.open()
	c.signIn()
	const (
		box   = `document.querySelector("input[name=facet]")`
		shown = box + `.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true}) && ` + box + `.getBoundingClientRect().height > 0`
		first = `document.querySelector(".hits li").getBoundingClientRect().top`
	)
	c.run(chromedp.EmulateViewport(1280, 800))
	c.visit("/dashboard/search?in=shop&q=logitech")
	if !evaluate[bool](c, shown+` && `+box+`.getBoundingClientRect().right < document.querySelector(".hits").getBoundingClientRect().left`) {
		t.Error("on a wide screen the facets are not beside the hits")
	}
	if evaluate[bool](c, `document.querySelector(".facets summary").checkVisibility()`) {
		t.Error("on a wide screen the facets fold")
	}
	c.run(click(`input[name=facet]`))
	c.until(`new URL(location).searchParams.has("facet")`)

	c.run(chromedp.EmulateViewport(phoneWidth, 812))
	c.visit("/dashboard/search?in=shop&q=logitech")
	if evaluate[bool](c, shown) || evaluate[float64](c, first+` - document.querySelector(".facets").getBoundingClientRect().bottom`) < 0 {
		t.Error("on a phone the facets are not folded above the hits")
	}
	if got := evaluate[float64](c, first); got > 700 {
		t.Errorf("on a phone the first hit is %v px down", got)
	}
	c.picture("phone-facets-folded")
	// With only the keyboard; and they stay open while they are used.
	c.run(chromedp.Evaluate[chromedp.Void](`document.querySelector(".facets summary").focus(); undefined`), chromedp.KeyEvent(kb.Enter))
	c.until(shown)
	c.run(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" "))
	c.until(`new URL(location).searchParams.has("facet") && document.activeElement.name === "facet" && document.activeElement.checked`)
	if !evaluate[bool](c, shown) {
		t.Error("the facets fold when one is chosen")
	}
	c.look("phone-facets-open")
	c.run(chromedp.EmulateViewport(phoneWidth, 812), chromedp.Reload())
	if !evaluate[bool](c, shown) {
		t.Error("what is chosen is folded away")
	}
	c.quiet("facets")
}

// Explanations fit on a phone: nothing is cut off, and no row is mostly empty.
func TestBrowserExplanationOnAPhone(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.shop()
	c := b.open()
	c.signIn()
	c.run(chromedp.EmulateViewport(phoneWidth, 812))
	c.visit("/dashboard/search?in=shop&q=logitech+mouse&explain=1")
	c.until(`document.querySelector(".hits td")`)
	if over := evaluate[float64](c, `Math.max(...[...document.querySelectorAll(".hits .scroll")].map((e) => e.scrollWidth - e.clientWidth))`); over > 0 {
		t.Errorf("%v px are cut off", over)
	}
	// Two lines of text take about 45 px; with the words of a row below each other, a cell took 130.
	if height := evaluate[float64](c, `Math.max(...[...document.querySelectorAll(".hits td, .hits tbody th")].map((e) => e.getBoundingClientRect().height))`); height > 60 {
		t.Errorf("a cell is %v px high", height)
	}
	if got := c.text(".hits tbody tr"); got == "" {
		t.Error("there is no explanation")
	}
	c.look("explanation")
}

// Suggestions appear below the query while it is typed, for mouse and keyboard.
func TestBrowserSuggestions(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.shop()
	c := b.open()
	c.signIn()
	c.visit("/dashboard/search?in=shop")
	if got := c.text("#suggestions"); got != "" {
		t.Errorf("before anything is typed, %q is suggested", got)
	}
	c.run(write("#q", "logi"))
	c.until(`document.querySelectorAll("#suggestions a").length === 3`)
	if !evaluate[bool](c, `document.querySelector(".suggested").getBoundingClientRect().top >= document.querySelector("#q").getBoundingClientRect().bottom &&
		document.querySelector(".suggested").getBoundingClientRect().bottom <= document.querySelector("#search details").getBoundingClientRect().top`) {
		t.Error("the suggestions are not right below the query")
	}
	if evaluate[int](c, `document.querySelectorAll("#suggestions, #suggested").length`) != 2 {
		t.Error("suggestions are there twice")
	}
	c.look("suggestions")

	const at = `[...document.querySelectorAll("#suggestions a")].indexOf(document.activeElement)`
	c.run(click("#q"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab)) // past the button
	c.until(at + ` === 0`)
	c.run(chromedp.KeyEvent(kb.Escape))
	c.until(`document.activeElement.id === "q"`)
	c.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	c.until(at + ` === 1`)
	c.run(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowUp))
	c.until(`document.activeElement.id === "q"`)
	// Results that arrive while a suggestion has the focus do not move it.
	c.run(chromedp.KeyEvent("s"), chromedp.KeyEvent(kb.ArrowDown))
	c.until(`document.querySelectorAll("#suggestions a").length === 1 && ` + at + ` === 0`)
	c.run(chromedp.Evaluate[chromedp.Void]("window.before = true; undefined"), chromedp.KeyEvent(kb.Enter))
	c.until(`!window.before && document.readyState === "complete" && document.querySelector("#q").value === "Logistics of mice"`)
	if got := c.text(".hits li h3 a"); got != "Logistics of mice" {
		t.Errorf("the first hit is %q", got)
	}
	if got := c.text("#suggestions"); got != "" {
		t.Errorf("beside itself, %q is suggested", got)
	}
	c.run(chromedp.KeyEvent(" sold")) // typing continues from there
	c.until(`document.querySelector("#q").value === "Logistics of mice sold"`)
	c.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#q").select(); undefined`), chromedp.KeyEvent("logi"))
	c.until(`document.querySelectorAll("#suggestions a").length === 3`)
	c.run(chromedp.Evaluate[chromedp.Void]("window.before = true; undefined"), click("#suggestions li:last-child a"))
	c.until(`!window.before && document.readyState === "complete" && document.querySelector("#q").value.startsWith("Logi")`)
	c.quiet("suggestions")
}
