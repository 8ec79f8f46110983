package handlers_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/openapi"
	"github.com/rowansearch/rowan/service"
)

// Every route of the OpenAPI document answers each kind of key as its kind requires, whatever routes are added.
func TestEveryRouteTakesItsKeysOnly(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{
		{"POST", "/v1/index/films", "", 202, "", nil},
		{"PUT", "/v1/index/films/document/1", `{"title":"Nosferatu"}`, 201, "", nil},
		{"POST", "/v1/index/books", "", 202, "", nil},
	})
	key := func(k service.NewKey) (id, secret string) {
		t.Helper()
		k.Application = c.application
		made, secret, err := c.svc.CreateKey(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		return made.ID, secret
	}
	expiredID, expired := key(service.NewKey{Type: service.AdminKey})
	c.expire(expiredID)
	deletedID, deleted := key(service.NewKey{Type: service.AdminKey})
	_, limited := key(service.NewKey{Type: service.SearchKey, Indices: []string{"books"}})
	_, allowed := key(service.NewKey{Type: service.SearchKey, Indices: []string{"books", "films"}})
	_, filtered := key(service.NewKey{Type: service.SearchKey, Filter: "title = nothing"})
	if err := c.svc.DeleteKey(t.Context(), c.application, deletedID); err != nil {
		t.Fatal(err)
	}
	others, _ := c.newApplication("other")

	searches := map[string]string{"search": "", "multiSearch": `{"searches":[{"search":"films"}]}`, "autocomplete": ""}
	const (
		refused = http.StatusUnauthorized
		may     = http.StatusForbidden
	)
	kinds := map[string]struct {
		application, secret string
		searches, others    int
	}{
		"no key":                    {"", "", refused, refused},
		"a wrong key":               {"demo", "rka_wrong", refused, refused},
		"a key of nobody":           {"nobody", c.admin, refused, refused},
		"a key of another":          {"demo", others, refused, refused},
		"an expired key":            {"demo", expired, refused, refused},
		"a deleted key":             {"demo", deleted, refused, refused},
		"a search key":              {"demo", c.search, http.StatusOK, may},
		"one with a filter":         {"demo", filtered, http.StatusOK, may},
		"one limited to others":     {"demo", limited, may, may},
		"one limited to this":       {"demo", allowed, http.StatusOK, may},
		"the key of another itself": {"other", others, http.StatusNotFound, 0},
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Security    []any
		}
	}
	if err := json.Unmarshal(openapi.JSON, &document); err != nil {
		t.Fatal(err)
	}
	paths := strings.NewReplacer("{index}", "films", "{search}", "films", "{id}", "1")
	secret := regexp.MustCompile("Nosferatu|films")
	n := 0
	for path, operations := range document.Paths {
		for method, op := range operations {
			n++
			body, search := searches[op.OperationID]
			for name, k := range kinds {
				auth := []string{"Authorization", ""}
				if k.secret != "" {
					r := http.Request{Header: http.Header{}}
					r.SetBasicAuth(k.application, k.secret)
					auth[1] = r.Header.Get("Authorization")
				}
				want := k.others
				switch {
				case len(op.Security) == 0:
					want = http.StatusOK
				case search:
					want = k.searches
				}
				if k.application == "other" && len(op.Security) > 0 && method != "get" && !search {
					continue // it changes only what is its own
				}
				got := c.do(strings.ToUpper(method), paths.Replace(path), body, auth...)
				if want != 0 && got.status != want {
					t.Errorf("%s with %s: %d, want %d: %s", op.OperationID, name, got.status, want, got.body)
				}
				if k.application == "other" && got.status == http.StatusOK && secret.MatchString(got.body) {
					t.Errorf("%s tells another application: %s", op.OperationID, got.body)
				}
			}
		}
	}
	if n < 30 {
		t.Errorf("the document has %d operations", n)
	}
	c.run([]step{{"GET", "/v1/index/films/document/1", "", 200, `{"title":"Nosferatu"}`, nil}})
}
