package client

import (
	"encoding/json"
	"net/http"
	"strings"
)

// repeatable reports whether a request may be sent again although an earlier attempt may have been applied,
// that is, whether applying it twice changes nothing more. Deleting again what an earlier attempt has deleted
// is answered with 404.
func repeatable(request *http.Request) bool {
	// /v1/index/{index}/document/{id}, still escaped, as names may contain slashes.
	path := strings.Split(strings.Trim(request.URL.EscapedPath(), "/"), "/")
	resource := func(i int) string {
		if i < len(path) {
			return path[i]
		}
		return ""
	}
	switch request.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		return true
	case http.MethodPut:
		switch {
		case resource(3) == "batch":
			return repeatableBatch(request)
		case resource(3) == "document":
			// A patch is based on the stored document, which others may have changed meanwhile.
			return request.URL.Query().Get("action") != "patch" && !strings.HasPrefix(request.Header.Get("Content-Type"), "application/merge-patch+json")
		}
		return true
	case http.MethodPost:
		switch {
		case resource(1) == "search":
			return true
		case resource(3) == "batch":
			return true // it only reads
		case resource(3) == "document":
			// Without an id, each attempt creates another document.
			return resource(4) != "" && request.URL.Query().Get("action") != "patch"
		}
	}
	return false
}

// repeatableBatch reports whether a batch consists of upserts and deletions of named documents.
func repeatableBatch(request *http.Request) bool {
	if request.GetBody == nil {
		return false
	}
	body, err := request.GetBody()
	if err != nil {
		return false
	}
	defer func() { _ = body.Close() }() // only read
	dec := json.NewDecoder(body)
	if token, err := dec.Token(); err != nil || token != json.Delim('[') {
		return false
	}
	for dec.More() {
		var action struct {
			Action string  `json:"action"`
			ID     *string `json:"_id"`
		}
		if dec.Decode(&action) != nil || action.ID == nil {
			return false
		}
		switch strings.ToLower(action.Action) {
		case "upsert", "delete":
		default:
			return false
		}
	}
	return true
}
