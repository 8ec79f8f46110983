package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// answer is a whole response.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) problem(t *testing.T) Problem {
	t.Helper()
	if got := a.header.Get("Content-Type"); got != problemType {
		t.Fatalf("%d with Content-Type %q: %s", a.status, got, a.body)
	}
	var p Problem
	if err := json.Unmarshal([]byte(a.body), &p); err != nil {
		t.Fatal(err)
	}
	if p.Status != a.status || p.Errors == nil || p.RequestID == "" || p.RequestID != a.header.Get("X-Request-Id") ||
		p.Title == "" || p.Detail == "" || p.Type != errorPage+"#"+string(p.Code) {
		t.Errorf("incomplete problem: %s", a.body)
	}
	return p
}

// setup starts a server with every route, and those that extra adds. There is no service behind it: the tests
// in this package end before it would be called. Tests that call it are in package handlers_test.
func setup(t *testing.T, cfg Config, extra func(*api)) func(method, path, body string, headers ...string) answer {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg = cfg.withDefaults()
	router := newRouter()
	a := newAPI(router, nil, cfg)
	mountDocuments(router)
	if extra != nil {
		extra(a)
	}
	return serving(t, wrapped(cfg, router))
}

// serving starts a server with a handler and returns a function that sends requests to it.
func serving(t *testing.T, handler http.Handler) func(method, path, body string, headers ...string) answer {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return func(method, path, body string, headers ...string) answer {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			if headers[i] == "Host" {
				r.Host = headers[i+1]
			}
			r.Header.Add(headers[i], headers[i+1])
		}
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer{response.StatusCode, response.Header, string(text)}
	}
}

type echo struct {
	Index string `json:"index"`
	ID    string `json:"id"`
	Body  string `json:"body"`
	Merge bool   `json:"merge"`
}

type echoOutput struct{ Body echo }

// echoes adds routes like the real ones that answer with what reached them.
func echoes(limit int64) func(*api) {
	return func(a *api) {
		handler := func(ctx context.Context, in *documentPath) (*echoOutput, error) {
			body := bodyOf(ctx)
			return &echoOutput{echo{in.Index, in.ID, string(body.data), body.mergePatch}}, nil
		}
		register(a, operation{id: "echoGet", method: http.MethodGet, path: "/echo/{index}/document/{id}", public: true}, handler)
		register(a, operation{
			id: "echoPut", method: http.MethodPut, path: "/echo/{index}/document/{id}", public: true,
			body: &bodySpec{limit: limit, mergePatch: true, schema: refTo("Document")},
		}, handler)
		register(a, operation{
			id: "echoPost", method: http.MethodPost, path: "/echo/{index}/document/{id}", public: true,
			body: &bodySpec{limit: limit, optional: true, schema: refTo("Document")},
		}, handler)
	}
}

// The root redirects browsers to the dashboard, and nobody else.
func TestFront(t *testing.T) {
	t.Parallel()
	pages := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	handler := New(nil, Config{Logger: slog.New(slog.DiscardHandler), Dashboard: pages})
	for accept, want := range map[string]int{"text/html,application/xhtml+xml;q=0.9,*/*;q=0.8": http.StatusFound, "*/*": http.StatusNotFound, "": http.StatusNotFound, "application/json": http.StatusNotFound} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want || want == http.StatusFound && w.Header().Get("Location") != "/dashboard" {
			t.Errorf("Accept %q: %d %q", accept, w.Code, w.Header().Get("Location"))
		}
	}
}

func TestUnknownRoutesAndMethods(t *testing.T) {
	t.Parallel()
	do := setup(t, Config{}, nil)
	for _, test := range []struct {
		method, path string
		code         service.Code
		allow        string
	}{
		{"GET", "/", service.CodeRouteNotFound, ""},
		{"GET", "/v1", service.CodeRouteNotFound, ""},
		{"GET", "/v2/index", service.CodeRouteNotFound, ""},
		{"GET", "/v1/index/", service.CodeRouteNotFound, ""},
		{"GET", "/v1/index/films/", service.CodeRouteNotFound, ""},
		{"GET", "/v1/index/films/document/", service.CodeRouteNotFound, ""},
		{"GET", "/v1/index/films/document/a/b", service.CodeRouteNotFound, ""},
		{"GET", "/dashboard", service.CodeRouteNotFound, ""},
		{"BREW", "/nowhere", service.CodeRouteNotFound, ""},
		{"PUT", "/v1/index", service.CodeMethodNotAllowed, "GET, HEAD"},
		{"GET", "/v1/index/films/clear", service.CodeMethodNotAllowed, "POST"},
		{"HEAD", "/v1/index/films/clear", service.CodeMethodNotAllowed, "POST"},
		{"GET", "/v1/index/films/document", service.CodeMethodNotAllowed, "POST"},
		{"GET", "/v1/index/films/batch", service.CodeMethodNotAllowed, "POST, PUT"},
		{"DELETE", "/v1/index/films/batch", service.CodeMethodNotAllowed, "POST, PUT"},
		{"OPTIONS", "/v1/search/films", service.CodeMethodNotAllowed, "GET, HEAD, POST, PUT, DELETE"},
		{"PATCH", "/v1/search/films", service.CodeMethodNotAllowed, "GET, HEAD, POST, PUT, DELETE"},
		{"BREW", "/v1/index/films", service.CodeMethodNotAllowed, "GET, HEAD, POST, PUT, PATCH, DELETE"},
		{"OPTIONS", "/v1/index/films/document/a%2Fb", service.CodeMethodNotAllowed, "GET, HEAD, POST, PUT, PATCH, DELETE"},
		{"POST", "/health", service.CodeMethodNotAllowed, "GET, HEAD"},
		{"POST", "/openapi.json", service.CodeMethodNotAllowed, "GET, HEAD"},
	} {
		got := do(test.method, test.path, "")
		if allow := got.header.Get("Allow"); allow != test.allow {
			t.Errorf("%s %s: Allow %q, want %q", test.method, test.path, allow, test.allow)
		}
		if test.method == "HEAD" {
			if got.status != ErrorStatus(test.code) || got.body != "" {
				t.Errorf("%s %s: %d %q", test.method, test.path, got.status, got.body)
			}
			continue
		}
		if p := got.problem(t); service.Code(p.Code) != test.code || p.Status != ErrorStatus(test.code) {
			t.Errorf("%s %s: %d %s, want %s", test.method, test.path, p.Status, p.Code, test.code)
		} else if test.allow != "" && !strings.Contains(p.Detail, "not accept "+test.method+", only "+test.allow+".") {
			t.Errorf("%s %s: detail %q", test.method, test.path, p.Detail)
		}
	}
}

// Successful answers are JSON and errors are problems, whatever the request accepts.
func TestAccept(t *testing.T) {
	t.Parallel()
	do := setup(t, Config{}, echoes(100))
	for _, accept := range []string{
		"application/json", "application/problem+json", "application/json;q=0.9, application/problem+json", "application/xml", "*/*",
		"a;,b", "a;b,c", "application/json;q,x", ";", ",", "application/json;", "q=0.5;application/json", "日本",
	} {
		if got := do("GET", "/echo/films/document/x", "", "Accept", accept); got.status != 200 || got.header.Get("Content-Type") != jsonType {
			t.Errorf("Accept %q: %d %s %s", accept, got.status, got.header.Get("Content-Type"), got.body)
		}
		if p := do("GET", "/echo/films/document/%FF", "", "Accept", accept).problem(t); p.Code != "invalid_request" {
			t.Errorf("Accept %q: %+v", accept, p)
		}
	}
}

func TestDocumentIDsInPaths(t *testing.T) {
	t.Parallel()
	do := setup(t, Config{}, echoes(100))
	for _, id := range []string{
		"plain", "a/b", "/", "//", "a%b", "%", "%2F", "100%25", "two words", "plus+plus", "ünïcödé", "日本語/スラッシュ", "😀",
		"../", "..%2F", "../../x", "a?b", "a#b", "a;b=c", "a:b@c", "a&b", "'quote\"", "back\\slash", "<b>", "{id}", "*", "~", ".well-known", "a.b",
	} {
		for _, method := range []string{"GET", "PUT"} {
			got := do(method, "/echo/films/document/"+url.PathEscape(id), "{}")
			var e echo
			if err := json.Unmarshal([]byte(got.body), &e); err != nil || got.status != 200 {
				t.Errorf("%q: %d %s", id, got.status, got.body)
				continue
			}
			if e.ID != id || e.Index != "films" {
				t.Errorf("%q arrived as %q in %q", id, e.ID, e.Index)
			}
		}
	}
	// Written by hand, as clients may encode more or less than they must.
	for path, id := range map[string]string{
		"..%2F":       "../",
		"%2e%2E%2fx":  "../x",
		"%61%62c":     "abc",
		"a+b":         "a+b",
		"a%2Bb":       "a+b",
		"a%20b":       "a b",
		"100%2525":    "100%25",
		"a@b:c,d;e=f": "a@b:c,d;e=f",
		"%E2%82%AC":   "€",
	} {
		var e echo
		got := do("GET", "/echo/films/document/"+path, "")
		if err := json.Unmarshal([]byte(got.body), &e); err != nil || e.ID != id {
			t.Errorf("%s arrived as %q, want %q: %d %s", path, e.ID, id, got.status, got.body)
		}
	}
	if got := do("GET", "/echo/films/document/x?%zz", ""); got.status != 200 {
		t.Errorf("a query string that nothing is taken from: %d %s", got.status, got.body)
	}
	p := do("GET", "/echo/films/document/%FF", "").problem(t)
	if want := []ProblemError{{Location: "path.id", Message: "not UTF-8", Value: "�"}}; p.Code != "invalid_request" || !cmp.Equal(p.Errors, want) {
		t.Errorf("invalid UTF-8: %+v", p)
	}
}

func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	_, all := operations(t)
	do := setup(t, Config{}, nil)
	for _, op := range all {
		if len(op.Security) == 0 {
			continue
		}
		path := strings.NewReplacer("{index}", "films", "{id}", "1", "{search}", "films").Replace(op.Path)
		got := do(op.Method, path, "not JSON", "Content-Type", "text/plain")
		if p := got.problem(t); p.Code != "unauthorized" || got.status != 401 {
			t.Errorf("%s: %d %s", op.OperationID, got.status, p.Code)
		}
		if got := got.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, `Basic realm="rowan"`) {
			t.Errorf("%s: WWW-Authenticate %q", op.OperationID, got)
		}
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	do := setup(t, Config{BaseDomain: "search.example"}, echoes(100))
	for _, test := range []struct {
		host, path string
		status     int
	}{
		{"demo.search.example", "/v1/index", 401},
		{"DEMO.Search.Example:8080", "/v1/index", 401},
		{"demo-b.search.example", "/v1/index", 401},
		{"search.example", "/v1/index", 421},
		{"demo.example", "/v1/index", 421},
		{"x.demo.search.example", "/v1/index", 421},
		{"demosearch.example", "/v1/index", 421},
		{"127.0.0.1", "/v1/index", 421},
		{"127.0.0.1", "/nowhere", 421},
		{"demo.search.example", "/nowhere", 404},
		{"127.0.0.1", "/openapi.json", 200},
		{"127.0.0.1", "/openapi.yaml", 200},
		{"127.0.0.1", "/openapi-3.0.json", 200},
		{"127.0.0.1", "/docs", 200},
	} {
		got := do("GET", test.path, "", "Host", test.host)
		if got.status != test.status {
			t.Errorf("%s%s: %d, want %d: %s", test.host, test.path, got.status, test.status, got.body)
		}
		if test.status == 421 && got.problem(t).Code != "misdirected_request" {
			t.Errorf("%s%s: %s", test.host, test.path, got.body)
		}
		if test.status == 401 && !strings.HasPrefix(got.header.Get("WWW-Authenticate"), `Basic realm="demo"`) {
			t.Errorf("%s%s: realm %q", test.host, test.path, got.header.Get("WWW-Authenticate"))
		}
	}
}

func TestHostApplication(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"demo.example.com": "demo", "demo-a.example.com": "demo", "demo-b.example.com:443": "demo", "demo-c.example.com.": "demo",
		"my-shop.example.com": "my-shop", "demo-d.example.com": "demo-d", "DEMO-A.EXAMPLE.COM": "demo", "a.example.com": "a",
		"example.com": "", ".example.com": "", "-a.example.com": "", "a.b.example.com": "", "demo.example.org": "", "": "", "[::1]:80": "",
	} {
		if got, ok := HostApplication(host, "example.com"); got != want || ok != (want != "") {
			t.Errorf("HostApplication(%q) = %q, %v; want %q", host, got, ok, want)
		}
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	type want struct{ application, key string }
	for name, test := range map[string]struct {
		basic   []string
		headers []string
		want    want
	}{
		"none":                      {},
		"basic":                     {basic: []string{"demo", "k:1"}, want: want{"demo", "k:1"}},
		"headers":                   {headers: []string{"X-Service-Application", "demo", "X-Service-API-Key", "k"}, want: want{"demo", "k"}},
		"headers in any case":       {headers: []string{"x-service-application", "demo", "x-service-api-key", "k"}, want: want{"demo", "k"}},
		"both, the same":            {basic: []string{"demo", "k"}, headers: []string{"X-Service-Application", "demo", "X-Service-API-Key", "k"}, want: want{"demo", "k"}},
		"both, other key":           {basic: []string{"demo", "k"}, headers: []string{"X-Service-Application", "demo", "X-Service-API-Key", "l"}},
		"both, other application":   {basic: []string{"demo", "k"}, headers: []string{"X-Service-Application", "shop", "X-Service-API-Key", "k"}},
		"key without application":   {headers: []string{"X-Service-API-Key", "k"}},
		"application without key":   {headers: []string{"X-Service-Application", "demo"}},
		"basic and half of headers": {basic: []string{"demo", "k"}, headers: []string{"X-Service-API-Key", "k"}},
		"basic and the other half":  {basic: []string{"demo", "k"}, headers: []string{"X-Service-Application", "demo"}},
		"key twice":                 {headers: []string{"X-Service-Application", "demo", "X-Service-API-Key", "k", "X-Service-API-Key", "l"}},
		"application twice":         {headers: []string{"X-Service-Application", "demo", "X-Service-Application", "shop", "X-Service-API-Key", "k"}},
		"headers twice, the same": {
			headers: []string{"X-Service-Application", "demo", "X-Service-API-Key", "k", "X-Service-API-Key", "k", "X-Service-Application", "demo"}, want: want{"demo", "k"},
		},
		"basic twice":              {basic: []string{"demo", "k"}, headers: []string{"Authorization", "Basic ZGVtbzps"}}, // demo:l
		"basic twice, the same":    {basic: []string{"demo", "k"}, headers: []string{"Authorization", "Basic ZGVtbzpr"}, want: want{"demo", "k"}},
		"basic and another scheme": {basic: []string{"demo", "k"}, headers: []string{"Authorization", "Bearer k"}},
		"empty key":                {basic: []string{"demo", ""}},
		"empty application":        {basic: []string{"", "k"}},
		"another scheme":           {headers: []string{"Authorization", "Bearer k"}},
		"several spaces":           {headers: []string{"Authorization", "basic  ZGVtbzpr"}, want: want{"demo", "k"}},
		"broken basic":             {headers: []string{"Authorization", "Basic !!!"}},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if test.basic != nil {
			r.SetBasicAuth(test.basic[0], test.basic[1])
		}
		for i := 0; i < len(test.headers); i += 2 {
			r.Header.Add(test.headers[i], test.headers[i+1])
		}
		application, key, err := credentials(r)
		if got := (want{application, key}); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if refused := test.want == (want{}); refused != (service.ErrorCode(err) == service.CodeUnauthorized) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	do := setup(t, Config{}, nil)
	for given, kept := range map[string]bool{
		"abc-123":                true,
		strings.Repeat("x", 128): true,
		strings.Repeat("x", 129): false,
		"two words":              false,
		"ünïcode":                false,
		"":                       false,
	} {
		got := do("GET", "/nowhere", "", "X-Request-Id", given)
		id := got.header.Get("X-Request-Id")
		if (id == given) != kept || id == "" {
			t.Errorf("%q came back as %q", given, id)
		}
		got.problem(t)
	}
}

// lineWriter sends each write, which is one line of the log.
type lineWriter chan []byte

func (w lineWriter) Write(p []byte) (int, error) {
	w <- bytes.Clone(p)
	return len(p), nil
}

func TestOneLineForEachRequest(t *testing.T) {
	t.Parallel()
	lines := make(lineWriter, 10) // the line may come after the answer
	do := setup(t, Config{Logger: slog.New(slog.NewJSONHandler(lines, nil))}, func(a *api) {
		register(a, operation{id: "panics", method: http.MethodGet, path: "/panics", public: true},
			func(context.Context, *struct{}) (*echoOutput, error) { panic("out of cheese") })
		register(a, operation{id: "fails", method: http.MethodGet, path: "/fails", public: true},
			func(context.Context, *struct{}) (*echoOutput, error) {
				return nil, service.Errorf(service.CodeInternal, "SELECT secret").Because(io.ErrClosedPipe)
			})
		register(a, operation{id: "sheds", method: http.MethodGet, path: "/sheds", public: true},
			func(context.Context, *struct{}) (*echoOutput, error) {
				return nil, &service.Error{Code: service.CodeTooManyRequests, Detail: "later", RetryAfter: 1500_000_000}
			})
	})
	for _, test := range []struct {
		path, operation, level, cause string
		status                        int
	}{
		{"/panics?secret=1", "panics", "ERROR", "panic: out of cheese", 500},
		{"/fails", "fails", "ERROR", "internal: SELECT secret: io: read/write on closed pipe", 500},
		{"/sheds", "sheds", "INFO", "", 429},
		{"/v1/index", "listIndices", "INFO", "", 401},
		{"/nowhere", "", "INFO", "", 404},
	} {
		got := do("GET", test.path, "", "Authorization", "Bearer secret")
		p := got.problem(t)
		if p.Status != test.status || strings.Contains(got.body, "cheese") || strings.Contains(got.body, "secret") {
			t.Errorf("%s: %s", test.path, got.body)
		}
		if wait := got.header.Get("Retry-After"); (wait == "2") != (test.status == 429) {
			t.Errorf("%s: Retry-After %q", test.path, wait)
		}
		var line struct {
			Level, Operation, Error, Stack string
			RequestID                      string  `json:"request_id"`
			Duration                       float64 `json:"duration_ms"`
			Status, Bytes                  int
		}
		if err := json.Unmarshal(<-lines, &line); err != nil {
			t.Fatal(err)
		}
		if line.Level != test.level || line.Operation != test.operation || line.Error != test.cause || line.Status != test.status ||
			line.Bytes != len(got.body) || line.RequestID != p.RequestID || (line.Stack != "") != (test.path[:3] == "/pa") {
			t.Errorf("%s: logged %+v", test.path, line)
		}
	}
}

// An answer that a panic cuts off already has its status, and is logged as an error all the same.
func TestAnswersThatAreCutOffAreLogged(t *testing.T) {
	t.Parallel()
	lines := make(lineWriter, 1)
	router := newRouter()
	router.Get("/half", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		panic("out of cheese")
	})
	server := httptest.NewServer(wrapped(Config{Logger: slog.New(slog.NewJSONHandler(lines, nil))}.withDefaults(), router))
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/half", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := server.Client().Do(r); err == nil {
		_ = response.Body.Close()
		t.Errorf("half an answer looks like a whole one: %d", response.StatusCode)
	}
	if line := string(<-lines); !strings.Contains(line, `"level":"ERROR"`) || !strings.Contains(line, "out of cheese") {
		t.Errorf("logged %s", line)
	}
}

// Browsers neither guess the type of an answer, nor frame, cache or execute it, whatever it is.
func TestAnswersAreSecured(t *testing.T) {
	t.Parallel()
	do := setup(t, Config{}, nil)
	for path, status := range map[string]int{"/v1/index": http.StatusUnauthorized, "/nowhere": http.StatusNotFound, "/openapi.json": http.StatusOK} {
		got := do("GET", path, "")
		if got.status != status {
			t.Errorf("%s: %d, want %d", path, got.status, status)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if path != "/openapi.json" || name != "Cache-Control" { // the document is the same for everybody
				if got := got.header.Get(name); got != want {
					t.Errorf("%s: %s is %q, want %q", path, name, got, want)
				}
			}
		}
	}
}

func TestPublicPages(t *testing.T) {
	t.Parallel()
	do := setup(t, Config{}, nil)
	for path, kind := range map[string]string{
		"/openapi.json": "application/json", "/openapi-3.0.json": "application/json", "/openapi.yaml": "application/yaml",
		"/docs": "text/html", "/docs/": "text/html", "/docs/swagger-ui.css": "text/css", "/docs/swagger-ui-bundle.js": "text/javascript",
	} {
		got := do("GET", path, "")
		if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), kind) || len(got.body) < 500 {
			t.Errorf("%s: %d %s, %d bytes", path, got.status, got.header.Get("Content-Type"), len(got.body))
		}
		if got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s may be sniffed", path)
		}
		if head := do("HEAD", path, ""); head.status != 200 || head.body != "" {
			t.Errorf("HEAD %s: %d", path, head.status)
		}
	}
	if missing := do("GET", "/docs/swagger-ui.css.map", "").problem(t); missing.Code != problemCode(service.CodeRouteNotFound) {
		t.Errorf("what the viewer does not have: %s", missing.Code)
	}
	for _, path := range []string{"/docs", "/docs/", "/docs/start.js"} {
		got := do("POST", path, "")
		if got.problem(t).Code != problemCode(service.CodeMethodNotAllowed) || got.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %d, Allow %q", path, got.status, got.header.Get("Allow"))
		}
	}
	page := do("GET", "/docs", "")
	for _, host := range []string{`src="http`, `href="http`, `src="//`, `href="//`} {
		if strings.Contains(page.body, host) {
			t.Errorf("the viewer loads from another host: %s", host)
		}
	}
}
