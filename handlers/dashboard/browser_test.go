//go:build browser

package dashboard_test

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rowansearch/rowan/handlers/dashboard"
)

//go:embed testdata/accessibility.js
var accessibility string

// chrome is a tab of a headless Chromium that records what goes wrong on its pages.
type chrome struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu     sync.Mutex
	errors []string
}

// open starts Chromium. The tests fail if there is none: they are only run on request.
func (b *bundle) open() *chrome {
	b.t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(b.t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-zygote", true)) // now and then it cannot fork at the start, and Chromium 148 ends
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	c := &chrome{t: b.t, ctx: ctx, base: b.url}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		cancelAllocator() // cancel would wait for a browser that has not started
		b.t.Fatalf("Chromium does not start (install it: package chromium on Debian): %v", err)
	}
	b.t.Cleanup(func() {
		_ = chromedp.Cancel(ctx) // waits until the browser has ended
		cancel()
		cancelAllocator()
	})
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return // the browser has ended
			}
			switch m.Type {
			case chromedp.ConsoleError, chromedp.ConsoleWarning, chromedp.ConsoleException:
				c.note(m.String() + " " + m.URL)
			}
		}
	}()
	return c
}

func (c *chrome) note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors = append(c.errors, text)
}

// quiet fails the test if a page has complained since the last call. expected are parts of complaints that
// are allowed.
func (c *chrome) quiet(place string, expected ...string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range c.errors {
		if !slices.ContainsFunc(expected, func(part string) bool { return strings.Contains(text, part) }) {
			c.t.Errorf("%s: %s", place, text)
		}
	}
	c.errors = nil
}

// patience is how long a step on a page may take.
const patience = 20 * time.Second

func (c *chrome) run(actions ...chromedp.Action[chromedp.Void]) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		c.fatal(err)
	}
}

// evaluate returns the value of a JavaScript expression.
func evaluate[T any](c *chrome, expression string) T {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		c.fatal(err)
	}
	return value
}

func (c *chrome) fatal(err error) {
	c.t.Helper()
	page, _ := chromedp.Run(c.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.documentElement.outerHTML`))
	c.t.Fatalf("%v\nat %s", err, page)
}

func (c *chrome) visit(path string) { c.t.Helper(); c.run(chromedp.Navigate(c.base + path)) }

// text returns the text of an element.
func (c *chrome) text(selector string) string {
	c.t.Helper()
	return strings.TrimSpace(evaluate[string](c, fmt.Sprintf("document.querySelector(%q).textContent", selector)))
}

// until waits until a JavaScript condition holds. Meanwhile the page may be replaced by another.
func (c *chrome) until(condition string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	for ctx.Err() == nil {
		if holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+condition+")")); err == nil && holds {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.fatal(fmt.Errorf("it does not come true that %s", condition))
}

func write(selector, text string) chromedp.Action[chromedp.Void] {
	return chromedp.SendKeys(chromedp.CSS(selector), text)
}

func set(selector, value string) chromedp.Action[chromedp.Void] {
	return chromedp.SetValue(chromedp.CSS(selector), value)
}

func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// submit clicks something that leads to another page, and waits until that page is at path.
func (c *chrome) submit(selector, path string) {
	c.t.Helper()
	c.run(chromedp.Evaluate[chromedp.Void]("window.before = true; undefined"), click(selector))
	c.until(fmt.Sprintf("!window.before && location.pathname === %q && document.readyState === 'complete'", path))
}

func (c *chrome) signIn() {
	c.t.Helper()
	c.visit("/dashboard/sign-in")
	c.run(write("#application", app), write("#key", adminKey))
	c.submit("main button", "/dashboard/")
}

// look checks the open page in both color schemes, on wide, middling and narrow screens. If ROWAN_SCREENSHOTS is
// set to a directory, it saves pictures of the page there. expected is as for quiet.
func (c *chrome) look(name string, expected ...string) {
	c.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for screen, width := range map[string]int64{"wide": 1280, "tablet": 720, "phone": 360} {
			c.run(chromedp.EmulateViewport(width, 800), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
				}})
				return err
			}))
			faults := evaluate[[]string](c, accessibility)
			for _, fault := range faults {
				c.t.Errorf("%s (%s, %s): %s", name, screen, scheme, fault)
			}
			c.picture(name + "-" + screen + "-" + scheme)
		}
	}
	c.run(chromedp.ResetViewport())
	c.quiet(name, expected...)
}

// picture saves a picture of the open page in the directory ROWAN_SCREENSHOTS, if that is set.
func (c *chrome) picture(name string) {
	c.t.Helper()
	dir := os.Getenv("ROWAN_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(c.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		c.fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func TestBrowserPages(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{Metrics: measured{}, Analytics: measured{}})
	b.films()
	c := b.open()
	c.visit("/dashboard/sign-in")
	c.look("sign-in")

	c.signIn()
	// The first press of Tab shows the link past the navigation; whatever has the focus shows that.
	c.visit("/dashboard/indices")
	c.run(chromedp.KeyEvent(kb.Tab))
	shown := evaluate[bool](c, `document.activeElement.matches(".skip") && document.activeElement.getBoundingClientRect().top >= 0 && parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2`)
	if !shown {
		t.Error("the skip link does not show when it has the focus")
	}

	names := regexp.MustCompile(`[^a-z]+`)
	for _, path := range b.pagePaths() {
		if strings.Contains(path, "/results") {
			continue // part of a page
		}
		c.visit(path)
		name := strings.Trim(names.ReplaceAllString(strings.ReplaceAll(strings.TrimPrefix(path, "/dashboard"), b.keyID, "key"), "-"), "-")
		if name == "" {
			name = "overview"
		}
		c.look(name)
	}
	// Pages with an error, or that are reached only through a form.
	c.visit("/dashboard/indices/films/mappings")
	c.run(set("tbody tr:nth-child(2) select", "date"), click("tbody tr:nth-child(3) input[type=checkbox]"),
		write("tbody tr:nth-child(5) input[name=name]", "director"))
	c.submit("main form button", "/dashboard/indices/films/mappings")
	c.until(`document.querySelector("h1").textContent.startsWith("Change")`)
	c.look("mappings-confirm")
	c.visit("/dashboard/define-search")
	c.run(write("#name", "films"), write("#index", "films"), set("#fields", "title: 3\nyear: much"), set("#per_page", "1000"))
	c.submit("main form button", "/dashboard/searches")
	c.until(`document.querySelector("#fields").getAttribute("aria-invalid") === "true"`)
	if got := c.text("#fields-fault"); got != "fields, line 2: must be a property, a colon and a number, such as title: 3" {
		t.Errorf("beside the field is %q", got)
	}
	c.look("definition-faults", "422")
	for name, path := range map[string]string{"not-found": "/dashboard/nowhere", "no-document": "/dashboard/indices/films/document?id=nobody"} {
		c.visit(path)
		c.until(`document.querySelector(".problem")`)
		c.look(name, "404")
	}
}

func TestBrowserJourney(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.open()
	c.visit("/dashboard/keys") // redirects to the sign-in page, and from there back
	c.until(`location.pathname === "/dashboard/sign-in"`)
	c.run(write("#application", app), write("#key", adminKey+"\n"))
	c.until(`location.pathname === "/dashboard/keys" && document.readyState === "complete"`)
	c.visit("/dashboard/")
	c.look("first-overview")

	// An index with more mappings than the form has rows initially.
	c.submit(".empty a", "/dashboard/create-index")
	c.run(write("#index", "books"))
	for i, m := range [][2]string{{"title", "completion"}, {"author", "name"}, {"year", "int"}, {"genre", "keyword"}, {"blurb", "text"}} {
		row := fmt.Sprintf("tbody tr:nth-child(%d) ", i+1)
		c.run(write(row+"input[name=name]", m[0]), set(row+"select", m[1]))
	}
	c.submit("main form button", "/dashboard/indices/books")
	if got := c.text(".notice"); got != "The index was created." {
		t.Errorf("the notice is %q", got)
	}
	c.look("new-index")
	ix, _, err := b.svc.Index(t.Context(), app, "books")
	if err != nil || len(ix.Mappings) != 5 {
		t.Fatalf("%v, %v", ix, err)
	}

	// Two documents.
	for id, document := range map[string]string{
		"earthsea": `{"title": "A Wizard of Earthsea", "author": "Ursula K. Le Guin", "year": 1968, "genre": "fantasy", "blurb": "A boy lets a shadow loose."}`,
		"solaris":  `{"title": "Solaris", "author": "Stanisław Lem", "year": 1961, "genre": "science fiction", "blurb": "An ocean dreams of a wizard."}`,
	} {
		c.visit("/dashboard/indices/books/document/new")
		c.run(write("#id", id), set("#document", document))
		c.submit("main form button", "/dashboard/indices/books/document")
		if got := c.text(".notice"); got != "The document was saved." {
			t.Errorf("the notice is %q", got)
		}
	}
	c.look("document-saved")

	// Hits while typing, and a chosen facet.
	c.visit("/dashboard/search?in=books")
	c.until(`document.querySelectorAll(".hits li").length === 2`)
	c.run(write("#q", "wiz"))
	c.until(`document.querySelector(".hits mark") && document.querySelector("#curl").textContent.includes('"wiz"')`)
	c.until(`document.querySelector(".hits li h3 a").textContent === "A Wizard of Earthsea"`) // words in titles weigh more
	if got := c.text("#status"); !strings.HasPrefix(got, "2 documents in ") {
		t.Errorf("the status is %q", got)
	}
	c.look("search-typing")
	c.run(chromedp.EmulateViewport(1280, 800), click(`input[name=facet][value*="science"]`))
	c.until(`document.querySelectorAll(".hits li").length === 1 && document.querySelector(".hits li h3 a").textContent === "Solaris"`)
	c.until(`document.activeElement.name === "facet" && document.activeElement.checked`) // the focus stays where it was
	c.until(`new URL(location).searchParams.get("facet") === '["genre","science fiction"]'`)
	c.look("search-facet")
	c.run(write("#q", " nothing"), set("#match", "all"),
		chromedp.Evaluate[chromedp.Void](`document.querySelector("#match").dispatchEvent(new Event("input", {bubbles: true})); undefined`))
	c.until(`document.querySelector("#status").textContent === "Nothing was found."`)
	c.run(set("#f", "year >"), click(".searchbar button"))
	c.until(`document.querySelector("#results .problem")`)
	c.look("search-error")

	// A search with a name of its own: defined with only the keyboard, tried and deleted.
	c.visit("/dashboard/searches")
	c.submit("main .head a", "/dashboard/define-search")
	c.run(click("#name"), chromedp.KeyEvent("shadows"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("books"), chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Tab),
		chromedp.KeyEvent("blurb: 2"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("year < 1970"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("genre"),
		chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("-year"), chromedp.Evaluate[chromedp.Void]("window.before = true; undefined"), chromedp.KeyEvent(kb.Enter))
	c.until(`!window.before && location.pathname === "/dashboard/searches/shadows" && document.readyState === "complete"`)
	if got := c.text(".notice"); got != "The search was defined." {
		t.Errorf("the notice is %q", got)
	}
	c.look("search-defined")
	def, err := b.svc.SearchDefinition(t.Context(), app, "shadows")
	if err != nil || def.Index != "books" || def.Fields["blurb"] != 2 || string(def.Filter) != `"year < 1970"` || def.Sort != "-year" || !slices.Equal(def.Facets, []string{"genre"}) {
		t.Errorf("%+v, %v", def, err)
	}
	c.submit("main .links a", "/dashboard/search")
	c.until(`document.querySelectorAll(".hits li").length === 2`)
	c.visit("/dashboard/searches/shadows")
	c.run(click("input[name=typo_tolerance]"))
	c.submit("main form button", "/dashboard/searches/shadows")
	if got := c.text(".notice"); got != "The search was saved." {
		t.Errorf("the notice is %q", got)
	}
	c.visit("/dashboard/searches/shadows/delete")
	c.submit("main form button", "/dashboard/searches")
	if got := c.text(".notice"); got != "The search was deleted." {
		t.Errorf("the notice is %q", got)
	}

	// A key, shown once.
	c.visit("/dashboard/keys")
	c.run(write("#description", "book shop"))
	c.submit("main form button", "/dashboard/keys")
	secret := evaluate[string](c, `document.querySelector("#secret").value`)
	if _, err := b.svc.Authenticate(t.Context(), app, secret); err != nil {
		t.Errorf("the key that is shown, %q, does not work: %v", secret, err)
	}
	c.look("key-shown")

	c.submit(".who button", "/dashboard/sign-in")
	c.visit("/dashboard/indices")
	c.until(`location.pathname === "/dashboard/sign-in"`)

	// Finally, a session that ends while a page is open.
	c.signIn()
	c.visit("/dashboard/search?in=books")
	if _, _, err := b.svc.ResetKey(t.Context(), app, b.keyID); err != nil {
		t.Fatal(err)
	}
	c.quiet("journey")
	c.run(write("#q", "wiz"))
	c.until(`location.pathname === "/dashboard/sign-in"`)
}

// The viewer of the API loads nothing from elsewhere, and shows every operation.
func TestBrowserViewer(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.open()
	c.visit("/docs")
	c.until(`document.querySelectorAll(".swagger-ui .opblock").length > 20`)
	c.quiet("the viewer")
	c.picture("viewer")
	c.run(click("#operations-Search-search .opblock-summary-control"))
	c.until(`document.querySelector("#operations-Search-search .opblock-body .highlight-code, #operations-Search-search .body-param")`)
	c.quiet("an operation")
	c.picture("viewer-operation")
	elsewhere := evaluate[[]string](c, `performance.getEntriesByType("resource").map((r) => r.name).filter((name) => !name.startsWith(location.origin) && !name.startsWith("data:"))`)
	if len(elsewhere) > 0 {
		t.Errorf("the viewer asks other hosts: %q", elsewhere)
	}
}

// The accessibility checks find the faults that they are for.
func TestBrowserChecks(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.open()
	c.signIn()
	for _, test := range []struct{ spoil, want string }{
		{`document.documentElement.lang = ""`, "no language"},
		{`document.title = " "`, "no title"},
		{`document.querySelector("h1").remove()`, "not exactly one h1"},
		{`document.querySelector("h2").outerHTML = "<h4>Create</h4>"`, "a heading of level 4 follows one of level 1"},
		{`document.querySelector("#description").id = "main"`, `the id "main" is there 2 times`},
		{`document.querySelector("label[for=description]").remove()`, "#description"},
		{`document.querySelector("#description-hint").remove()`, "aria-describedby refers to"},
		{`document.querySelector("main button").textContent = ""`, "no accessible name"},
		{`document.querySelector("nav").removeAttribute("aria-label")`, "landmarks of a kind need different names"},
		{`document.querySelector("img").removeAttribute("alt")`, "no alt"},
		{`document.querySelector("legend").remove()`, "a group without a legend"},
		{`document.querySelector("th").removeAttribute("scope")`, "no scope"},
		{`document.querySelector("main button").tabIndex = 3`, "a positive tabindex"},
		{`document.querySelector("h1").style.color = "#999"`, "contrast of"},
		{`document.querySelector("#description").style.borderColor = "#eee"`, "its edge has a contrast of"},
		{`document.querySelector("h1").style.width = "2000px"`, "the page is"},
		{`document.querySelector("main button").style.cssText = "min-height: 0; height: 12px"`, "to tap"},
	} {
		c.visit("/dashboard/keys")
		if faults := evaluate[[]string](c, accessibility); len(faults) > 0 {
			t.Fatalf("faults before anything is spoilt: %q", faults)
		}
		evaluate[any](c, test.spoil+"; 0")
		if faults := evaluate[[]string](c, accessibility); !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, test.want) }) {
			t.Errorf("%s: %q, want %q", test.spoil, faults, test.want)
		}
	}
}
