package admin_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/handlers/admin"
)

func TestAdmin(t *testing.T) {
	t.Parallel()
	behind := int64(17)
	checks := []admin.Check{{Name: "database", OK: true, Needed: true}, {Name: "replica one", Detail: "left out", BehindBytes: &behind}}
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("one_metric 1\n")) })
	handler := admin.New(admin.Config{Metrics: metrics, Checks: func(context.Context) []admin.Check { return checks }})
	for _, c := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/metrics", 200, "one_metric 1"},
		{"GET", "/live", 200, `{"status":"ok"}`},
		{"HEAD", "/live", 200, ""},
		{"GET", "/ready", 200, `{"status":"ok","checks":[{"name":"database","ok":true,"needed":true},{"name":"replica one","ok":false,"needed":false,"detail":"left out","behind_bytes":17}]}`},
		{"GET", "/debug/pprof/", 200, "goroutine"},
		{"GET", "/debug/pprof/heap?debug=1", 200, "heap profile"},
		{"GET", "/debug/pprof/cmdline", 404, ""}, // it may contain keys
		{"POST", "/metrics", 405, ""},
		{"GET", "/", 404, ""},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: %d %.300s; want %d %s", c.method, c.path, w.Code, w.Body, c.status, c.want)
		}
	}

	checks[0].OK = false
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/ready", nil))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"status":"unavailable"`) {
		t.Errorf("a needed check fails: %d %s", w.Code, w.Body)
	}
}
