package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rowansearch/rowan/openapi"
)

// describedAnswers returns the answers in the OpenAPI document by path, method in lower case, and status. The description of an
// error names its codes.
var describedAnswers = sync.OnceValues(func() (paths map[string]map[string]struct {
	Responses map[string]struct{ Description string }
}, err error,
) {
	var document struct{ Paths json.RawMessage }
	if err := json.Unmarshal(openapi.JSON, &document); err != nil {
		return nil, err
	}
	return paths, json.Unmarshal(document.Paths, &paths)
})

// undescribed returns what the OpenAPI document lacks of an answer; "" if it lacks nothing, or if there is no such operation.
func undescribed(t *testing.T, method, path string, got answer) string {
	t.Helper()
	paths, err := describedAnswers()
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	address, _, _ := strings.Cut(path, "?")
	operation, ok := paths[templateOf(address)][strings.ToLower(method)]
	if !ok {
		return ""
	}
	response, ok := operation.Responses[strconv.Itoa(got.status)]
	if !ok {
		return "describes no answer of this status"
	}
	var p struct{ Code string }
	if got.status < http.StatusBadRequest || json.Unmarshal([]byte(got.body), &p) != nil || p.Code == "" || strings.Contains(response.Description, "`"+p.Code+"`") {
		return ""
	}
	return "does not name the code " + p.Code
}

// templateOf returns the path in the document that an address matches: the document has parameters where the address has names and ids.
func templateOf(address string) string {
	parts := strings.Split(address, "/")
	for i, part := range parts {
		if name, err := url.PathUnescape(part); i < 3 || err != nil || name == "" {
			continue
		}
		switch parts[i-1] {
		case "index":
			parts[i] = "{index}"
		case "search":
			parts[i] = "{search}"
		case "document", "keys":
			parts[i] = "{id}"
		}
	}
	return strings.Join(parts, "/")
}
