package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rowansearch/rowan/handlers"
)

// Many more clients at once than there is room for are answered, or refused with a time to come back, and no
// acknowledged write is lost.
func TestFiveHundredClientsAtOnce(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	var batch strings.Builder
	for i := range 300 {
		fmt.Fprintf(&batch, `,{"action":"upsert","_id":"film-%d","body":{"title":"Film number %d","year":%d}}`, i, i, 1950+i%70)
	}
	c.run([]step{
		{"POST", "/v1/index/films", `{"mappings":[{"name":"title","type":"sentence"},{"name":"year","type":"int"}]}`, 202, "", nil},
		{"PUT", "/v1/index/films/batch", "[" + batch.String()[1:] + "]", 200, "", nil},
	})
	const clients = 500
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = clients // each keeps a connection
	t.Cleanup(transport.CloseIdleConnections)
	c.http = &http.Client{Transport: transport}

	var mu sync.Mutex
	statuses := map[string]map[int]int{}
	acknowledged := map[string]bool{}
	begin := make(chan struct{})
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			<-begin
			id := fmt.Sprintf("new-%d", i)
			for what, s := range map[string]step{
				"search": {method: "POST", path: "/v1/search/films", body: fmt.Sprintf(`{"query":"film number %d","facets":"year"}`, i%300)},
				"read":   {method: "GET", path: fmt.Sprintf("/v1/index/films/document/film-%d", i%300)},
				"write":  {method: "PUT", path: "/v1/index/films/document/" + id, body: fmt.Sprintf(`{"title":"Written by %d"}`, i)},
			} {
				got := c.do(s.method, s.path, s.body)
				mu.Lock()
				if statuses[what] == nil {
					statuses[what] = map[int]int{}
				}
				statuses[what][got.status]++
				if what == "write" && got.status < 300 {
					acknowledged[id] = true
				}
				mu.Unlock()
				switch {
				case got.status < 300:
				case got.status != http.StatusTooManyRequests && got.status != http.StatusServiceUnavailable:
					t.Errorf("%s: %d %s", what, got.status, got.body)
				case got.header.Get("Retry-After") == "":
					t.Errorf("%s: %d does not say when to come back", what, got.status)
				}
			}
		})
	}
	close(begin)
	group.Wait()
	t.Logf("answers: %v", statuses)

	for id := range acknowledged {
		if got := c.do("GET", "/v1/index/films/document/"+id, ""); got.status != http.StatusOK {
			t.Errorf("%s was acknowledged, but: %d %s", id, got.status, got.body)
		}
	}
	got := c.do("POST", "/v1/search/films", `{"query":"written"}`)
	if fault := contains(fmt.Sprintf(`{"total":%d}`, len(acknowledged)), got.body); fault != "" {
		t.Errorf("%s in %.300s", fault, got.body)
	}
	if load := c.svc.Load(); load.Searches.Inside+load.Searches.Waiting+load.Documents.Inside+load.Documents.Waiting+load.Bodies.Inside != 0 {
		t.Errorf("left behind: %+v", load)
	}
	for what := range statuses {
		if statuses[what][200]+statuses[what][201] == 0 {
			t.Errorf("no %s was answered", what)
		}
	}
}
