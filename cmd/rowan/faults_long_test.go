//go:build long

package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/store/storetest"
)

// everyOperation has a request for each thing that the API does with the database.
var everyOperation = []struct{ method, path, body string }{
	{"GET", "/v1/index", ""},
	{"POST", "/v1/index/more", "{}"},
	{"GET", "/v1/index/products", ""},
	{"PUT", "/v1/index/products", `{"mappings":[{"name":"title","type":"sentence"}]}`},
	{"PATCH", "/v1/index/products", `{"mappings":[{"name":"title","type":"name"}]}`},
	{"GET", "/v1/index/products/settings", ""},
	{"PATCH", "/v1/index/products/settings", `{"stop_words":["x"]}`},
	{"GET", "/v1/index/products/document/1", ""},
	{"POST", "/v1/index/products/document", `{"title":"two"}`},
	{"PUT", "/v1/index/products/document/1", `{"title":"one"}`},
	{"PATCH", "/v1/index/products/document/1", `{"n":1}`},
	{"POST", "/v1/search/products", `{"query":"one tow","facets":"title"}`},
	{"PUT", "/v1/search/best", `{"index":"products"}`},
	{"GET", "/v1/search/best", ""},
	{"POST", "/v1/search/best", `{"query":"on"}`},
	{"GET", "/v1/search", ""},
	{"GET", "/v1/settings", ""},
	{"DELETE", "/v1/search/best", ""},
	{"DELETE", "/v1/index/products/document/1", ""},
	{"DELETE", "/v1/index/more", ""},
}

// While PostgreSQL cannot be reached, and while connections break, every operation answers 503 with Retry-After,
// or succeeds; never 500. After that it works as before.
func TestNoAnswerIsAnInternalError(t *testing.T) {
	t.Parallel()
	database := storetest.NewCluster(t, nil)
	proxy := storetest.NewProxy(t, database.Address())
	n := newNode(t, "DATABASE_URL="+database.URLAt(proxy.Address(), ""), "ROWAN_POOL_SIZE=4")
	address := "http://" + n.address
	request := func(method, path, body string) answer {
		t.Helper()
		got, err := send(t.Context(), address, "", method, path, adminKey, body)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		return got
	}
	restore := func() {
		t.Helper()
		eventually(t, "the service is well", func() bool { return request("GET", "/health", "").status == http.StatusOK })
		for _, path := range []string{"/v1/index/products"} {
			if got := request("POST", path, `{"mappings":[{"name":"title","type":"name"}]}`); got.status != http.StatusAccepted && got.status != http.StatusConflict {
				t.Fatalf("%d %s", got.status, got.body)
			}
		}
		for path, body := range map[string]string{"/v1/index/products/document/1": `{"title":"one"}`, "/v1/search/best": `{"index":"products"}`} {
			if got := request("PUT", path, body); got.status >= 300 {
				t.Fatalf("%d %s", got.status, got.body)
			}
		}
	}
	unavailable := map[int]int{}
	check := func(what, method, path string, got answer) {
		t.Helper()
		unavailable[got.status]++
		if got.status < 500 {
			return
		}
		var problem struct {
			Code   string `json:"code"`
			Detail string `json:"detail"`
		}
		err := json.Unmarshal(got.body, &problem)
		// A write that was cut off while it committed may have been applied: so nothing asks to send it again.
		writes := method != http.MethodGet && (method != http.MethodPost || !strings.HasPrefix(path, "/v1/search"))
		cut := writes && strings.Contains(problem.Detail, "while the write was being committed")
		if err != nil || got.status != http.StatusServiceUnavailable || problem.Code != "unavailable" || (got.header.Get("Retry-After") == "") != cut {
			t.Errorf("%s: %s %s: %d %v %s", what, method, path, got.status, got.header, got.body)
		}
	}

	restore()
	for _, op := range everyOperation {
		for _, after := range []int64{0, 10, 40, 100, 200, 400, 800} {
			proxy.CutAfter(after)
			check(fmt.Sprintf("connections cut after %d bytes", after), op.method, op.path, request(op.method, op.path, op.body))
			proxy.CutAfter(-1)
		}
		restore()
	}
	t.Logf("connections cut: answers by status %v", unavailable)
	clear(unavailable)
	time.Sleep(2 * time.Second) // the catalog and the keys are no longer cached
	proxy.Refuse(true)
	proxy.Cut()
	if got := request("GET", "/health", ""); got.status != http.StatusServiceUnavailable {
		t.Errorf("the service says that it is well without a database: %d", got.status)
	}
	for _, op := range everyOperation {
		got := request(op.method, op.path, op.body)
		check("no database", op.method, op.path, got)
		if got.status != http.StatusServiceUnavailable {
			t.Errorf("no database: %s %s: %d %s", op.method, op.path, got.status, got.body)
		}
	}
	t.Logf("no database: answers by status %v", unavailable)
	proxy.Refuse(false)
	restore()
}
