package handlers_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/handlers"
)

// A request with very many parts takes little more memory than its body: hundreds of bodies may be read at once, and anybody with a search
// key may send them.
func TestManyPartsInLittleMemory(t *testing.T) { // not parallel: it measures allocations
	c := newAPI(t, handlers.Config{})
	c.run([]step{{"POST", "/v1/index/films", "", 202, "", nil}})
	const mib = 1 << 20
	many := func(part string, size int) string { return strings.Repeat(part+",", size/(len(part)+1)-100) + part }
	var members []string
	for i := range mib / 10 {
		members = append(members, fmt.Sprintf(`"%x":1`, i))
	}
	handler := handlers.New(c.svc, handlers.Config{Logger: slog.New(slog.DiscardHandler)})
	for name, r := range map[string]struct {
		method, path, body, location string
		times                        int
	}{
		"elements":   {"POST", "/v1/search/films", `{"disjunctive":[` + many("1", mib) + "]}", "body.disjunctive[0]", 12},
		"searches":   {"POST", "/v1/search", `{"searches":[` + many("1", mib) + "]}", "body.searches", 12},
		"members":    {"POST", "/v1/search/films", "{" + strings.Join(members, ",") + "}", "body.0", 12},
		"stop words": {"PUT", "/v1/index/films/settings", `{"stop_words":[` + many("1", mib) + "]}", "body.stop_words", 12},
		"synonyms":   {"PUT", "/v1/index/films/settings", `{"synonyms":[` + many("[]", mib) + "]}", "body.synonyms", 12},
		"settings":   {"PUT", "/v1/index/films/settings", "{" + strings.Join(members, ",") + "}", "body.0", 12},
	} {
		request := httptest.NewRequestWithContext(t.Context(), r.method, r.path, strings.NewReader(r.body))
		request.SetBasicAuth(c.application, c.admin)
		answer := httptest.NewRecorder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		handler.ServeHTTP(answer, request)
		runtime.ReadMemStats(&after)
		if answer.Code != http.StatusUnprocessableEntity || !strings.Contains(answer.Body.String(), `"location":"`+r.location+`"`) {
			t.Errorf("%s: %d %.300s", name, answer.Code, answer.Body)
		}
		if taken := int(after.TotalAlloc - before.TotalAlloc); taken > r.times*len(r.body) {
			t.Errorf("%s: %d bytes for a body of %d", name, taken, len(r.body))
		}
	}
}
