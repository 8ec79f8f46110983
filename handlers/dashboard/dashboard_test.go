package dashboard_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

const (
	app      = "demo"
	adminKey = "an-admin-key-for-tests"
)

// bundle is a service with an application, and its dashboard behind an HTTP server.
type bundle struct {
	t     *testing.T
	db    *storetest.DB
	store *store.Store
	svc   *service.Service
	keyID string // of adminKey
	url   string
}

func setup(t *testing.T, config dashboard.Config) *bundle {
	t.Helper()
	db := storetest.New(t)
	st, err := store.Open(t.Context(), store.Config{URL: db.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	svc := service.New(st, service.Config{})
	if _, err := svc.CreateApplication(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	key, _, err := svc.CreateKey(t.Context(), service.NewKey{Application: app, Type: service.AdminKey, Description: "tests", Secret: adminKey})
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{t: t, db: db, store: st, svc: svc, keyID: key.ID}
	b.url = b.serve(svc, config)
	return b
}

// serve starts another server, as a replica would be.
func (b *bundle) serve(svc *service.Service, config dashboard.Config) string {
	b.t.Helper()
	logger := slog.New(slog.DiscardHandler)
	config.Logger = logger
	handler := handlers.New(svc, handlers.Config{Logger: logger, BaseDomain: config.BaseDomain, Dashboard: dashboard.New(svc, config)})
	server := httptest.NewServer(handler)
	b.t.Cleanup(server.Close)
	return server.URL
}

// films creates an index with two documents, and the search french over it.
func (b *bundle) films() {
	b.t.Helper()
	err := b.svc.CreateIndex(b.t.Context(), app, "films", []mapping.Mapping{
		{Name: "title", Type: mapping.Completion}, {Name: "year", Type: mapping.Int}, {Name: "language", Type: mapping.Keyword},
		{Name: "description", Type: mapping.Text},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.put("films", "alien", `{"title":"Alien","year":1979,"language":"English","description":"A crew of seven meets a stranger."}`)
	b.put("films", "a/b", `{"title":"La Jetée","year":1962,"language":"French","description":"A man is sent through time."}`)
	b.define(service.SearchDefinition{Name: "french", Index: "films", Fields: map[string]float64{"title": 3, "description": 0.5}, Facets: []string{"language"}, Filter: []byte(`"language = French"`), Sort: "-year"})
}

func (b *bundle) define(def service.SearchDefinition) {
	b.t.Helper()
	if _, err := b.svc.PutSearch(b.t.Context(), app, def); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bundle) put(index, id, body string) {
	b.t.Helper()
	if _, err := b.svc.UpsertDocument(b.t.Context(), app, index, id, []byte(body)); err != nil {
		b.t.Fatal(err)
	}
}

// browser is a client that keeps cookies and does not follow redirects.
type browser struct {
	t      *testing.T
	base   string
	client *http.Client
	header http.Header
}

func (b *bundle) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return &browser{b.t, b.url, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, http.Header{}}
}

// signedIn returns a browser with a session.
func (b *bundle) signedIn() *browser {
	b.t.Helper()
	c := b.browser()
	if a := c.signIn(app, adminKey); a.status != http.StatusSeeOther {
		b.t.Fatalf("signing in: %d\n%s", a.status, a.body)
	}
	return c
}

// session returns the cookie of the browser's session.
func (c *browser) session() *http.Cookie {
	c.t.Helper()
	at, err := url.Parse(c.base + "/dashboard/")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, cookie := range c.client.Jar.Cookies(at) {
		if cookie.Name == "rowan_session" {
			return cookie
		}
	}
	c.t.Fatal("the browser has no session")
	return nil
}

type answer struct {
	status   int
	header   http.Header
	body     string
	location string
}

func (c *browser) do(method, path string, form url.Values) answer {
	c.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = c.header.Clone()
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	resp, err := c.client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text), resp.Header.Get("Location")}
}

func (c *browser) get(path string) answer { c.t.Helper(); return c.do(http.MethodGet, path, nil) }

var tokenField = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// token returns the token of the forms on a page.
func (c *browser) token(path string) string {
	c.t.Helper()
	a := c.get(path)
	found := tokenField.FindStringSubmatch(a.body)
	if found == nil {
		c.t.Fatalf("no form on %s (%d):\n%s", path, a.status, a.body)
	}
	return found[1]
}

// post sends a form as the pages of the session do. pairs are names and values.
func (c *browser) post(path string, pairs ...string) answer {
	c.t.Helper()
	form := url.Values{"form_token": {c.token("/dashboard/settings")}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return c.do(http.MethodPost, path, form)
}

func (c *browser) signIn(application, key string) answer {
	c.t.Helper()
	return c.do(http.MethodPost, "/dashboard/sign-in", url.Values{
		"form_token": {c.token("/dashboard/sign-in")}, "application": {application}, "key": {key},
	})
}

// want fails the test unless an answer has the status and contains all texts.
func (a answer) want(t *testing.T, status int, texts ...string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d; location %q\n%s", a.status, status, a.location, a.body)
	}
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			t.Errorf("%q is missing in\n%s", text, a.body)
		}
	}
}

// wantRedirect fails the test unless an answer redirects to the given place.
func (a answer) wantRedirect(t *testing.T, to string) {
	t.Helper()
	if a.status != http.StatusSeeOther || a.location != to {
		t.Fatalf("status %d to %q, want a redirect to %q\n%s", a.status, a.location, to, a.body)
	}
}
