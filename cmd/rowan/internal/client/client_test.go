package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/cmd/rowan/internal/client"
)

func TestNewRejectsWhatIsNoServer(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "localhost:8080", "ftp://host", "http://", "http://user:secret@host", "http://host?x=1"} {
		if _, err := client.New(base, "demo", "key", 1); err == nil {
			t.Errorf("New(%q) succeeded", base)
		}
	}
}

func TestDo(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, pass, _ := r.BasicAuth()
		body, _ := io.ReadAll(r.Body)
		if user != "demo" || pass != "secret" || r.URL.EscapedPath() != "/v1/index/a%2Fb/batch" || string(body) != "[1]" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %s %s as %s:%s, %s", r.Method, r.URL.EscapedPath(), user, pass, body)
		}
		_, _ = io.WriteString(w, `{"name":"films"}`)
	}))
	defer srv.Close()
	c, err := client.New(srv.URL+"/", "demo", "secret", 1)
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Name string }
	if err := c.Do(t.Context(), http.MethodPut, client.IndexPath("a/b", "/batch"), []byte("[1]"), &out); err != nil {
		t.Fatal(err)
	}
	if out.Name != "films" {
		t.Errorf("got %q", out.Name)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status      int
		contentType string
		body        string
		want        client.Error
		message     string
	}{
		"of the server": {
			422, "application/problem+json; charset=utf-8",
			`{"title":"Unprocessable Entity","status":422,"detail":"1 action is wrong","code":"invalid_document","errors":[{"location":"body[17].body.price","message":"expected a number"}],"request_id":"r1"}`,
			client.Error{
				Status: 422, Title: "Unprocessable Entity", Detail: "1 action is wrong", Code: "invalid_document", RequestID: "r1", RetryAfter: 7 * time.Second,
				Errors: []client.FieldError{{Location: "body[17].body.price", Message: "expected a number"}},
			},
			"1 action is wrong (422 invalid_document); body[17].body.price: expected a number",
		},
		"of a proxy": {
			502, "text/html", "<h1>Bad Gateway</h1>",
			client.Error{Status: 502, Detail: "the server answered 502 Bad Gateway", RetryAfter: 7 * time.Second},
			"the server answered 502 Bad Gateway (502)",
		},
		"wrong key": {
			401, "application/problem+json", `{"title":"Unauthorized","detail":"wrong key","code":"unauthorized","errors":[]}`,
			client.Error{Status: 401, Title: "Unauthorized", Detail: "wrong key", Code: "unauthorized", Errors: []client.FieldError{}, RetryAfter: 7 * time.Second},
			"wrong key (401 unauthorized); check --application and --key",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}))
			defer srv.Close()
			c, err := client.New(srv.URL, "demo", "secret", 1)
			if err != nil {
				t.Fatal(err)
			}
			err = c.Do(t.Context(), http.MethodGet, "/", nil, nil)
			got, ok := errors.AsType[*client.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(test.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err.Error() != test.message {
				t.Errorf("message %q, want %q", err, test.message)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	c, err := client.New(srv.URL, "demo", "secret", 1)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Do(t.Context(), http.MethodGet, "/", nil, nil)
	if !client.Unreachable(err) || !client.Temporary(err) {
		t.Errorf("%v is not seen as unreachable", err)
	}
	if client.Unreachable(&client.Error{Status: 503}) {
		t.Error("an answer is seen as unreachable")
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	busy := &client.Error{Status: 503}
	tests := map[string]struct {
		errs     []error // of each attempt; the last repeats
		patience time.Duration
		want     error
		attempts int
		// The time that all of it may take.
		atLeast, atMost time.Duration
	}{
		"success":             {[]error{nil}, time.Minute, nil, 1, 0, 0},
		"after two failures":  {[]error{busy, io.ErrUnexpectedEOF, nil}, time.Minute, nil, 3, 150 * time.Millisecond, 300 * time.Millisecond},
		"for good":            {[]error{&client.Error{Status: 422}}, time.Minute, &client.Error{Status: 422}, 1, 0, 0},
		"as the server asked": {[]error{&client.Error{Status: 429, RetryAfter: 20 * time.Second}, nil}, time.Minute, nil, 2, 20 * time.Second, 20 * time.Second},
		"no patience":         {[]error{busy}, 0, busy, 1, 0, 0},
		"patience ends":       {[]error{&client.Error{Status: 503, RetryAfter: 10 * time.Second}}, 35 * time.Second, &client.Error{Status: 503, RetryAfter: 10 * time.Second}, 4, 30 * time.Second, 30 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start, attempts := time.Now(), 0
				err := client.Retry(t.Context(), test.patience, nil, func() error {
					attempts++
					return test.errs[min(attempts, len(test.errs))-1]
				})
				took := time.Since(start)
				if diff := cmp.Diff(test.want, err); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if attempts != test.attempts || took < test.atLeast || took > test.atMost {
					t.Errorf("%d attempts in %v, want %d in %v to %v", attempts, took, test.attempts, test.atLeast, test.atMost)
				}
			})
		})
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := client.Retry(ctx, 2*time.Hour, func(error, time.Duration) { cancel() }, func() error { return &client.Error{Status: 503, RetryAfter: time.Hour} })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
