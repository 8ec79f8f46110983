package handlers_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service"
)

// A document has its size limit, whichever way it comes.
func TestDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	svc := service.New(c.store, service.Config{Limits: service.Limits{Document: 1000}})
	server := httptest.NewServer(handlers.New(svc, handlers.Config{Logger: slog.New(slog.DiscardHandler), MaxDocumentBytes: 1000}))
	t.Cleanup(server.Close)
	before := c.url
	large := fmt.Sprintf(`{"text":"%s"}`, strings.Repeat("x", 990))
	part := func(name string) string { return fmt.Sprintf(`{"%s":"%s"}`, name, strings.Repeat("x", 500)) }
	batch := func(action, id, body string) string {
		return fmt.Sprintf(`[{"action":"upsert","_id":"other","body":{}},{"action":%q,"_id":%q,"body":%s}]`, action, id, body)
	}
	c.run([]step{
		{"POST", "/v1/index/films", "", 202, "", nil},
		{"PUT", "/v1/index/films/document/old", large, 201, "", nil},
		{"PUT", "/v1/index/films/document/small", part("a"), 201, "", nil},
	})
	c.url = server.URL
	const path = "/v1/index/films"
	c.run([]step{
		{"PUT", path + "/document/1", large, 413, `{"code":"too_large"}`, nil},
		{"PUT", path + "/batch", batch("upsert", "1", large), 413, `{"code":"too_large","errors":[{"location":"body[1].body","message":"has 1001 bytes; a document may have at most 1000"}]}`, nil},
		{"PUT", path + "/batch", batch("patch", "small", part("b")), 413, `{"code":"too_large"}`, nil},
		{"PATCH", path + "/document/small", part("b"), 413, `{"code":"too_large","errors":[{"location":"body","message":"makes the document 1015 bytes long; a document may have at most 1000"}]}`, nil},
		{"PATCH", path + "/document/small", part("b"), 413, `{"code":"too_large"}`, []string{"Content-Type", "application/merge-patch+json"}},
		{"POST", "/v1/search/films", `{"sort":"_id"}`, 200, `{"ids":["old","small"]}`, nil}, // nothing was applied
		// A document that is too large already may get smaller.
		{"PATCH", path + "/document/old", `{"text":"` + strings.Repeat("x", 989) + `"}`, 200, "", nil},
		{"PATCH", path + "/document/old", `{"more":1}`, 413, `{"code":"too_large"}`, nil},
		{"PUT", path + "/batch", batch("upsert", "1", part("a")), 200, "", nil},
	})
	c.url = before
}
