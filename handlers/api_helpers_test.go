package handlers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// client calls the whole service, over a database of its own, over HTTP.
type client struct {
	t           *testing.T
	url         string
	http        *http.Client
	svc         *service.Service
	store       *store.Store
	db          *storetest.DB
	application string
	admin       string // the keys of application
	search      string
}

// newAPI wires store, service and handlers as the program does, with an application and its two keys.
func newAPI(t *testing.T, cfg handlers.Config) *client {
	t.Helper()
	db := storetest.New(t)
	st, err := store.Open(t.Context(), store.Config{URL: db.URL, SearchTimeout: time.Minute}) // the machine may be busy
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	svc := service.New(st, service.Config{})
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	server := httptest.NewServer(handlers.New(svc, cfg))
	t.Cleanup(server.Close)
	c := &client{t: t, url: server.URL, http: http.DefaultClient, svc: svc, store: st, db: db, application: "demo"}
	c.admin, c.search = c.newApplication("demo")
	return c
}

// newApplication creates an application with an admin and a search key.
func (c *client) newApplication(id string) (admin, search string) {
	c.t.Helper()
	if _, err := c.svc.CreateApplication(c.t.Context(), id); err != nil {
		c.t.Fatal(err)
	}
	for kind, secret := range map[service.KeyType]*string{service.AdminKey: &admin, service.SearchKey: &search} {
		var err error
		if _, *secret, err = c.svc.CreateKey(c.t.Context(), service.NewKey{Application: id, Type: kind}); err != nil {
			c.t.Fatal(err)
		}
	}
	return admin, search
}

// expire makes a key expire: keys cannot be created expired. No server may have read it yet.
func (c *client) expire(id string) {
	c.t.Helper()
	if _, err := c.db.Pool.Exec(c.t.Context(), "UPDATE rowan.keys SET expires_at = now() - interval '1 minute' WHERE id::text = $1", id); err != nil {
		c.t.Fatal(err)
	}
}

type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request with the admin key, unless headers say otherwise: pairs of name and value, "Host" sets
// the host, "Authorization" replaces the key and is omitted if empty.
func (c *client) do(method, path, body string, headers ...string) answer {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.SetBasicAuth(c.application, c.admin)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	response, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	got := answer{response.StatusCode, response.Header, string(text)}
	if fault := undescribed(c.t, method, path, got); fault != "" {
		c.t.Errorf("%s %.200s: %d %s\n  the OpenAPI document %s", method, path, got.status, got.body, fault)
	}
	return got
}

// step is a request and its expected answer: a status, and JSON that the answer must contain.
type step struct {
	method, path, body string
	status             int
	want               string
	headers            []string
}

// run sends requests one after the other. It goes on after a failed one: later ones show what that did.
func (c *client) run(steps []step) {
	c.t.Helper()
	for _, s := range steps {
		got := c.do(s.method, s.path, s.body, s.headers...)
		name := fmt.Sprintf("%s %s %.200s", s.method, s.path, s.body)
		if got.status != s.status {
			c.t.Errorf("%s\n  %d, want %d: %s", name, got.status, s.status, got.body)
			continue
		}
		if s.want != "" {
			if fault := contains(s.want, got.body); fault != "" {
				c.t.Errorf("%s\n  %s\n  in %s", name, fault, got.body)
			}
		}
		kind := "application/json"
		if got.status >= 400 && s.path != "/health" {
			kind = "application/problem+json"
		}
		if got.body != "" && got.header.Get("Content-Type") != kind {
			c.t.Errorf("%s\n  Content-Type %q, want %q", name, got.header.Get("Content-Type"), kind)
		}
	}
}

// contains returns where the JSON text got lacks what want has, or "". An object may have more members than
// wanted, an array must have as many elements; numbers must have the same digits; "*" matches anything.
func contains(want, got string) string {
	var trees [2]any
	for i, text := range []string{want, got} {
		d := json.NewDecoder(bytes.NewBufferString(text))
		d.UseNumber()
		if err := d.Decode(&trees[i]); err != nil {
			return fmt.Sprintf("%v in %s", err, text)
		}
	}
	return lacks("", trees[0], trees[1])
}

func lacks(at string, want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		members, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: %v is no object", at, got)
		}
		for name, value := range want {
			member, ok := members[name]
			if !ok {
				return fmt.Sprintf("%s.%s is missing", at, name)
			}
			if fault := lacks(at+"."+name, value, member); fault != "" {
				return fault
			}
		}
		return ""
	case []any:
		elements, ok := got.([]any)
		if !ok || len(elements) != len(want) {
			return fmt.Sprintf("%s: %v, want %d elements", at, got, len(want))
		}
		for i := range want {
			if fault := lacks(fmt.Sprintf("%s[%d]", at, i), want[i], elements[i]); fault != "" {
				return fault
			}
		}
		return ""
	case string:
		if want == "*" {
			return ""
		}
	}
	if want != got {
		return fmt.Sprintf("%s: %v, want %v", at, got, want)
	}
	return ""
}
