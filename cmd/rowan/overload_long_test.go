//go:build long

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rowansearch/rowan/store/storetest"
)

// peakMemory returns the most memory that the server's process has had, in bytes.
func (n *node) peakMemory() int64 {
	n.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.cmd.Process.Pid))
	if err != nil {
		n.t.Fatal(err)
	}
	match := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if match == nil {
		n.t.Fatalf("no VmHWM in %s", text)
	}
	kib, err := strconv.ParseInt(string(match[1]), 10, 64)
	if err != nil {
		n.t.Fatal(err)
	}
	return kib << 10
}

// loaded starts a server with an index of the given number of documents.
func loaded(t *testing.T, documents int, env ...string) *node {
	t.Helper()
	n := newNode(t, append([]string{"DATABASE_URL=" + storetest.NewCluster(t, nil).URL()}, env...)...)
	n.want("POST", "/v1/index/products", `{"mappings":[{"name":"title","type":"sentence"},{"name":"text","type":"long_text"},{"name":"price","type":"price"}]}`)
	for first := 0; first < documents; first += 500 {
		n.want("PUT", "/v1/index/products/batch", "["+strings.Join(upserts("p", first, 500, 400), ",")+"]")
	}
	return n
}

// upserts returns actions for documents of about size bytes, whose ids begin with name.
func upserts(name string, first, count, size int) []string {
	actions := make([]string, count)
	for i := range actions {
		number := first + i
		actions[i] = fmt.Sprintf(`{"action":"upsert","_id":"%s%d","body":{"title":"Product number %d","price":%d,"text":"%s"}}`,
			name, number, number, number%1000, strings.Repeat(fmt.Sprintf("word%d lorem ipsum ", number%977), size/20))
	}
	return actions
}

// want sends a request that has to succeed.
func (n *node) want(method, path, body string) answer {
	n.t.Helper()
	got, err := send(n.t.Context(), "http://"+n.address, "", method, path, adminKey, body)
	if err != nil || got.status >= 300 {
		n.t.Fatalf("%s %s: %v, %d %s", method, path, err, got.status, got.body)
	}
	return got
}

// tally counts answers by their status, and faults those that an overloaded server must not give.
type tally struct {
	t        *testing.T
	mu       sync.Mutex
	statuses map[int]int
}

func (y *tally) count(what string, got answer, err error) (ok bool) {
	if err != nil {
		y.t.Errorf("%s: %v", what, err)
		return false
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.statuses[got.status]++
	switch {
	case got.status < 300:
		return true
	case got.status != http.StatusTooManyRequests && got.status != http.StatusServiceUnavailable:
		y.t.Errorf("%s: %d %s", what, got.status, got.body)
	case got.header.Get("Retry-After") == "":
		y.t.Errorf("%s: %d does not say when to come back", what, got.status)
	}
	return false
}

// Five hundred clients at once are answered or told to come back, and the process stays small.
func TestFiveHundredClientsInLittleMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read from /proc")
	}
	const documents, clients, rounds = 4000, 500, 12
	n := loaded(t, documents)
	before := n.peakMemory()
	answers := &tally{t: t, statuses: map[int]int{}}
	var acknowledged sync.Map
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			for round := range rounds {
				number := (i*rounds + round) % documents
				got, err := send(t.Context(), "http://"+n.address, "", "POST", "/v1/search/products", searchKey, fmt.Sprintf(`{"query":"word%d product","facets":"price","per_page":50}`, number%977))
				answers.count("search", got, err)
				got, err = send(t.Context(), "http://"+n.address, "", "GET", fmt.Sprintf("/v1/index/products/document/p%d", number), adminKey, "")
				answers.count("read", got, err)
				id := fmt.Sprintf("new-%d-%d", i, round)
				got, err = send(t.Context(), "http://"+n.address, "", "PUT", "/v1/index/products/document/"+id, adminKey, fmt.Sprintf(`{"title":"Written %d"}`, i))
				if answers.count("write", got, err) {
					acknowledged.Store(id, true)
				}
			}
		})
	}
	group.Wait()
	written := 0
	acknowledged.Range(func(id, _ any) bool {
		written++
		n.want("GET", fmt.Sprint("/v1/index/products/document/", id), "")
		return !t.Failed()
	})
	peak := n.peakMemory()
	t.Logf("answers by status: %v; %d writes acknowledged and read; most memory %d MB, %d MB before", answers.statuses, written, peak>>20, before>>20)
	if answers.statuses[http.StatusOK] == 0 || written == 0 {
		t.Error("nothing was answered")
	}
	if peak > 200<<20 {
		t.Errorf("the process has taken %d MB", peak>>20)
	}
}

// Large batches at once take memory only for those that may be under way; those that are refused can be sent
// again, and one of the largest size is always accepted.
func TestLargeBatchesInBoundedMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read from /proc")
	}
	n := loaded(t, 500, "ROWAN_MAX_INFLIGHT=16MiB", "ROWAN_MAX_BATCH=16MiB")
	answers := &tally{t: t, statuses: map[int]int{}}
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			name := fmt.Sprintf("b%d-", i)
			body := "[" + strings.Join(upserts(name, 0, 100, 80<<10), ",") + "]"
			got, err := send(t.Context(), "http://"+n.address, "", "PUT", "/v1/index/products/batch", adminKey, body)
			stored, err2 := send(t.Context(), "http://"+n.address, "", "GET", "/v1/index/products/document/"+name+"99", adminKey, "")
			if ok := answers.count("batch", got, err); err2 != nil || ok != (stored.status == http.StatusOK) {
				t.Errorf("batch %d: acknowledged %t, but reading it: %d %v", i, ok, stored.status, err2)
			}
		})
	}
	group.Wait()
	peak := n.peakMemory()
	t.Logf("answers by status: %v; most memory %d MB", answers.statuses, peak>>20)
	if answers.statuses[http.StatusTooManyRequests] == 0 || answers.statuses[http.StatusOK] == 0 {
		t.Errorf("answers by status: %v; want some batches taken, and some refused", answers.statuses)
	}
	if peak > 200<<20 {
		t.Errorf("the process has taken %d MB for batches of 8 MB, of which 12 MB may be under way", peak>>20)
	}
	n.want("PUT", "/v1/index/products/batch", "["+strings.Join(upserts("whole", 0, 190, 80<<10), ",")+"]")
}
