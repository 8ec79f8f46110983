package handlers_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service"
)

// Documents that are read count as bodies do: all answers together are limited, and so is each of them.
func TestLargeAnswersAreBounded(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	const kib = 1 << 10
	var actions, ids, patches []string
	for i := range 30 {
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"title":"Film","text":"%s"}}`, i, strings.Repeat("x", 50*kib)))
		ids = append(ids, fmt.Sprintf(`{"_id":"%d"}`, i))
		patches = append(patches, fmt.Sprintf(`{"action":"patch","_id":"%d","body":{"seen":true}}`, i))
	}
	c.run([]step{
		{"POST", "/v1/index/films", `{"mappings":[{"name":"title","type":"sentence"}]}`, 202, "", nil},
		{"PUT", "/v1/index/films/batch", "[" + strings.Join(actions, ",") + "]", 200, "", nil},
		{"PUT", "/v1/index/films/document/huge", `{"text":"` + strings.Repeat("x", 2000*kib) + `"}`, 201, "", nil},
	})
	svc := service.New(c.store, service.Config{Limits: service.Limits{Bodies: 1024 * kib, Wait: 20 * time.Millisecond}})
	server := httptest.NewServer(handlers.New(svc, handlers.Config{Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(server.Close)
	c.url = server.URL
	list := func(entries []string, n int) string { return "[" + strings.Join(entries[:n], ",") + "]" }

	one := []step{
		{"GET", "/v1/index/films/document/1", "", 200, `{"_id":"1"}`, nil},
		{"POST", "/v1/index/films/batch", list(ids, 1), 200, `[{"_id":"0"}]`, nil},
		{"POST", "/v1/search/films", `{"query":"film","per_page":1}`, 200, `{"total":30}`, nil},
	}
	several := []step{
		{"POST", "/v1/index/films/batch", list(ids, 10), 200, "", nil},
		{"POST", "/v1/search/films", `{"query":"film","per_page":10}`, 200, `{"total":30}`, nil},
		{"PUT", "/v1/index/films/batch", list(patches, 10), 200, "", nil},
	}
	c.run(one)
	c.run(several[:2])
	tooMany := `{"code":"too_large"}`
	c.run([]step{
		{"POST", "/v1/index/films/batch", list(ids, 30), 413, tooMany, nil},
		{"POST", "/v1/index/films/batch", "[" + strings.Repeat(ids[0]+",", 30) + ids[1] + "]", 413, tooMany, nil}, // the same document many times
		{"POST", "/v1/search/films", `{"query":"film","per_page":30}`, 413, tooMany, nil},
		{"PUT", "/v1/index/films/batch", list(patches, 30), 413, tooMany, nil},
		{"GET", "/v1/index/films/document/huge", "", 200, `{"_id":"huge"}`, nil}, // alone it can be read
	})

	others := svc.BodyRoom(c.application)
	if err := others.Grow(t.Context(), 1024*kib); err != nil {
		t.Fatal(err)
	}
	c.run(one)
	for _, s := range several {
		got := c.do(s.method, s.path, s.body)
		if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%s %s while others have the room: %d %v %.200s", s.method, s.path, got.status, got.header, got.body)
		}
	}
	others.Release()
	c.run([]step{{"POST", "/v1/search/films", `{"filter":"seen = true"}`, 200, `{"total":0}`, nil}}) // nothing was applied
	c.run(several)
	if got := svc.Load().Bodies; got.Inside != 0 || got.Waiting != 0 {
		t.Errorf("left behind: %+v", got)
	}
}

// Values of facets count, too, whether PostgreSQL counts them or not: those of texts may be long.
func TestLargeFacetsAreBounded(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	const kib = 1 << 10
	var actions []string
	for i := range 30 {
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%[1]d","body":{"title":"Film","n":%[1]d,"mapped":"%[1]d%[2]s","alone":"%[1]d%[2]s"}}`, i, strings.Repeat("x", 50*kib)))
	}
	c.run([]step{
		{"POST", "/v1/index/films", `{"mappings":[{"name":"title","type":"sentence"},{"name":"n","type":"int"},{"name":"mapped","type":"text"}]}`, 202, "", nil},
		{"PUT", "/v1/index/films/batch", "[" + strings.Join(actions, ",") + "]", 200, "", nil},
	})
	svc := service.New(c.store, service.Config{Limits: service.Limits{Bodies: 1024 * kib, Wait: 20 * time.Millisecond}})
	server := httptest.NewServer(handlers.New(svc, handlers.Config{Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(server.Close)
	c.url = server.URL
	for _, query := range []string{"", "film"} {
		for _, facets := range []string{"mapped", "alone"} {
			some := fmt.Sprintf(`{"query":%q,"facets":%q,"filter":"n < 10","per_page":0}`, query, facets)
			c.run([]step{
				{"POST", "/v1/search/films", some, 200, `{"total":10}`, nil},
				{"POST", "/v1/search/films", strings.Replace(some, "10", "30", 1), 413, `{"code":"too_large"}`, nil},
			})
			others := svc.BodyRoom(c.application)
			if err := others.Grow(t.Context(), 1024*kib); err != nil {
				t.Fatal(err)
			}
			if got := c.do("POST", "/v1/search/films", strings.Replace(some, "10", "11", 1)); got.status != http.StatusTooManyRequests {
				t.Errorf("%s while others have the room: %d %.200s", some, got.status, got.body)
			}
			others.Release()
		}
	}
	if got := svc.Load().Bodies; got.Inside != 0 || got.Waiting != 0 {
		t.Errorf("left behind: %+v", got)
	}
}

// Everything else in an answer counts, too: the smallest, largest and mean number of a facet, suggestions, highlights, explanations, and
// the values in cursors.
func TestWhatAnswersAreMadeOfIsBounded(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	const kib = 1 << 10
	var mappings, words, suggested, marked, numbers []string
	text := ""
	for i := range 60 {
		text += fmt.Sprintf("word%d ", i)
		mappings = append(mappings, fmt.Sprintf(`{"name":"field%d","type":"text"}`, i))
		words = append(words, fmt.Sprintf(`"field%d":%q`, i, text))
	}
	for i := range 10_000 {
		suggested = append(suggested, fmt.Sprintf(`"%x"`, i))
		marked = append(marked, `"a"`)
	}
	for i := range 110 { // the smallest and the largest are not among the hundred that are shown
		numbers = append(numbers, fmt.Sprintf(`{"action":"upsert","_id":"%[1]da","body":{"n":%[1]d}},{"action":"upsert","_id":"%[1]db","body":{"n":%[1]d}}`, i))
	}
	for _, end := range []string{"", "-"} {
		numbers = append(numbers, fmt.Sprintf(`{"action":"upsert","_id":"end%s","body":{"n":%s%s}}`, end, end, strings.Repeat("9", 100*kib)))
	}
	c.run([]step{
		{"POST", "/v1/index/wide", `{"mappings":[` + strings.Join(mappings, ",") + `]}`, 202, "", nil},
		{"PUT", "/v1/index/wide/document/1", "{" + strings.Join(words, ",") + "}", 201, "", nil},
		{"POST", "/v1/index/suggested", "", 202, "", nil},
		{"PUT", "/v1/index/suggested/settings", `{"autocomplete":{"fields":["list"]}}`, 200, "", nil},
		{"PUT", "/v1/index/suggested/document/1", `{"list":[` + strings.Join(suggested, ",") + `]}`, 201, "", nil},
		{"POST", "/v1/index/tags", `{"mappings":[{"name":"list","type":"tags"}]}`, 202, "", nil},
		{"PUT", "/v1/index/tags/document/1", `{"list":[` + strings.Join(marked, ",") + `]}`, 201, "", nil},
		{"POST", "/v1/index/numbers", "", 202, "", nil},
		{"PUT", "/v1/index/numbers/batch", "[" + strings.Join(numbers, ",") + "]", 200, "", nil},
		{"POST", "/v1/index/sorted", `{"mappings":[{"name":"n","type":"price"},{"name":"m","type":"price"}]}`, 202, "", nil},
		{"PUT", "/v1/index/sorted/document/1", `{"n":` + strings.Repeat("9", 35*kib) + `,"m":` + strings.Repeat("9", 35*kib) + `,"t":"film"}`, 201, "", nil},
		{"PUT", "/v1/index/sorted/document/2", `{"n":` + strings.Repeat("8", 35*kib) + `,"m":` + strings.Repeat("8", 35*kib) + `,"t":"film"}`, 201, "", nil},
	})
	svc := service.New(c.store, service.Config{Limits: service.Limits{Bodies: 200 * kib, Wait: 20 * time.Millisecond}})
	server := httptest.NewServer(handlers.New(svc, handlers.Config{Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(server.Close)
	c.url = server.URL
	tooMany := `{"code":"too_large"}`
	c.run([]step{
		{"POST", "/v1/search/wide", `{"query":"` + text + `","filter":"_id = 1"}`, 200, `{"total":1}`, nil},
		{"POST", "/v1/search/wide", `{"query":"` + text + `","explain":true}`, 413, tooMany, nil},
		{"GET", "/v1/index/suggested/document/1", "", 200, `{"_id":"1"}`, nil}, // alone it can be read
		{"POST", "/v1/index/suggested/batch", `[{"_id":"1"},{"_id":"1"}]`, 413, tooMany, nil},
		{"POST", "/v1/search/tags", "", 200, `{"total":1}`, nil},
		{"POST", "/v1/search/tags", `{"query":"a"}`, 413, tooMany, nil},
		{"POST", "/v1/search/numbers", `{"facets":["n"],"per_page":0,"filter":"n > 0 AND n < 1000"}`, 200, `{"total":218}`, nil},
		{"POST", "/v1/search/numbers", `{"facets":["n"],"per_page":0}`, 413, tooMany, nil},
		{"POST", "/v1/search/sorted", "", 200, `{"total":2}`, nil},
		{"POST", "/v1/search/sorted", `{"sort":"n,m"}`, 413, tooMany, nil},
		{"POST", "/v1/search/sorted", `{"query":"film","sort":"n,m"}`, 413, tooMany, nil},
	})
	if got := svc.Load().Bodies; got.Inside != 0 || got.Waiting != 0 {
		t.Errorf("left behind: %+v", got)
	}
}

// Hits with very much text are highlighted, and put in order if their scores are equal, like those of any page.
func TestPagesWithMuchText(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	long := strings.Repeat("other words of a text ", 7000)
	var actions []string
	for i := range 8 {
		word := []string{"cafe", "Café"}[i%2]
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"text":"%s ships %s","tags":["%s","shipping"]}}`, i, word, long, word))
	}
	c.run([]step{
		{"POST", "/v1/index/films", `{"mappings":[{"name":"text","type":"text"},{"name":"tags","type":"tags"}]}`, 202, "", nil},
		{"PUT", "/v1/index/films/batch", "[" + strings.Join(actions, ",") + "]", 200, "", nil},
	})
	got := c.do("POST", "/v1/search/films", `{"query":"café ship"}`)
	var answer struct {
		IDs  []string
		Hits map[string]struct {
			Highlight map[string][]string `json:"_highlight"`
		}
	}
	if err := json.Unmarshal([]byte(got.body), &answer); err != nil || fmt.Sprint(answer.IDs) != "[1 3 5 7 0 2 4 6]" {
		t.Fatalf("%d %v %v", got.status, answer.IDs, err)
	}
	for id, hit := range answer.Hits {
		word := map[bool]string{true: "<b>cafe</b>", false: "<b>Café</b>"}[id[0]%2 == 0]
		tags, text := hit.Highlight["tags"], hit.Highlight["text"]
		if fmt.Sprint(tags) != fmt.Sprint([]string{word, "<b>shipping</b>"}) || len(text) != 1 || !strings.HasPrefix(text[0], word+" <b>ships</b> other") {
			t.Errorf("%s: %.300v", id, hit.Highlight)
		}
	}
}
