package dashboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// measured is a Metrics with fixed measurements.
type measured struct{}

func (measured) SearchMetrics(context.Context, string) (dashboard.SearchMetrics, bool) {
	return dashboard.SearchMetrics{Window: time.Minute, PerSecond: 12.5, Median: 3400 * time.Microsecond, P95: 21 * time.Millisecond, Where: "this server"}, true
}

func (measured) QueryReport(_ context.Context, application string, _ time.Time, _ int) (service.QueryReport, error) {
	stat := service.QueryStat{Search: "films", Query: "alien <i>" + application, Count: 1234, Mean: 2 * time.Millisecond, Max: 40 * time.Millisecond, Hits: 1, Last: time.Unix(1790000000, 0)}
	return service.QueryReport{Frequent: []service.QueryStat{stat}, Slow: []service.QueryStat{stat}, Share: 0.1}, nil
}

// pagePaths returns the paths of all pages with something to look at, given an application with the index films and the search french.
func (b *bundle) pagePaths() []string {
	return []string{
		"/dashboard/", "/dashboard/indices", "/dashboard/indices?filter=fi", "/dashboard/indices?filter=none", "/dashboard/create-index",
		"/dashboard/indices/films", "/dashboard/indices/films/mappings", "/dashboard/indices/films/settings",
		"/dashboard/indices/films/clear", "/dashboard/indices/films/delete",
		"/dashboard/indices/films/documents", "/dashboard/indices/films/documents?q=alien", "/dashboard/indices/films/documents?page=99",
		"/dashboard/indices/films/document?id=a%2Fb", "/dashboard/indices/films/document/new", "/dashboard/indices/films/document/delete?id=alien",
		"/dashboard/searches", "/dashboard/define-search?index=films", "/dashboard/searches/french", "/dashboard/searches/french/delete",
		"/dashboard/search", "/dashboard/search?in=films&q=alien&explain=1", "/dashboard/search/results?in=films&q=al",
		"/dashboard/keys", "/dashboard/keys/" + b.keyID + "/reset", "/dashboard/keys/" + b.keyID + "/delete",
		"/dashboard/settings", "/dashboard/analytics",
	}
}

var inline = regexp.MustCompile(`(?i)<style|<script(?:>| [^>]*>[^<])|\sstyle=|\son[a-z]+=|javascript:`)

func TestEveryPage(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{Metrics: measured{}, Analytics: measured{}})
	b.films()
	c := b.signedIn()
	for _, path := range b.pagePaths() {
		a := c.get(path)
		if a.status != http.StatusOK {
			t.Errorf("%s: %d\n%s", path, a.status, a.body)
			continue
		}
		policy := a.header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: no %s in the policy %q", path, part, policy)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Content-Type": "text/html; charset=utf-8",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if found := inline.FindString(a.body); found != "" {
			t.Errorf("%s has %q inline, which the policy blocks", path, found)
		}
	}
	c.get("/dashboard").wantRedirect(t, "/dashboard/")
	c.get("/dashboard/nowhere").want(t, http.StatusNotFound, "Not found", "There is no page here.")
	c.get("/dashboard/indices/nowhere").want(t, http.StatusNotFound, "There is no index &#34;nowhere&#34;: check the name")
	c.get("/dashboard/indices/films/document?id=nobody").want(t, http.StatusNotFound)
}

// Text that PostgreSQL does not accept is reported as the sender's mistake, wherever it is.
func TestTextThatCannotBe(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	const page, utf8, null = "/dashboard/indices/films", "is not UTF-8", "contains the character U&#43;0000"
	for _, test := range []struct {
		path   string
		form   []string // nil to get the path
		status int
		text   string
	}{
		{"/dashboard/%ff", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/indices/%ff", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/indices/%ff/documents", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/indices/%ff/mappings", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/indices/%ff/settings", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/indices/%ff/clear", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/indices/%ff/delete", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/indices/%ff/delete", []string{"typed", "\xff"}, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/indices/%ff/document?id=1", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/searches/a%ed%a0%80", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/searches/%ff/delete", nil, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/searches/%ff/delete", []string{}, http.StatusNotFound, "the path " + utf8},
		{"/dashboard/keys/%ff/reset", nil, http.StatusNotFound, "the path " + utf8},
		{page + "/document?id=%ff", nil, http.StatusUnprocessableEntity, "The parameter &#34;id&#34; " + utf8 + "."},
		{page + "/documents?q=%00", nil, http.StatusUnprocessableEntity, "The parameter &#34;q&#34; " + null + "."},
		{"/dashboard/indices?filter=%ff", nil, http.StatusUnprocessableEntity, "The parameter &#34;filter&#34; " + utf8},
		{"/dashboard/search?in=%00", nil, http.StatusUnprocessableEntity, "The parameter &#34;in&#34; " + null},
		{"/dashboard/search/results?in=%00", nil, http.StatusUnprocessableEntity, "The parameter &#34;in&#34; " + null},
		{"/dashboard/search/results?in=%ff", nil, http.StatusUnprocessableEntity, "The parameter &#34;in&#34; " + utf8},
		{"/dashboard/search?in=films&facet=a&facet=%ff", nil, http.StatusUnprocessableEntity, "The parameter &#34;facet&#34; " + utf8},
		{"/dashboard/searches", []string{"name", "\xff", "index", "films"}, http.StatusUnprocessableEntity, "The field &#34;name&#34; " + utf8 + "; nothing was changed."},
		{"/dashboard/searches", []string{"name", "\x00", "index", "films"}, http.StatusUnprocessableEntity, "The field &#34;name&#34; " + null},
		{"/dashboard/indices", []string{"index", "\xff"}, http.StatusUnprocessableEntity, "The field &#34;index&#34; " + utf8},
		{page + "/settings", []string{"language", "english", "stop_words", "a\xff"}, http.StatusUnprocessableEntity, "The field &#34;stop_words&#34; " + utf8},
		{page + "/document", []string{"id", "\xff", "document", "{}"}, http.StatusUnprocessableEntity, "The field &#34;id&#34; " + utf8},
	} {
		var a answer
		if test.form == nil {
			a = c.get(test.path)
		} else {
			a = c.post(test.path, test.form...)
		}
		if a.status != test.status || !strings.Contains(a.body, test.text) {
			t.Errorf("%s %q: %d, want %d with %q\n%s", test.path, test.form, a.status, test.status, test.text, a.body)
		}
	}
	if settings, err := b.svc.IndexSettings(t.Context(), app, "films"); err != nil || len(settings.StopWords) > 0 {
		t.Errorf("stop words %q were stored, %v", settings.StopWords, err)
	}
}

func TestMethodsThatAPathDoesNotTake(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	for name, c := range map[string]*browser{"signed in": b.signedIn(), "not signed in": b.browser()} {
		for path, methods := range map[string]string{
			"/dashboard":                   "GET, HEAD",
			"/dashboard/":                  "GET, HEAD",
			"/dashboard/keys":              "GET, HEAD, POST",
			"/dashboard/keys/x/reset":      "GET, HEAD, POST",
			"/dashboard/indices/films":     "GET, HEAD",
			"/dashboard/sign-in":           "GET, HEAD, POST",
			"/dashboard/sign-out":          "POST",
			"/dashboard/static/app.js?v=1": "GET, HEAD",
		} {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"} {
				a := c.do(method, path, nil)
				if strings.Contains(methods, method) {
					if a.status == http.StatusMethodNotAllowed {
						t.Errorf("%s, %s %s: %d", name, method, path, a.status)
					}
					continue
				}
				if a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != methods || !strings.Contains(a.body, "This path accepts "+methods+" and not "+method+".") {
					t.Errorf("%s, %s %s: %d, Allow %q, want 405 with %q\n%s", name, method, path, a.status, a.header.Get("Allow"), methods, a.body)
				}
			}
		}
	}
	c := b.signedIn()
	for _, method := range []string{"PUT", "DELETE", "OPTIONS", "BREW"} {
		if a := c.do(method, "/dashboard/nowhere", nil); a.status != http.StatusNotFound || a.header.Get("Allow") != "" {
			t.Errorf("%s of no page: %d, Allow %q", method, a.status, a.header.Get("Allow"))
		}
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.browser()
	links := regexp.MustCompile(`(?:href|src)="(/dashboard/static/[^"]+)"`).FindAllStringSubmatch(c.get("/dashboard/sign-in").body, -1)
	if len(links) < 3 {
		t.Fatalf("the page has %d assets", len(links))
	}
	for _, link := range links {
		a := c.get(link[1])
		a.want(t, http.StatusOK)
		if !strings.Contains(a.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: Cache-Control %q", link[1], a.header.Get("Cache-Control"))
		}
		if strings.Contains(a.body, "http://") && !strings.Contains(a.body, "http://www.w3.org/2000/svg") || strings.Contains(a.body, "https://") {
			t.Errorf("%s names another host", link[1])
		}
		outdated, _, _ := strings.Cut(link[1], "?")
		if got := c.get(outdated + "?v=0").header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s with another fingerprint: Cache-Control %q", outdated, got)
		}
	}
	c.get("/dashboard/static/none.css").want(t, http.StatusNotFound)
}

func TestOverview(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{Metrics: measured{}, Analytics: measured{}})
	b.films()
	c := b.signedIn()
	c.get("/dashboard/").want(t, http.StatusOK, "films", "Searches per second", "12.5", "3.4 ms", "21 ms", "this server", "/dashboard/analytics")
	c.get("/dashboard/analytics").want(t, http.StatusOK, "alien &lt;i&gt;demo", "1,234", "10 % of them were recorded", "None.")

	c.base = b.serve(b.svc, dashboard.Config{})
	c.signIn(app, adminKey)
	a := c.get("/dashboard/")
	a.want(t, http.StatusOK, "films")
	for _, text := range []string{"Searches per second", "/dashboard/analytics"} {
		if strings.Contains(a.body, text) {
			t.Errorf("%q is shown, though nothing measures it", text)
		}
	}
	c.get("/dashboard/analytics").want(t, http.StatusNotFound)
}

func TestIndexLife(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.signedIn()
	c.post("/dashboard/indices", "index", "no good!", "name", "a", "type", "text").
		want(t, http.StatusUnprocessableEntity, `value="no good!"`, `value="a"`, "1 to 60 characters")
	c.post("/dashboard/indices", "index", "books", "name", "ok", "type", "text", "name", "", "type", "int", "name", "_bad", "type", "text").
		want(t, http.StatusUnprocessableEntity, "mapping of &#34;_bad&#34; name")
	c.post("/dashboard/indices", "index", "books", "name", "title", "type", "name", "name", "", "type", "int").
		wantRedirect(t, "/dashboard/indices/books?done=index-created")
	c.post("/dashboard/indices", "index", "books").want(t, http.StatusConflict, "books")
	c.get("/dashboard/indices/books?done=index-created").want(t, http.StatusOK, "The index was created.", "title")
	c.get("/dashboard/indices/books?done=<b>x").want(t, http.StatusOK)

	b.put("books", "1", `{"title":"One"}`)
	c.post("/dashboard/indices/books/clear", "typed", "Books").want(t, http.StatusUnprocessableEntity, "not the name of the index", "1 document")
	c.post("/dashboard/indices/books/clear", "typed", "books").wantRedirect(t, "/dashboard/indices/books?done=index-cleared")
	if _, stats, err := b.svc.Index(t.Context(), app, "books"); err != nil || stats.Documents != 0 {
		t.Fatalf("%d documents, %v", stats.Documents, err)
	}
	c.post("/dashboard/indices/books/delete", "typed", "").want(t, http.StatusUnprocessableEntity, "not the name of the index")
	c.post("/dashboard/indices/books/delete", "typed", "books").wantRedirect(t, "/dashboard/indices?done=index-deleted")
	c.get("/dashboard/indices/books").want(t, http.StatusNotFound)
}

func TestMappings(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	const path = "/dashboard/indices/films/mappings"
	version := func() string {
		found := regexp.MustCompile(`name="version" value="(\d+)"`).FindStringSubmatch(
			c.post(path, "step", "preview", "name", "probe", "type", "text").body)
		if found == nil {
			t.Fatal("the confirmation has no version")
		}
		return found[1]
	}
	// title stays, year becomes a date, language goes, tags is new.
	change := []string{"name", "title", "type", "completion", "name", "year", "type", "long", "name", "language", "type", "keyword",
		"name", "description", "type", "text", "name", "tags", "type", "tags", "remove", "2"}
	a := c.post(path, append([]string{"step", "preview"}, change...)...)
	a.want(t, http.StatusOK, "1 mapping is added", "1 mapping is changed", "1 mapping is removed", "2 mappings stay as they are", "rebuilt in place from its 2 documents")
	if ix, _, err := b.svc.Index(t.Context(), app, "films"); err != nil || len(ix.Mappings) != 4 {
		t.Fatalf("the effect was only to be shown: %v, %v", ix.Mappings, err)
	}
	c.post(path, append([]string{"step", "edit"}, change...)...).want(t, http.StatusOK, `value="tags"`, `value="2" aria-label="Remove language" checked`)
	c.post(path, append([]string{"step", "apply", "version", "0"}, change...)...).want(t, http.StatusUnprocessableEntity, "changed by somebody else in the meantime")
	c.post(path, append([]string{"step", "apply", "version", version()}, change...)...).wantRedirect(t, "/dashboard/indices/films?done=mappings-changed")
	ix, _, err := b.svc.Index(t.Context(), app, "films")
	if err != nil {
		t.Fatal(err)
	}
	want := []mapping.Mapping{
		{Name: "title", Type: mapping.Completion}, {Name: "year", Type: mapping.Long}, {Name: "description", Type: mapping.Text}, {Name: "tags", Type: mapping.Tags},
	}
	if diff := cmp.Diff(want, ix.Mappings); diff != "" {
		t.Error(diff)
	}
	same := []string{"name", "title", "type", "completion", "name", "year", "type", "long", "name", "description", "type", "text", "name", "tags", "type", "tags"}
	c.post(path, append([]string{"step", "preview"}, same...)...).want(t, http.StatusUnprocessableEntity, "nothing would change")
	c.post(path, "step", "preview", "name", "x", "type", "nonsense").want(t, http.StatusUnprocessableEntity, "mapping of &#34;x&#34; type", "must be one of")
	// Spaces around a typed name do not count, unless a mapping has that name.
	if err := b.svc.CreateIndex(t.Context(), app, "spaces", []mapping.Mapping{{Name: " title", Type: mapping.Text}}); err != nil {
		t.Fatal(err)
	}
	a = c.post("/dashboard/indices/spaces/mappings", "step", "preview", "name", " title", "type", "text", "name", " year ", "type", "int")
	a.want(t, http.StatusOK, "1 mapping is added", "1 mapping stays as it is", `name="name" value=" title"`, `name="name" value="year"`)
	// The error names documents that do not fit.
	c.post(path, "step", "apply", "version", version(), "name", "title", "type", "int").want(t, http.StatusConflict, "alien")
}

// The pages of an index are available while it is rebuilt, which may take minutes. Changes of it wait, and are then checked
// against what it has become.
func TestPagesDuringAChangeOfMappings(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c, other := b.signedIn(), b.signedIn()
	const page = "/dashboard/indices/films"
	versions := regexp.MustCompile(`name="version" value="(\d+)"`)
	late := []string{"name", "title", "type", "name"}
	version := versions.FindStringSubmatch(c.post(page+"/mappings", append([]string{"step", "preview"}, late...)...).body)[1]

	tx, err := b.db.Pool.Begin(t.Context()) // the change waits for writers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), `INSERT INTO app_demo.films (_id, _body) VALUES ('held', '{}')`); err != nil {
		t.Fatal(err)
	}
	changed := make(chan error, 1)
	go func() {
		_, err := b.svc.UpdateIndex(t.Context(), app, "films", []mapping.Mapping{{Name: "title", Type: mapping.Sentence}}, false)
		changed <- err
	}()
	for begun := false; !begun; time.Sleep(10 * time.Millisecond) {
		const rebuild = "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database WHERE datname = current_database() AND locktype = 'advisory')"
		if err := b.db.Pool.QueryRow(t.Context(), rebuild).Scan(&begun); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{page, page + "/documents", page + "/document?id=alien", page + "/document/new", page + "/mappings", page + "/settings", page + "/clear"} {
		if a := c.get(path); a.status != http.StatusOK {
			t.Errorf("%s: %d\n%s", path, a.status, a.body)
		}
	}
	answered := make(chan answer, 1)
	go func() {
		answered <- other.post(page+"/mappings", append([]string{"step", "apply", "version", version}, late...)...)
	}()
	select {
	case a := <-answered:
		t.Fatalf("it did not wait: %d\n%s", a.status, a.body)
	case err := <-changed:
		t.Fatalf("the change is over: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-changed; err != nil {
		t.Fatal(err)
	}
	a := <-answered
	a.want(t, http.StatusUnprocessableEntity, "changed by somebody else in the meantime")
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	const path = "/dashboard/indices/films/document"
	c.get("/dashboard/indices/films/documents").want(t, http.StatusOK, "2 documents", "/document?id=a%2Fb", "La Jetée")
	b.put("films", " ", `{}`) // an _id that would be invisible and could not be clicked
	c.get("/dashboard/indices/films/documents").want(t, http.StatusOK, `document?id=&#43;">&#34; &#34;</a>`)
	c.get(path+"?id=%20").want(t, http.StatusOK, `<h1 class="id">&#34; &#34;</h1>`, `name="id" value=" "`)
	c.get(path+"/delete?id=%20").want(t, http.StatusOK, `<strong class="id">&#34; &#34;</strong>`, `name="id" value=" "`)
	c.get("/dashboard/search?in=films&filter=title+IS+NULL").want(t, http.StatusOK, `id=&#43;">&#34; &#34;</a>`)
	c.get("/dashboard/indices/films/documents?q=stranger").want(t, http.StatusOK, "1 document", "alien")

	c.post(path, "new", "1", "id", "solaris", "document", `{"title":"Solaris","year":1972,"exact":12345678901234567890.10}`).
		wantRedirect(t, path+"?done=document-saved&id=solaris")
	a := c.get(path + "?id=solaris")
	a.want(t, http.StatusOK, "12345678901234567890.10", "Solaris")
	seen := regexp.MustCompile(`name="seen" value="([^"]+)"`).FindStringSubmatch(a.body)[1]
	c.post(path, "new", "1", "id", "solaris", "document", `{}`).want(t, http.StatusUnprocessableEntity, "A document with this id already exists")
	c.post(path, "id", "solaris", "seen", seen, "document", `{"title":`).want(t, http.StatusBadRequest, "not JSON", "line 1", "{&#34;title&#34;:")
	c.post(path, "id", "solaris", "seen", seen, "document", `{"year":"soon"}`).want(t, http.StatusUnprocessableEntity, "<code>year</code>", "soon")

	b.put("films", "solaris", `{"title":"Solaris","year":2002}`)
	c.post(path, "id", "solaris", "seen", seen, "document", `{"title":"Mine"}`).want(t, http.StatusUnprocessableEntity, "changed by somebody else", "Mine")
	if doc, err := b.svc.GetDocument(t.Context(), app, "films", "solaris"); err != nil || !strings.Contains(string(doc.Body), "2002") {
		t.Fatalf("%s, %v", doc.Body, err)
	}

	c.post(path+"/delete", "id", "solaris").wantRedirect(t, "/dashboard/indices/films/documents?done=document-deleted")
	c.post(path+"/delete", "id", "solaris").want(t, http.StatusNotFound, "solaris")
	c.post(path, "id", "solaris", "seen", seen, "document", `{"title":"Mine"}`).want(t, http.StatusNotFound, "deleted in the meantime")
	if a := c.post(path, "new", "1", "document", `{"title":"Stalker"}`); a.status != http.StatusSeeOther || !strings.Contains(a.location, "id=") {
		t.Errorf("without an id: %d to %q", a.status, a.location)
	}
}

func TestDocumentTooLarge(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{MaxDocumentBytes: 1000})
	b.films()
	c := b.signedIn()
	const path = "/dashboard/indices/films/document"
	c.post(path, "new", "1", "id", "x", "document", `{"title":"`+strings.Repeat("a", 1000)+`"}`).want(t, http.StatusRequestEntityTooLarge, "larger than 1000 bytes")
	c.post(path, "new", "1", "id", "x", "document", `{"title":"`+strings.Repeat("a", 9<<20)+`"}`).want(t, http.StatusRequestEntityTooLarge, "The form is too large")
}

var autocompleteArea = regexp.MustCompile(`(?s)<textarea id="autocomplete"[^>]*>\n(.*?)</textarea>`)

func TestIndexSettings(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	const path = "/dashboard/indices/films/settings"
	seen := func() string { return seenField.FindStringSubmatch(c.get(path).body)[1] }
	first := seen()
	c.post(path, "seen", first, "language", "french", "autocomplete", "title\r\n\r\n description ", "synonyms", "tv, television\r\nlaptop => notebook, computer\r\n[\"a, b\", \"c\"]",
		"stop_words", "foo\nbar").wantRedirect(t, path+"?done=settings-saved")
	got, err := b.svc.IndexSettings(t.Context(), app, "films")
	if err != nil {
		t.Fatal(err)
	}
	want := service.IndexSettings{
		Language: "french", Autocomplete: service.Autocomplete{Fields: []string{"title", "description"}}, StopWords: []string{"foo", "bar"},
		Synonyms: []service.Synonym{{Equivalent: []string{"tv", "television"}}, {From: []string{"laptop"}, To: []string{"notebook", "computer"}}, {Equivalent: []string{"a, b", "c"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	a := c.get(path)
	a.want(t, http.StatusOK, "tv, television\nlaptop =&gt; notebook, computer\n[&#34;a, b&#34;,&#34;c&#34;]", "foo\nbar", "title\ndescription")

	c.post(path, "seen", seen(), "language", "klingon", "synonyms", "tv, television\n\nalone", "stop_words", "").
		want(t, http.StatusUnprocessableEntity, "klingon", "synonyms, line 3", "at least two words")
	c.post(path, "seen", seen(), "language", "english", "synonyms", "[oops").want(t, http.StatusUnprocessableEntity, "synonyms, line 1", "looks like JSON")
	c.post(path, "seen", seen(), "language", "english", "autocomplete", "title\n\n\"oops").want(t, http.StatusUnprocessableEntity, "autocomplete.fields, line 3", "looks like JSON")

	// Names that a line cannot express plainly stay as they are when something else is saved.
	odd := []string{" title", "a\nb", `"c"`, "d: e"}
	body, err := json.Marshal(map[string]any{"autocomplete": map[string]any{"fields": odd}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.svc.UpdateIndexSettings(t.Context(), app, "films", body, true); err != nil {
		t.Fatal(err)
	}
	shown := autocompleteArea.FindStringSubmatch(c.get(path).body)[1]
	want.Autocomplete.Fields = odd
	c.post(path, "seen", seen(), "language", "french", "autocomplete", html.UnescapeString(shown), "synonyms", "tv, television\r\nlaptop => notebook, computer\r\n[\"a, b\", \"c\"]",
		"stop_words", "foo\nbar").wantRedirect(t, path+"?done=settings-saved")
	if now, err := b.svc.IndexSettings(t.Context(), app, "films"); err != nil || !cmp.Equal(want, now) {
		t.Errorf("%+v, %v", now, err)
	}

	// Saving what somebody else has changed meanwhile is refused once, and then possible.
	late := []string{"language", "french", "stop_words", "late"}
	a = c.post(path, append([]string{"seen", first}, late...)...)
	a.want(t, http.StatusUnprocessableEntity, "changed by somebody else in the meantime", "\nlate</textarea>")
	if now, err := b.svc.IndexSettings(t.Context(), app, "films"); err != nil || !cmp.Equal(want, now) {
		t.Errorf("%+v, %v", now, err)
	}
	c.post(path, append([]string{"seen", seenField.FindStringSubmatch(a.body)[1]}, late...)...).wantRedirect(t, path+"?done=settings-saved")
}

func TestApplicationSettings(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.signedIn()
	c.post("/dashboard/settings", "per_page", "25").wantRedirect(t, "/dashboard/settings?done=settings-saved")
	c.get("/dashboard/settings?done=settings-saved").want(t, http.StatusOK, `value="25"`, "The settings were saved.")
	for _, wrong := range []string{"1001", "-1", "many", ""} {
		c.post("/dashboard/settings", "per_page", wrong).want(t, http.StatusUnprocessableEntity, "must be 0 to 1000")
	}
	if settings, err := b.svc.ApplicationSettings(t.Context(), app); err != nil || settings.PerPage != 25 {
		t.Errorf("%v, %v", settings, err)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	a := c.post("/dashboard/keys", "type", "search", "description", "web shop", "expires", "2099-12-31", "indices", "films, books", "filter", "year > 1970")
	a.want(t, http.StatusOK, "shown only this once", "web shop")
	secret := regexp.MustCompile(`rks_[\w-]+`).FindString(a.body)
	if _, err := b.svc.Authenticate(t.Context(), app, secret); err != nil {
		t.Fatalf("the key that was shown does not work: %v", err)
	}
	if a := c.get("/dashboard/keys"); strings.Contains(a.body, secret) || !strings.Contains(a.body, "web shop") || !strings.Contains(a.body, "2099-12-31 00:00 UTC") {
		t.Errorf("the list of keys:\n%s", a.body)
	}
	c.post("/dashboard/keys", "type", "admin", "filter", "year >", "expires", "soon").
		want(t, http.StatusUnprocessableEntity, "only a search key can be limited", "RFC 3339", "<code>filter</code>")
	c.post("/dashboard/keys", "type", "search", "description", "of last year", "expires", "2020-12-31").
		want(t, http.StatusUnprocessableEntity, "the key would never work", `value="of last year"`, `value="2020-12-31"`)
	keys, err := b.svc.Keys(t.Context(), app)
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	if diff := cmp.Diff([]string{"films", "books"}, keys[1].Indices); diff != "" {
		t.Error(diff)
	}

	other := "/dashboard/keys/" + keys[1].ID
	a = c.post(other + "/reset")
	a.want(t, http.StatusOK, "shown only this once", "rks_")
	if strings.Contains(a.body, secret) {
		t.Error("the reset key is the old one")
	}
	if _, err := b.svc.Authenticate(t.Context(), app, secret); service.ErrorCode(err) != service.CodeUnauthorized {
		t.Errorf("the old key still works: %v", err)
	}
	c.post(other+"/delete").wantRedirect(t, "/dashboard/keys?done=key-deleted")
	c.post(other+"/delete").want(t, http.StatusNotFound)

	own := "/dashboard/keys/" + b.keyID
	c.post(own+"/delete").want(t, http.StatusConflict, "last admin key")
	stolen := c.session()
	c.post(own+"/reset").want(t, http.StatusOK, "rka_")
	c.get("/dashboard/keys").want(t, http.StatusOK, "this session")
	thief := b.browser()
	thief.header.Set("Cookie", stolen.String())
	if a := thief.get("/dashboard/keys"); a.status != http.StatusSeeOther {
		t.Errorf("the session of the old key goes on: %d", a.status)
	}
	c.post("/dashboard/keys", "type", "admin").want(t, http.StatusOK)
	c.post(own+"/delete").wantRedirect(t, "/dashboard/sign-in")
	c.get("/dashboard/keys").wantRedirect(t, "/dashboard/sign-in?next=%2Fdashboard%2Fkeys")
}

func TestSearchPreview(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	b.define(service.SearchDefinition{Name: "french-films", Index: "films", Filter: []byte(`"language = French"`), Facets: []string{"year"}})
	c := b.signedIn()
	find := func(pairs ...string) answer {
		query := url.Values{"in": {"films"}}
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == "in" {
				query.Del("in")
			}
			query.Add(pairs[i], pairs[i+1])
		}
		return c.get("/dashboard/search?" + query.Encode())
	}
	find("q", "stranger").want(t, http.StatusOK, "1 document in ", "A crew of seven meets a <mark>stranger</mark>.", "language", ">English<",
		"http://"+strings.TrimPrefix(b.url, "http://")+"/v1/search/films", `-u demo:&#34;$ROWAN_KEY&#34;`)
	find("q", "stranger", "explain", "1").want(t, http.StatusOK, "Score explanation", "Rarity")
	find("q", "nothing like it").want(t, http.StatusOK, "Nothing was found.")
	find("filter", "year = 1").want(t, http.StatusOK, "There are no documents, or a filter excludes them all.")
	find("q", "al").want(t, http.StatusOK, "Suggestions", ">Alien</a>")
	a := find("q", "alien")
	if strings.Contains(a.body, "Suggestions") {
		t.Errorf("what is searched for is suggested:\n%s", a.body)
	}

	a = find("facet", `["language","French"]`, "filter", "year > 1900 OR year < 1800", "facets", "language")
	a.want(t, http.StatusOK, "1 document in ", "a/b", " checked", `(year &gt; 1900 OR year &lt; 1800) AND language = \&#34;French\&#34;`, `&#34;disjunctive&#34;:[&#34;language&#34;]`, ">English<")
	a = find("facet", `["language","French"]`, "facet", `["language","English"]`, "facets", "language")
	a.want(t, http.StatusOK, "2 documents in ", `language IN [\&#34;French\&#34;, \&#34;English\&#34;]`)
	find("facet", `["year",1979]`).want(t, http.StatusOK, "1 document in ", "year = 1979", ">1979<")
	find("facet", `nonsense`, "facet", `["year",{"a":1}]`, "facet", `[1,2]`).want(t, http.StatusOK, "2 documents in ")
	find("filter", "year >").want(t, http.StatusOK, "The search failed.", "The filter cannot be used: column 7: expected a value after")
	if a := find("filter", "year >"); strings.Count(a.body, "expected a value after") != 1 {
		t.Errorf("the fault of the filter is told %d times", strings.Count(a.body, "expected a value after"))
	}
	find("filter", "it's = 1").want(t, http.StatusOK, `it&#39;\&#39;&#39;s`)
	find("in", "french-films").want(t, http.StatusOK, "1 document in ", "a/b", ">1962<", `<option selected>french-films</option>`)
	// Facets fold if there is no room for them, unless values are chosen.
	find().want(t, http.StatusOK, "<details>\n  <summary>Narrow by language</summary>")
	find("facet", `["language","French"]`).want(t, http.StatusOK, "<details open>\n  <summary>Narrow by language</summary>")
	find("in", "nowhere").want(t, http.StatusOK, "The search failed.", "nowhere")

	// The results may have become fewer than the address says: a page beyond the last one shows the last one.
	a = find("page", "99")
	a.want(t, http.StatusOK, "2 documents in ", "id=alien", "a/b")
	if strings.Contains(a.body, "Nothing was found") || strings.Contains(a.body, "&#34;page&#34;") {
		t.Errorf("beyond the last page:\n%s", a.body)
	}

	a = c.get("/dashboard/search/results?in=films&q=alien")
	a.want(t, http.StatusOK, "data-status=", `id="suggestions"`, `id=alien"><mark>Alien</mark></a> <code class="id">alien</code>`)
	if strings.Contains(a.body, "<html") {
		t.Error("the results are a whole page")
	}
}

// Whatever is stored, searched for or typed stays text.
func TestMarkupStaysText(t *testing.T) {
	t.Parallel()
	const attack = `"><script>alert(1)</script><img src=x onerror=alert(2)><b onclick=alert(3)>x</b>`
	b := setup(t, dashboard.Config{Analytics: measured{}})
	if err := b.svc.CreateIndex(t.Context(), app, "films", []mapping.Mapping{
		{Name: "title", Type: mapping.Completion}, {Name: "tag", Type: mapping.Keyword}, {Name: attack, Type: mapping.Text},
	}); err != nil {
		t.Fatal(err)
	}
	body := `{"title":` + quoted(attack) + `,"tag":` + quoted(attack) + `,` + quoted(attack) + `:` + quoted("alert "+attack) + `}`
	b.put("films", attack, body)
	b.define(service.SearchDefinition{Name: "french", Index: "films", Fields: map[string]float64{attack: 2}, Facets: []string{attack}, Filter: []byte(`{"tag":` + quoted(attack) + `}`), Sort: "`" + attack + "`"})
	key, _, err := b.svc.CreateKey(t.Context(), service.NewKey{Application: app, Type: service.SearchKey, Description: attack})
	if err != nil {
		t.Fatal(err)
	}
	settings := `{"synonyms":[["a",` + quoted(attack) + `]],"stop_words":[` + quoted(strings.ReplaceAll(attack, " ", "")) + `],"autocomplete":{"fields":[` + quoted(attack) + `]}}`
	if _, err := b.svc.UpdateIndexSettings(t.Context(), app, "films", []byte(settings), false); err != nil {
		t.Fatal(err)
	}
	c := b.signedIn()
	in := url.QueryEscape(attack)
	answers := map[string]answer{}
	for _, path := range append(b.pagePaths(), "/dashboard/indices?filter="+in, "/dashboard/indices/"+url.PathEscape(attack),
		"/dashboard/indices/films/documents?q="+in, "/dashboard/indices/films/document?id="+in, "/dashboard/indices/films/document/delete?id="+in,
		"/dashboard/search?in=films&explain=1&q=alert", "/dashboard/search?in=films&q="+in, "/dashboard/search?in=films&filter="+in, "/dashboard/search?in=films&sort="+in,
		"/dashboard/search?in="+in, "/dashboard/search?in=films&facet="+url.QueryEscape(`["tag",`+quoted(attack)+`]`), "/dashboard/search?match="+in,
		"/dashboard/keys/"+key.ID+"/reset", "/dashboard/keys/"+key.ID+"/delete", "/dashboard/"+url.PathEscape(attack), "/dashboard/settings?done="+in) {
		answers[path] = c.get(path)
	}
	answers["new index"] = c.post("/dashboard/indices", "index", attack, "name", attack, "type", attack)
	answers["mappings"] = c.post("/dashboard/indices/films/mappings", "step", "preview", "name", attack, "type", "int")
	answers["wrong mappings"] = c.post("/dashboard/indices/films/mappings", "step", "preview", "name", attack, "type", attack)
	answers["settings"] = c.post("/dashboard/indices/films/settings", "seen", seenField.FindStringSubmatch(c.get("/dashboard/indices/films/settings").body)[1], "language", attack, "synonyms", attack, "stop_words", attack, "autocomplete", attack)
	answers["document"] = c.post("/dashboard/indices/films/document", "id", attack, "document", attack)
	answers["confirmation"] = c.post("/dashboard/indices/films/clear", "typed", attack)
	answers["per_page"] = c.post("/dashboard/settings", "per_page", attack)
	answers["new search"] = c.post("/dashboard/searches", "name", attack, "index", attack, "fields", attack+": x", "facets", `"`+attack, "filter", attack, "sort", attack, "match", attack, "per_page", attack)
	answers["odd search"] = c.post("/dashboard/searches", "name", "odd", "index", attack, "fields", attack, "facets", "_"+attack, "match", attack)
	answers["key"] = c.post("/dashboard/keys", "type", "search", "description", attack, "indices", attack, "filter", attack, "expires", attack)
	answers["created key"] = c.post("/dashboard/keys", "type", "search", "description", attack)
	answers["sign in"] = b.browser().signIn(attack, attack)
	for name, a := range answers {
		if a.status >= http.StatusInternalServerError {
			t.Errorf("%s: %d\n%s", name, a.status, a.body)
		}
		for _, markup := range []string{"<script>", "<img src=x", "<b onclick", "<b>"} {
			if strings.Contains(a.body, markup) {
				t.Errorf("%s: %s is markup in\n%s", name, markup, a.body)
			}
		}
	}
	if a := answers["/dashboard/search?in=films&explain=1&q=alert"]; !strings.Contains(a.body, "<mark>alert</mark>") {
		t.Errorf("the words that were found are not marked:\n%s", a.body)
	}
}

// quoted returns an ASCII string as JSON.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func TestPagesOfDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	var batch strings.Builder
	batch.WriteString("[")
	for i := range 43 {
		if i > 0 {
			batch.WriteString(",")
		}
		batch.WriteString(`{"action":"upsert","_id":"n` + string(rune('A'+i/26)) + string(rune('a'+i%26)) + `","body":{"title":"Film"}}`)
	}
	batch.WriteString("]")
	if _, err := b.svc.WriteBatch(t.Context(), app, "films", []byte(batch.String())); err != nil {
		t.Fatal(err)
	}
	c := b.signedIn()
	seen := map[string]bool{}
	path, visited := "/dashboard/indices/films/documents?q=", 0
	for path != "" {
		a := c.get(path)
		a.want(t, http.StatusOK, "of 3")
		for _, found := range regexp.MustCompile(`document\?id=([^"]+)"`).FindAllStringSubmatch(a.body, -1) {
			if seen[found[1]] {
				t.Errorf("%s is listed twice", found[1])
			}
			seen[found[1]] = true
		}
		next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(a.body)
		path = ""
		if next != nil {
			path = strings.ReplaceAll(next[1], "&amp;", "&")
		}
		visited++
	}
	if visited != 3 || len(seen) != 45 {
		t.Errorf("%d documents on %d pages, want 45 on 3", len(seen), visited)
	}
}

// Documents that are too large to be read together are listed all the same, and previewed by their beginnings.
func TestPagesOfLargeDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	for i := range 23 {
		b.put("films", fmt.Sprintf("large%02d", i), `{"title":"Large","body":"`+strings.Repeat("x", 150_000)+`"}`)
	}
	svc := service.New(b.store, service.Config{Limits: service.Limits{Bodies: 2 << 20}})
	b.url = b.serve(svc, dashboard.Config{})
	c := b.signedIn()
	const path = "/dashboard/indices/films/documents"
	c.get(path).want(t, http.StatusOK, "25 documents, by id", "id=alien", "id=large00", "id=large17", "Page 1 of 2")
	c.get(path+"?q=large&page=2").want(t, http.StatusOK, "23 documents, by id", "id=large20", "id=large22", "Page 2 of 2")
	if got := svc.Load().Bodies.Inside; got != 0 {
		t.Errorf("%d bytes are left behind", got)
	}
	for _, page := range []string{"/dashboard/search?in=films&q=large", "/dashboard/indices/films/document/delete?id=large00"} {
		if a := c.get(page); a.status != http.StatusOK || len(a.body) > 300_000 || !strings.Contains(a.body, "xxx…") {
			t.Errorf("%s: status %d, %d bytes", page, a.status, len(a.body))
		}
	}
}

// A page beyond the last one shows the last one, however far beyond.
func TestPagesBeyondTheLast(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	for _, path := range []string{"/dashboard/indices/films/documents?", "/dashboard/search?in=films&"} {
		for _, page := range []string{"99", "9000000000000000000", "99999999999999999999"} {
			a := c.get(path + "page=" + page)
			if a.status != http.StatusOK || !strings.Contains(a.body, "Alien") || strings.Contains(a.body, "too large") {
				t.Errorf("%spage=%s: %d\n%.500s", path, page, a.status, a.body)
			}
		}
	}
}
