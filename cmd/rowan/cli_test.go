package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/cmd/rowan/internal/importer"
	"github.com/rowansearch/rowan/handlers"
)

func parsed(t *testing.T, args ...string) (*commands, error) {
	t.Helper()
	c := &commands{}
	parser, err := newParser(c, terminal{out: io.Discard, err: io.Discard}, func(int) { t.Error("exited") })
	if err != nil {
		t.Fatal(err)
	}
	_, err = parse(parser, args)
	return c, err
}

// help returns what a command prints with --help.
func help(t *testing.T, command string) string {
	t.Helper()
	var out bytes.Buffer
	parser, err := newParser(&commands{}, terminal{out: &out, err: &out}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = parser.Parse([]string{command, "--help"}) // the exit that it asks for does not happen
	return out.String()
}

func TestHelpOfServeNamesTheEnvironment(t *testing.T) {
	text := help(t, "serve")
	for _, name := range []string{
		"DATABASE_URL", "DATABASE_REPLICA_URLS", "ROWAN_DATA_DIR", "ROWAN_LISTEN", "ROWAN_BASE_DOMAIN",
		"ROWAN_APPLICATION_ID", "ROWAN_ADMIN_KEY", "ROWAN_SEARCH_KEY", "ROWAN_LOG_FORMAT", "ROWAN_LOG_LEVEL",
		"ROWAN_POOL_SIZE", "ROWAN_SEARCH_TIMEOUT", "ROWAN_MAX_BATCH", "ROWAN_MAX_DOCUMENT", "ROWAN_MAX_SEARCH", "ROWAN_SHUTDOWN_TIMEOUT",
	} {
		if !regexp.MustCompile(`\(\$` + name + `\)`).MatchString(strings.Join(strings.Fields(text), " ")) {
			t.Errorf("--help does not name %s:\n%s", name, text)
		}
	}
}

func TestSettingsComeFromFlagsThenEnvironmentThenDefaults(t *testing.T) {
	c, err := parsed(t, "serve")
	if err != nil || c.Serve.Listen != "127.0.0.1:8080" || c.Serve.DataDir != "./data" || c.Serve.MaxBatch != 64<<20 || c.Serve.DatabaseURL != "" {
		t.Errorf("defaults: %+v, %v", c.Serve, err)
	}
	t.Setenv("ROWAN_LISTEN", "127.0.0.1:9000")
	t.Setenv("ROWAN_MAX_BATCH", "8MiB")
	t.Setenv("DATABASE_REPLICA_URLS", "postgres://a,postgres://b")
	c, err = parsed(t, "serve", "--max-batch", "1048576")
	if err != nil || c.Serve.Listen != "127.0.0.1:9000" || c.Serve.MaxBatch != 1<<20 {
		t.Errorf("with an environment: %+v, %v", c.Serve, err)
	}
	if diff := cmp.Diff([]string{"postgres://a", "postgres://b"}, c.Serve.DatabaseReplicaURLs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An error about a value names the variable that it may come from, and the flag.
func TestWrongVariables(t *testing.T) {
	for variable, test := range map[string]struct{ value, flag string }{
		"ROWAN_LOG_FORMAT":       {"xml", "--log-format"},
		"ROWAN_LOG_LEVEL":        {"loud", "--log-level"},
		"ROWAN_SEARCH_TIMEOUT":   {"soon", "--search-timeout"},
		"ROWAN_LOCK_TIMEOUT":     {"0s", "--lock-timeout"},
		"ROWAN_POOL_SIZE":        {"many", "--pool-size"},
		"ROWAN_MAX_BATCH":        {"lots", "--max-batch"},
		"ROWAN_ANALYTICS_SAMPLE": {"half", "--analytics-sample"},
		"ROWAN_LISTEN":           {"localhost", "--listen"},
		"ROWAN_ADMIN_LISTEN":     {"localhost", "--admin-listen"},
		"ROWAN_CORS_ORIGINS":     {"shop", "--cors-origins"},
	} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, test.value)
			if _, err := parsed(t, "serve"); err == nil || !strings.Contains(err.Error(), variable) || !strings.Contains(err.Error(), test.flag) {
				t.Errorf("got %v, want %s and %s", err, test.flag, variable)
			}
		})
	}
	// The parser's own lists of values name only the flag.
	parser, err := newParser(&commands{}, terminal{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Leaves(false) {
		for _, flag := range command.Flags {
			if flag.Enum != "" && len(flag.Envs) > 0 {
				t.Errorf("%s: an error about --%s does not name %v", command.Path(), flag.Name, flag.Envs)
			}
		}
	}
	if _, err := (serverFlags{URL: "ftp://search", Application: "demo"}).client("k", "search"); err == nil || !strings.HasPrefix(err.Error(), "--url (ROWAN_URL): ") {
		t.Errorf("the address of a server: %v", err)
	}
	term := terminal{out: io.Discard, err: new(bytes.Buffer)}
	if status := run([]string{"migrate", "--database-url", "nonsense"}, term); status != exitFailure || !strings.Contains(fmt.Sprint(term.err), "rowan: DATABASE_URL: the database URL cannot be read") {
		t.Errorf("the address of the database: %d, %s", status, term.err)
	}
}

func TestAnEmptyVariableIsNoVariable(t *testing.T) {
	t.Setenv("ROWAN_LISTEN", "")
	ignoreEmptyEnvironment()
	if c, err := parsed(t, "serve"); err != nil || c.Serve.Listen != "127.0.0.1:8080" {
		t.Errorf("%+v, %v", c.Serve, err)
	}
}

func TestWrongArguments(t *testing.T) {
	t.Setenv("ROWAN_ADMIN_KEY", "")
	ignoreEmptyEnvironment()
	tests := map[string]struct {
		args []string
		want string
	}{
		"a short admin key":             {[]string{"serve", "--admin-key", "secret"}, "ROWAN_ADMIN_KEY) must have 16 to 200 characters, it has 6"},
		"equal keys":                    {[]string{"serve", "--admin-key", "0123456789abcdef", "--search-key", "0123456789abcdef"}, "must differ"},
		"an application that cannot be": {[]string{"serve", "--application", "Bad_"}, "--application (ROWAN_APPLICATION_ID): "},
		"no port":                       {[]string{"serve", "--listen", "localhost"}, "write host:port"},
		"a negative limit":              {[]string{"serve", "--slow-search=-1s"}, "--slow-search (ROWAN_SLOW_SEARCH) must not be negative"},
		"no pool":                       {[]string{"serve", "--pool-size", "1"}, "--pool-size (ROWAN_POOL_SIZE) must be at least 2"},
		"no time":                       {[]string{"serve", "--search-timeout", "99ms"}, "--search-timeout (ROWAN_SEARCH_TIMEOUT) must be 100ms to 24h"},
		"more time than PostgreSQL has": {[]string{"serve", "--search-timeout", "600h"}, "--search-timeout (ROWAN_SEARCH_TIMEOUT) must be 100ms to 24h"},
		"a size that is none":           {[]string{"serve", "--max-batch", "lots"}, "write 1048576, 512KiB, 64MiB or 1GiB"},
		"an unknown log level":          {[]string{"serve", "--log-level", "loud"}, "must be one of"},
		"a batch that is too large":     {[]string{"import", "films", "f", "--key", "k", "--batch-size", "20000"}, "--batch-size must be 1 to 10000"},
		"a mapping without a type":      {[]string{"import", "films", "f", "--key", "k", "--mapping", "title"}, "write NAME:TYPE"},
		"resuming standard input":       {[]string{"import", "films", "-", "--key", "k", "--resume"}, "give --checkpoint"},
		"OpenAPI 3.0 as YAML":           {[]string{"openapi", "--spec", "3.0", "--format", "yaml"}, "only as JSON"},
		"no port to ask for health":     {[]string{"health", "--listen", "localhost"}, "write host:port"},
		"deleting without a word":       {[]string{"app", "delete", "shop"}, "add --yes"},
		"an application's bad id":       {[]string{"app", "create", "Shop"}, "must have 1 to 40 characters"},
		"an unknown command":            {[]string{"dance"}, "unexpected argument dance"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parsed(t, test.args...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// A base domain is one that hosts can be below, in the form in which they are compared.
func TestBaseDomain(t *testing.T) {
	for domain, below := range map[string]string{
		"search.example.org": "search.example.org", "localhost": "localhost", "Search.Example.ORG": "search.example.org", ".example.org": "example.org",
		"example.org.": "example.org", "xn--bcher-kva.example": "xn--bcher-kva.example", "my_host": "my_host",
	} {
		c, err := parsed(t, "serve", "--base-domain", domain)
		if err != nil {
			t.Errorf("%s: %v", domain, err)
		}
		host := "demo-b." + below + ":8080"
		if application, ok := handlers.HostApplication(host, c.Serve.domain()); !ok || application != "demo" {
			t.Errorf("the host %s is not below %s", host, domain)
		}
	}
	for _, domain := range []string{"https://x.org", "bad domain", "x.org:8080", "x.org/", "*.x.org", "a..b", ".", " x.org", "bücher.example", "127.0.0.1", "[::1]", "::1"} {
		t.Setenv("ROWAN_BASE_DOMAIN", domain)
		if _, err := parsed(t, "serve"); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("--base-domain (ROWAN_BASE_DOMAIN): %q is not a domain: write it like search.example.org", domain)) {
			t.Errorf("%s: %v", domain, err)
		}
	}
}

func TestGreeting(t *testing.T) {
	t.Parallel()
	made := credentials{application: "demo", isNew: true, admin: "rka_x", search: "rks_x"}
	for name, test := range map[string]struct {
		domain, address string
		made            credentials
		want, not       []string
	}{
		"any host": {"", "127.0.0.1:8080", made,
			[]string{"ready at http://127.0.0.1:8080 (dashboard: http://127.0.0.1:8080/dashboard, documentation: http://127.0.0.1:8080/docs)", "curl -s -u demo:rks_x http://127.0.0.1:8080/v1/search/films -H"},
			[]string{"Host:", "proxy"}},
		"a base domain": {".Search.Example", "0.0.0.0:8080", made,
			[]string{"ready at http://localhost:8080 (documentation: http://localhost:8080/docs)", "dashboard of demo: http://demo.search.example:8080/dashboard, or through your proxy https://demo.search.example/dashboard.",
				"curl -s -u demo:rks_x -H 'Host: demo.search.example' http://localhost:8080/v1/search/films -H"},
			[]string{"localhost:8080/dashboard"}},
		"a base domain, and applications from before": {"search.example", "127.0.0.1:8080", credentials{existing: "shop"},
			[]string{"dashboard of shop: http://shop.search.example:8080/dashboard,"},
			[]string{"127.0.0.1:8080/dashboard", "curl"}},
	} {
		t.Run(name, func(t *testing.T) {
			address, err := net.ResolveTCPAddr("tcp", test.address)
			if err != nil {
				t.Fatal(err)
			}
			c := &serveCommand{BaseDomain: test.domain, Sample: true}
			text := c.greeting(address, test.made, nil)
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("lacks %q:\n%s", want, text)
				}
			}
			for _, not := range test.not {
				if strings.Contains(text, not) {
					t.Errorf("has %q:\n%s", not, text)
				}
			}
		})
	}
}

// If programs read the log, the output has only what must not be in a log.
func TestGreetingOfPrograms(t *testing.T) {
	t.Parallel()
	for want, made := range map[string]credentials{
		"": {application: "demo", isNew: true, search: "rks_given", searchGiven: true},
		"\n  application  demo\n  admin key    rka_x   may do everything: keep it secret\n\nThe keys are shown only this once; \"rowan key create\" creates others.\n": {application: "demo", isNew: true, admin: "rka_x"},
	} {
		c := &serveCommand{logFlags: logFlags{LogFormat: "json"}, Sample: true}
		if diff := cmp.Diff(want, c.greeting(&net.TCPAddr{}, made, nil)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// The log says why a server has ended, in the log's format.
func TestEndingOfAServer(t *testing.T) {
	for format, want := range map[string]string{
		"text": "rowan: cannot listen on 127.0.0.1:99999 (choose another address with --listen or ROWAN_LISTEN): ",
		"json": `"level":"ERROR","msg":"the service has ended","error":"cannot listen on 127.0.0.1:99999 (choose another address with --listen or ROWAN_LISTEN): `,
	} {
		var told bytes.Buffer
		status := run([]string{"serve", "--listen", "127.0.0.1:99999", "--log-format", format}, terminal{out: io.Discard, err: &told})
		if text := told.String(); status != exitFailure || !strings.Contains(text, want) || strings.Count(text, "\n") != 1 || json.Valid(told.Bytes()) != (format == "json") {
			t.Errorf("%s: exit status %d, %s", format, status, text)
		}
	}
}

// The number of connections follows from the pools that store.Open creates.
func TestHelpOfThePoolSize(t *testing.T) {
	text := strings.Join(strings.Fields(help(t, "serve")), " ")
	if want := "(16): there are two pools to the primary, for writes and for searches, and one to each read replica ($ROWAN_POOL_SIZE)"; !strings.Contains(text, want) {
		t.Errorf("--help lacks %q:\n%s", want, text)
	}
}

// The parser itself shows that a flag takes several values.
func TestHelpOfLists(t *testing.T) {
	for command, want := range map[string]string{"serve": "--cors-origins=ORIGIN,... ", "search": "--fields=NAME,... "} {
		if text := help(t, command); !strings.Contains(text, want) {
			t.Errorf("the help of %s lacks %q:\n%s", command, want, text)
		}
	}
}

func TestByteSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byteSize{
		"1": 1, "1048576": 1 << 20, "512KiB": 512 << 10, "64MiB": 64 << 20, "64M": 64 << 20, "64 mb": 64 << 20, "1GiB": 1 << 30, "100B": 100,
		"1536MiB": 1536 << 20, "1048577": 1<<20 + 1, "1024GiB": 1 << 40, "1099511627776": 1 << 40,
	} {
		var got byteSize
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
		var again byteSize
		if err := again.UnmarshalText([]byte(got.String())); err != nil || again != got {
			t.Errorf("%q is written %q, which reads as %d, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "0", "1.5MiB", "1TiB", "99999999999GiB", "8589934592GiB", "1025GiB", "1099511627777"} {
		var got byteSize
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q reads as %d", text, got)
		}
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestCounted(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 documents", 1: "1 document", 2: "2 documents", 1001: "1,001 documents"} {
		if got := counted(n, "document"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// Standard input is taken for CSV only if it is hardly anything else; a file is what its name says.
func TestImportGuessesNoFormat(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	file := filepath.Join(t.TempDir(), "names.csv")
	if err := os.WriteFile(file, []byte("name\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, format, want string }{
		{"-", "auto", "-: this does not look like JSON documents, and as CSV it would have a single column: if it is CSV, add --format csv"},
		{"-", "csv", "start one with"}, // it was read, and then the server was called
		{file, "auto", "start one with"},
	} {
		c := &importCommand{serverFlags: serverFlags{URL: srv.URL, Application: "demo"}, Index: "films", File: test.file, Format: test.format, Key: "k", Parallel: 1}
		err := c.Run(t.Context(), terminal{in: strings.NewReader("plain text file\nline two\n"), out: io.Discard, err: io.Discard})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s as %s: said %v, want %s", test.file, test.format, err, test.want)
		}
	}
}

func TestReportOfAnImport(t *testing.T) {
	t.Parallel()
	for want, progress := range map[string]importer.Progress{
		"Imported 1 document into films in 1s, 1/s: 1 created, 0 updated.\n":                                              {Written: 1, Created: 1},
		"Imported 1,200 documents into films in 1s, 1,200/s: 0 created, 1,200 updated.\n":                                 {Written: 1200, Updated: 1200},
		"Imported 2 documents into films in 1s, 2/s: 2 created, 0 updated; 1 record processed earlier; 1 bad record.\n":   {Written: 2, Created: 2, Skipped: 1, Bad: 1},
		"Imported 0 documents into films in 1s, 0/s: 0 created, 0 updated; 3 records processed earlier; 2 bad records.\n": {Skipped: 3, Bad: 2},
		"Imported 1 document into films in 1s, 1/s: 1 created, 0 updated.\n" +
			"Records without an _id were each given one; to use another property as _id, give --id-field.\n": {Written: 1, Created: 1, Generated: true},
	} {
		var notes bytes.Buffer
		j := &importJob{command: &importCommand{Index: "films"}, term: terminal{err: &notes}}
		if err := j.report(progress, time.Second, nil); (err != nil) != (progress.Bad > 0) || notes.String() != want {
			t.Errorf("said %q, %v; want %q", notes.String(), err, want)
		}
	}
}

func TestOpenapi(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ format, spec, want string }{
		{"json", "3.1", `"openapi": "3.1.0"`}, {"json", "3.0", `"openapi": "3.0.3"`}, {"yaml", "3.1", "openapi: 3.1.0"},
	} {
		var out bytes.Buffer
		c := &openapiCommand{Format: test.format, Spec: test.spec}
		if err := c.Run(terminal{out: &out}); err != nil || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s %s: %v, %.100s", test.format, test.spec, err, out.String())
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.WriteHeader(status)
	}))
	defer srv.Close()
	check := func() error {
		c := &healthCommand{Listen: strings.TrimPrefix(srv.URL, "http://"), Timeout: 1e10}
		return c.Run(t.Context(), terminal{out: &bytes.Buffer{}})
	}
	if err := check(); err != nil {
		t.Error(err)
	}
	status = http.StatusServiceUnavailable
	if err := check(); err == nil {
		t.Error("503 passes as healthy")
	}
	srv.Close()
	if err := check(); err == nil {
		t.Error("no server passes as healthy")
	}
}

func TestCommandsWithoutAKeySayWhereItGoes(t *testing.T) {
	t.Parallel()
	for want, command := range map[string]interface {
		Run(context.Context, terminal) error
	}{
		"ROWAN_SEARCH_KEY":       &searchCommand{Search: "films"},
		"set ROWAN_ADMIN_KEY":    &importCommand{Index: "films", File: "-"},
		"or set ROWAN_ADMIN_KEY": &exportCommand{Index: "films"},
	} {
		if err := command.Run(t.Context(), terminal{}); err == nil || !strings.Contains(err.Error(), "--key") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		want := `{"facets":"genres","filter":"year \u003e 1950","page":1,"query":"seven samurai"}`
		if got := body.String(); got != want || r.URL.Path != "/v1/search/films" {
			t.Errorf("asked %s for %s", r.URL.Path, got)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"hits":{"b":{"_id":"b","_score":2.5,"title":"Seven\tSamurai","year":1954,"genres":["Action","Drama"],"x":{"y":1}},
			"a":{"_id":"a","_score":1,"title":"Seven","year":null,"_highlight":{}}},"ids":["b","a"],"total":1234,"processing_time_ms":3,
			"facets":{"genres":[{"value":"Action","count":1000},{"value":"Drama","count":7}]}}`)
	}))
	defer srv.Close()
	c := &searchCommand{
		Search: "films", Query: []string{"seven", "samurai"}, serverFlags: serverFlags{URL: srv.URL, Application: "demo"}, Key: "k",
		Filter: "year > 1950", Facets: "genres", Match: "default", Page: 1,
	}
	var out bytes.Buffer
	if err := c.Run(t.Context(), terminal{out: &out}); err != nil {
		t.Fatal(err)
	}
	want := `1,234 found, 2 shown, in 3 ms

_score  _id  title          year  genres
2.5     b    Seven Samurai  1954  Action, Drama
1       a    Seven                

genres
  Action  1,000
  Drama   7
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out.Reset()
	c.JSON = true
	if err := c.Run(t.Context(), terminal{out: &out}); err != nil || !strings.HasPrefix(out.String(), `{"hits":{"b"`) {
		t.Errorf("%v, %s", err, out.String())
	}
}

// A full disk behind the output is reported once, also by commands that have done what they were asked to.
func TestFullOutput(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"hits":{"a":{"_id":"a"}},"ids":["a"],"total":1,"facets":{"genres":[{"value":"Drama","count":1}]}}`)
	}))
	defer srv.Close()
	term := terminal{out: brokenWriter{errors.New("no space left")}}
	search := searchCommand{Search: "films", serverFlags: serverFlags{URL: srv.URL, Application: "demo"}, Key: "k", Page: 1}
	whole := search
	whole.JSON = true
	health := healthCommand{Listen: strings.TrimPrefix(srv.URL, "http://"), Timeout: time.Minute}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"search":         {search.Run(t.Context(), term), "no space left"},
		"a whole answer": {whole.Run(t.Context(), term), "no space left"},
		"version":        {versionCommand{}.Run(term), "no space left"},
		"openapi":        {(&openapiCommand{}).Run(term), "no space left"},
		"what was done":  {term.done("Deleted films"), "Deleted films, but this could not be written: no space left"},
		"health":         {health.Run(t.Context(), term), "<nil>"},
	} {
		if got := fmt.Sprint(test.err); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// Something else that answers at the address is told from Rowan, and from a proxy before it.
func TestCommandsThatAskSomethingElse(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		http.StatusNotFound:         "the server that answered 404 Not Found is not Rowan: check --url",
		http.StatusMovedPermanently: "the server that answered 301 Moved Permanently is not Rowan: check --url",
		http.StatusUnauthorized:     "the server that answered 401 Unauthorized is not Rowan: check --url",
		http.StatusTooManyRequests:  "the server answered 429 Too Many Requests (429)",
		http.StatusBadGateway:       "the server answered 502 Bad Gateway (502)",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		defer srv.Close()
		c := &searchCommand{Search: "films", serverFlags: serverFlags{URL: srv.URL, Application: "demo"}, Key: "k", Page: 1}
		if err := c.Run(t.Context(), terminal{out: io.Discard}); err == nil || err.Error() != want {
			t.Errorf("%d: said %v, want %s", status, err, want)
		}
	}
}

func TestCommandsWithoutAServerSayWhatToDo(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	server := serverFlags{URL: srv.URL, Application: "demo"}
	term := terminal{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	for name, command := range map[string]interface {
		Run(context.Context, terminal) error
	}{
		"search": &searchCommand{serverFlags: server, Search: "films", Key: "k", Page: 1},
		"import": &importCommand{serverFlags: server, Index: "films", File: "-", Key: "k", Parallel: 1},
		// Its patience is for a server that goes away during the export.
		"export": &exportCommand{serverFlags: server, Index: "films", Key: "k", PageSize: 10, Patience: time.Hour},
	} {
		if err := command.Run(t.Context(), term); err == nil || !strings.Contains(err.Error(), `start one with "rowan serve"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nothing has been read yet that would show the format.
func TestAnImportStopsBeforeItsInputBegins(t *testing.T) {
	t.Parallel()
	c, err := parsed(t, "import", "docs", "-", "--key", "k")
	if err != nil {
		t.Fatal(err)
	}
	in, silent := io.Pipe()
	t.Cleanup(func() { _ = silent.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Import.Run(ctx, terminal{in: in, out: io.Discard, err: io.Discard}) }()
	cancel()
	select {
	case err := <-ended:
		if got := explain(err); got != "interrupted" {
			t.Errorf("%q", got)
		}
	case <-time.After(30 * time.Second):
		t.Error("it goes on")
	}
}
