package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/openapi/client"
)

// wire answers requests without a network: it calls the function of the requested host.
type wire struct {
	mu    sync.Mutex
	hosts map[string]func(*http.Request) (*http.Response, error)
	log   []string // the hosts that were asked, in order
}

func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.log = append(w.log, request.URL.Host)
	w.mu.Unlock()
	if request.Body != nil {
		_, _ = io.Copy(io.Discard, request.Body) // a body that is not rewound before a retry is empty here
		_ = request.Body.Close()
	}
	return w.hosts[request.URL.Host](request)
}

func answers(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Content-Type", "application/json")
		if status >= 400 {
			recorder.Header().Set("Content-Type", "application/problem+json")
		}
		for i := 0; i < len(header); i += 2 {
			recorder.Header().Set(header[i], header[i+1])
		}
		recorder.WriteHeader(status)
		_, _ = recorder.WriteString(body)
		return recorder.Result(), nil
	}
}

// sequence answers with one step after the other, and then always with the last.
func sequence(steps ...func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	var n atomic.Int64
	return func(request *http.Request) (*http.Response, error) {
		return steps[min(int(n.Add(1)), len(steps))-1](request)
	}
}

func unconnected(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

func newClient(t *testing.T, w http.RoundTripper, change ...func(*client.Config)) *client.ClientWithResponses {
	t.Helper()
	config := client.Config{Hosts: []string{"http://a", "http://b", "http://c"}, Application: "demo", Key: "secret", Transport: w}
	for _, f := range change {
		f(&config)
	}
	api, err := client.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func TestReplicaHosts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		base, application string
		want              []string
	}{
		"three":            {"https://demo.search.example", "demo", []string{"https://demo-a.search.example", "https://demo-b.search.example", "https://demo-c.search.example", "https://demo.search.example"}},
		"port":             {"http://demo.localhost:8080", "demo", []string{"http://demo-a.localhost:8080", "http://demo-b.localhost:8080", "http://demo-c.localhost:8080", "http://demo.localhost:8080"}},
		"path":             {"http://demo.localhost/search", "demo", []string{"http://demo-a.localhost/search", "http://demo-b.localhost/search", "http://demo-c.localhost/search", "http://demo.localhost/search"}},
		"address":          {"http://127.0.0.1:8080", "127", []string{"http://127.0.0.1:8080"}},
		"other host":       {"http://search.example", "demo", []string{"http://search.example"}},
		"one replica":      {"http://demo-a.search.example", "demo", []string{"http://demo-a.search.example"}},
		"bare application": {"http://demo", "demo", []string{"http://demo"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := client.ReplicaHosts(test.base, test.application)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewRejectsWhatIsNoServer(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "localhost:8080", "ftp://host", "http://", "http://user:secret@host", "http://host?x=1"} {
		if _, err := client.New(client.Config{URL: address}); err == nil {
			t.Errorf("New(%q) succeeded", address)
		}
		if _, err := client.New(client.Config{Hosts: []string{"http://host", address}}); err == nil {
			t.Errorf("New with host %q succeeded", address)
		}
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*client.Config)
		want   map[string]string
	}{
		"basic":   {func(*client.Config) {}, map[string]string{"Authorization": "Basic ZGVtbzpzZWNyZXQ=", "User-Agent": "rowan-go"}},
		"headers": {func(c *client.Config) { c.SignWithHeaders = true }, map[string]string{"X-Service-Application": "demo", "X-Service-Api-Key": "secret", "Authorization": ""}},
		"agent":   {func(c *client.Config) { c.UserAgent = "shop/2" }, map[string]string{"User-Agent": "shop/2"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for name, value := range test.want {
					if r.Header.Get(name) != value {
						t.Errorf("%s is %q, want %q", name, r.Header.Get(name), value)
					}
				}
				if want := "/under/v1/index/shop/document/a%2Fb%20%C3%A9?action=upsert"; r.RequestURI != want {
					t.Errorf("asked for %s, want %s", r.RequestURI, want)
				}
				body, _ := io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusCreated)
				_, _ = w.Write(body)
			}))
			defer server.Close()
			config := client.Config{URL: server.URL + "/under/", Application: "demo", Key: "secret"}
			test.change(&config)
			api, err := client.New(config)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := api.PutDocumentWithResponse(t.Context(), "shop", "a/b é", &client.PutDocumentParams{Action: new(client.StoreActionUpsert)}, client.Document{"n": 9007199254740993})
			if err != nil {
				t.Fatal(err)
			}
			if n := fmt.Sprint((*answer.JSON201)["n"]); n != "9007199254740993" {
				t.Errorf("the number came back as %s", n)
			}
		})
	}
}

func TestTakesTurns(t *testing.T) {
	t.Parallel()
	w := &wire{hosts: map[string]func(*http.Request) (*http.Response, error){}}
	for _, name := range []string{"a", "b", "c"} {
		w.hosts[name] = answers(200, `[]`)
	}
	api := newClient(t, w)
	for range 6 {
		if _, err := api.ListIndicesWithResponse(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	asked := map[string]int{}
	for _, host := range w.log {
		asked[host]++
	}
	if diff := cmp.Diff(map[string]int{"a": 2, "b": 2, "c": 2}, asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlainHostOnlyWhenReplicasFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{hosts: map[string]func(*http.Request) (*http.Response, error){
			"demo-a.x": sequence(answers(200, `[]`), unconnected), "demo-b.x": sequence(answers(200, `[]`), unconnected),
			"demo-c.x": sequence(answers(200, `[]`), unconnected), "demo.x": answers(200, `[]`),
		}}
		api := newClient(t, w, func(c *client.Config) { c.Hosts, c.URL = nil, "http://demo.x" })
		for range 4 {
			if _, err := api.ListIndicesWithResponse(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if len(w.log) != 7 || slices.Index(w.log, "demo.x") != 6 {
			t.Errorf("asked %v", w.log)
		}
	})
}

// operations are requests, and whether they may be repeated after a failure that leaves open whether they were applied.
var operations = map[string]struct {
	call       func(context.Context, *client.ClientWithResponses) error
	repeatable bool
}{
	"read": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.ListIndicesWithResponse(ctx, nil)
		return err
	}, true},
	"search": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.SearchWithResponse(ctx, "s", client.SearchRequest{})
		return err
	}, true},
	"multi-search": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.MultiSearchWithResponse(ctx, client.MultiSearchRequest{})
		return err
	}, true},
	"read batch": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.ReadBatchWithResponse(ctx, "i", []client.BatchReadAction{{ID: "1"}})
		return err
	}, true},
	"upsert": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.UpsertDocumentWithResponse(ctx, "i", "1", nil, client.Document{})
		return err
	}, true},
	"upsert as a patch": {func(ctx context.Context, api *client.ClientWithResponses) error {
		action := client.StoreActionPatch
		_, err := api.UpsertDocumentWithResponse(ctx, "i", "1", &client.UpsertDocumentParams{Action: &action}, client.Document{})
		return err
	}, false},
	"put": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.PutDocumentWithResponse(ctx, "i", "1", nil, client.Document{})
		return err
	}, true},
	"put of a merge patch": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.PutDocumentWithBodyWithResponse(ctx, "i", "1", nil, "application/merge-patch+json", strings.NewReader("{}"))
		return err
	}, false},
	"put settings": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.PutIndexSettingsWithResponse(ctx, "i", client.IndexSettingsPatch{})
		return err
	}, true},
	"delete": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.DeleteDocumentWithResponse(ctx, "i", "1")
		return err
	}, true},
	"batch of upserts and deletions": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.WriteBatchWithResponse(ctx, "i", []client.BatchWriteAction{
			{Action: "upsert", ID: new("1"), Body: client.Document{"_id": "1"}}, {Action: "Delete", ID: new("2")},
		})
		return err
	}, true},
	"batch with a creation": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.WriteBatchWithResponse(ctx, "i", []client.BatchWriteAction{{Action: "upsert", ID: new("1")}, {Action: "create", Body: client.Document{}}})
		return err
	}, false},
	"batch with an upsert without id": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.WriteBatchWithResponse(ctx, "i", []client.BatchWriteAction{{Action: "upsert", Body: client.Document{}}})
		return err
	}, false},
	"batch with a patch": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.WriteBatchWithResponse(ctx, "i", []client.BatchWriteAction{{Action: "patch", ID: new("1")}})
		return err
	}, false},
	"create document": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.CreateDocumentWithResponse(ctx, "i", client.Document{})
		return err
	}, false},
	"patch": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.PatchDocumentWithResponse(ctx, "i", "1", client.Document{})
		return err
	}, false},
	"put as patch": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.PutDocumentWithResponse(ctx, "i", "1", &client.PutDocumentParams{Action: new(client.StoreActionPatch)}, client.Document{})
		return err
	}, false},
	"create index": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.CreateIndexWithResponse(ctx, "i", client.IndexRequest{})
		return err
	}, false},
	"clear": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.ClearIndexWithResponse(ctx, "i")
		return err
	}, false},
	"create key": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.CreateKeyWithResponse(ctx, client.KeyRequest{})
		return err
	}, false},
	"reset key": {func(ctx context.Context, api *client.ClientWithResponses) error {
		_, err := api.ResetKeyWithResponse(ctx, "k")
		return err
	}, false},
}

func TestSendsAgain(t *testing.T) {
	t.Parallel()
	failures := map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		// others reports whether requests that are not repeatable are retried, and repeatable whether those that are repeatable are.
		others, repeatable bool
	}{
		"no connection":        {unconnected, true, true},
		"broken connection":    {broken, false, true},
		"broken answer":        {brokenAnswer, false, true},
		"502":                  {answers(502, "", "Content-Type", "text/html"), false, true},
		"504 of a proxy":       {answers(504, "", "Content-Type", "text/html"), false, true},
		"504 of a search":      {answers(504, `{"code":"search_timeout"}`), false, false},
		"503":                  {answers(503, `{"code":"unavailable"}`), false, true},
		"503, nothing applied": {answers(503, `{"code":"unavailable"}`, "Retry-After", "1"), true, true},
		"429":                  {answers(429, `{"code":"too_many_requests"}`, "Retry-After", "1"), true, true},
		"422":                  {answers(422, `{"code":"invalid_request"}`), false, false},
		"500":                  {answers(500, `{"code":"internal"}`), false, false},
		"301":                  {answers(301, "", "Location", "http://elsewhere/"), false, false},
	}
	for failure, f := range failures {
		for operation, o := range operations {
			t.Run(failure+"/"+operation, func(t *testing.T) {
				t.Parallel()
				w := &wire{hosts: map[string]func(*http.Request) (*http.Response, error){}}
				answer := sequence(f.answer, answers(200, `null`))
				for _, name := range []string{"a", "b", "c"} {
					w.hosts[name] = answer
				}
				err := o.call(t.Context(), newClient(t, w))
				want := f.others
				if o.repeatable {
					want = f.repeatable
				}
				switch {
				case want && (err != nil || len(w.log) != 2 || w.log[0] == w.log[1]):
					t.Errorf("asked %v, error %v: want a second host to have answered", w.log, err)
				case !want && (err == nil || len(w.log) != 1):
					t.Errorf("asked %v, error %v: want the first answer", w.log, err)
				}
			})
		}
	}
}

// broken is a connection that ends after the request was sent, which may have been applied.
func broken(request *http.Request) (*http.Response, error) {
	connected(request)
	return nil, io.ErrUnexpectedEOF
}

func brokenAnswer(request *http.Request) (*http.Response, error) {
	connected(request)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(io.MultiReader(strings.NewReader("["), errorReader{}))}, nil
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestPauses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer   func(*http.Request) (*http.Response, error)
		change   func(*client.Config)
		timeout  time.Duration
		attempts int
		atLeast  time.Duration
		atMost   time.Duration
	}{
		"once around at once, then pauses": {unconnected, nil, time.Hour, 6, 50 * time.Millisecond, time.Second},
		"as asked":                         {answers(503, ``, "Retry-After", "20"), nil, time.Hour, 6, 20 * time.Second, 21 * time.Second},
		"asked for too long":               {answers(503, ``, "Retry-After", "31"), nil, time.Hour, 3, 0, 0},
		"longer than there is time":        {answers(503, ``, "Retry-After", "20"), nil, 10 * time.Second, 3, 0, 0},
		"one attempt":                      {unconnected, func(c *client.Config) { c.Attempts = 1 }, time.Hour, 1, 0, 0},
		"one host":                         {unconnected, func(c *client.Config) { c.Hosts = c.Hosts[:1] }, time.Hour, 5, 700 * time.Millisecond, 2 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &wire{hosts: map[string]func(*http.Request) (*http.Response, error){"a": test.answer, "b": test.answer, "c": test.answer}}
				change := test.change
				if change == nil {
					change = func(*client.Config) {}
				}
				ctx, cancel := context.WithTimeout(t.Context(), test.timeout)
				defer cancel()
				start := time.Now()
				_, err := newClient(t, w, change).ListIndicesWithResponse(ctx, nil)
				took := time.Since(start)
				if err == nil || !client.Temporary(err) {
					t.Errorf("error %v is not a temporary one", err)
				}
				if len(w.log) != test.attempts || took < test.atLeast || took > test.atMost {
					t.Errorf("%d attempts in %v, want %d in %v to %v", len(w.log), took, test.attempts, test.atLeast, test.atMost)
				}
			})
		})
	}
}

// A request does not wait because earlier ones have failed, unless the hosts have asked for that.
func TestFirstAttemptsAreAtOnce(t *testing.T) {
	t.Parallel()
	for asked, least := range map[string]time.Duration{"": 0, "20": 20 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			failing := unconnected
			if asked != "" {
				failing = answers(503, ``, "Retry-After", asked)
			}
			host := sequence(failing, failing, failing, failing, failing, failing, answers(200, `[]`)) // of all three together
			w := &wire{hosts: map[string]func(*http.Request) (*http.Response, error){"a": host, "b": host, "c": host}}
			api := newClient(t, w, func(c *client.Config) { c.Attempts = 3 })
			for range 2 {
				if _, err := api.ListIndicesWithResponse(t.Context(), nil); err == nil {
					t.Fatal("no error")
				}
			}
			start := time.Now()
			if _, err := api.ListIndicesWithResponse(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took < least || took > least {
				t.Errorf("Retry-After %q: the next request took %s, want %s", asked, took, least)
			}
		})
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		busy := answers(503, ``, "Retry-After", "20")
		w := &wire{hosts: map[string]func(*http.Request) (*http.Response, error){"a": busy, "b": busy, "c": busy}}
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if _, err := newClient(t, w).ListIndicesWithResponse(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("ended after %v", took)
		}
	})
}

// TestOneHostFails has three servers, one of which fails in some way: every request succeeds, and a host that
// fails is left alone for a while.
func TestOneHostFails(t *testing.T) {
	t.Parallel()
	well := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ids":["1"],"hits":{"1":{"_id":"1","_score":1.5,"title":"t"}},"total":1}`)
	})
	failing := map[string]http.HandlerFunc{
		"502":               func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"503":               func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"broken connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"broken answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"ids":[`)
			panic(http.ErrAbortHandler)
		},
		"gone": nil,
	}
	for name, handler := range failing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var failed atomic.Int64
			var addresses []string
			for i := range 3 {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if i == 1 {
						failed.Add(1)
						handler(w, r)
						return
					}
					well(w, r)
				}))
				addresses = append(addresses, server.URL)
				if i == 1 && handler == nil {
					server.Close()
				} else {
					defer server.Close()
				}
			}
			api := newClient(t, nil, func(c *client.Config) { c.Hosts = addresses })
			for range 30 {
				answer, err := api.SearchWithResponse(t.Context(), "s", client.SearchRequest{Query: new("t")})
				if err != nil {
					t.Fatal(err)
				}
				want := map[string]client.Hit{"1": {ID: "1", Score: 1.5, Document: client.Document{"_id": "1", "title": "t"}}}
				if diff := cmp.Diff(want, maps.Clone(answer.JSON200.Hits)); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
			}
			if failed.Load() >= 10 {
				t.Errorf("the failing host was asked %d times of 30", failed.Load())
			}
		})
	}
}
