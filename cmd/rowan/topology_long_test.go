//go:build long

package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rowansearch/rowan/store/storetest"
)

// node is a rowan serve in a process of its own, at the same address each time that it is started.
type node struct {
	t       *testing.T
	env     []string
	address string

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{}
}

func newNode(t *testing.T, env ...string) *node {
	t.Helper()
	n := &node{t: t, address: "127.0.0.1:0", env: append(os.Environ(), append([]string{"ROWAN_LOG_LEVEL=error",
		"ROWAN_APPLICATION_ID=shop", "ROWAN_ADMIN_KEY=" + adminKey, "ROWAN_SEARCH_KEY=" + searchKey}, env...)...)}
	n.start()
	t.Cleanup(func() { n.end(syscall.SIGTERM) })
	return n
}

func (n *node) start() {
	n.t.Helper()
	binary, err := build()
	if err != nil {
		n.t.Fatal(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cmd = exec.Command(binary, "serve")
	n.cmd.Env = append(n.env, "ROWAN_LISTEN="+n.address)
	var log bytes.Buffer
	n.cmd.Stderr = &log
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	if err := n.cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	address := ""
	greeting := bufio.NewReader(out)
	for address == "" {
		line, err := greeting.ReadString('\n')
		if match := readyLine.FindStringSubmatch(line); match != nil {
			_, port, _ := net.SplitHostPort(match[1]) // the name may be one under the base domain
			address = "127.0.0.1:" + port
		}
		if err != nil {
			_ = n.cmd.Wait()
			n.t.Fatalf("the server does not start: %s", log.String())
		}
	}
	if n.address != address { // only once: a balancer reads it while the server starts again at the same address
		n.address = address
	}
	n.exited = make(chan struct{})
	cmd, exited := n.cmd, n.exited
	go func() {
		_, _ = io.Copy(io.Discard, greeting)
		_ = cmd.Wait()
		close(exited)
	}()
}

func (n *node) end(signal syscall.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.cmd.Process.Signal(signal) // it may have ended
	<-n.exited
}

// balancer routes like docs/operations/Caddyfile: <app>-a to the first node and so on, and <app> to the healthy nodes in turn.
type balancer struct {
	nodes []*node
	well  []atomic.Bool
	next  atomic.Uint32
	proxy *httputil.ReverseProxy
}

type chosenKey struct{}

func newBalancer(t *testing.T, nodes ...*node) *httptest.Server {
	t.Helper()
	b := &balancer{nodes: nodes, well: make([]atomic.Bool, len(nodes))}
	b.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host = r.In.Host
			r.SetURL(&url.URL{Scheme: "http", Host: r.In.Context().Value(chosenKey{}).(string)})
			r.Out.Host = r.In.Host
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	for i := range nodes {
		b.well[i].Store(true)
		go func() {
			for t.Context().Err() == nil {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+nodes[i].address+"/health", nil)
				resp, err := http.DefaultClient.Do(req)
				b.well[i].Store(err == nil && resp.StatusCode == http.StatusOK)
				if err == nil {
					_ = resp.Body.Close()
				}
				cancel()
				time.Sleep(200 * time.Millisecond)
			}
		}()
	}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	return server
}

// ServeHTTP passes a request on to only one node: that may have applied it.
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	label, _, _ := strings.Cut(r.Host, ".")
	chosen := -1
	for i, suffix := range []string{"-a", "-b", "-c"} {
		if strings.HasSuffix(label, suffix) {
			chosen = i
		}
	}
	if chosen < 0 {
		first := int(b.next.Add(1))
		for i := range b.nodes {
			if at := (first + i) % len(b.nodes); b.well[at].Load() {
				chosen = at
				break
			}
		}
	}
	if chosen < 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	b.proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), chosenKey{}, b.nodes[chosen].address)))
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// send sends one request to a host name through an address.
func send(ctx context.Context, address, host, method, path, key, body string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, address+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Host = host
	req.SetBasicAuth("shop", key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, text}, err
}

// patient is a client that sends a request again, to the next host, as long as it gets no answer, or one that says to try again.
type patient struct {
	address string
	hosts   []string
	next    atomic.Uint32
	retries atomic.Int64
}

func (p *patient) do(ctx context.Context, method, path, body string) (answer, error) {
	for attempt := 1; ; attempt++ {
		host := p.hosts[int(p.next.Add(1))%len(p.hosts)]
		got, err := send(ctx, p.address, host, method, path, adminKey, body)
		again := err != nil || got.status == http.StatusBadGateway || got.status == http.StatusServiceUnavailable || got.status == http.StatusGatewayTimeout
		if !again || attempt == 50 {
			return got, err
		}
		p.retries.Add(1)
		select {
		case <-ctx.Done():
			return got, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func TestThreeHosts(t *testing.T) {
	t.Parallel()
	database := storetest.NewCluster(t, nil)
	env := []string{"DATABASE_URL=" + database.URL(), "ROWAN_BASE_DOMAIN=localhost"}
	nodes := make([]*node, 3)
	var starting sync.WaitGroup
	for i := range nodes { // at the same time, on an empty database
		starting.Go(func() { nodes[i] = newNode(t, env...) })
	}
	starting.Wait()
	proxy := newBalancer(t, nodes...)

	create := exec.Command(mustBuild(t), "app", "create", "other")
	create.Env = append(os.Environ(), env...)
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for host, want := range map[string]int{
		"shop.localhost": 200, "shop-a.localhost": 200, "SHOP-C.localhost:8080": 200,
		"other.localhost": 403, "other-b.localhost": 403, "shop-d.localhost": 403,
		"shop.example.org": 421, "localhost": 421, "a.shop.localhost": 421,
	} {
		got, err := send(t.Context(), proxy.URL, host, http.MethodGet, "/v1/index", adminKey, "")
		if err != nil || got.status != want {
			t.Errorf("%s: %d, want %d: %s, %v", host, got.status, want, got.body, err)
		}
	}

	clients := []*patient{
		{address: proxy.URL, hosts: []string{"shop.localhost"}},
		{address: proxy.URL, hosts: []string{"shop-a.localhost", "shop-b.localhost", "shop-c.localhost"}},
	}
	if got, err := clients[0].do(t.Context(), http.MethodPost, "/v1/index/products", `{"mappings":[{"name":"title","type":"name"}]}`); err != nil || got.status != http.StatusAccepted {
		t.Fatalf("%d %s, %v", got.status, got.body, err)
	}
	ctx, end := context.WithCancel(t.Context())
	var acknowledged atomic.Int64
	var lists [4][]string
	var group sync.WaitGroup
	for worker := range lists {
		group.Go(func() {
			for i := 0; ctx.Err() == nil && !t.Failed(); i++ {
				id := fmt.Sprintf("w%dx%d", worker, i)
				got, err := clients[i%2].do(t.Context(), http.MethodPut, "/v1/index/products/document/"+id, `{"title":"`+id+`"}`)
				if err != nil || got.status != http.StatusCreated {
					t.Errorf("writing %s: %d %s, %v", id, got.status, got.body, err)
					return
				}
				lists[worker] = append(lists[worker], id)
				acknowledged.Add(1)
				got, err = clients[(i+worker)%2].do(t.Context(), http.MethodPost, "/v1/search/products", `{"query":"`+id+` "}`)
				var found struct {
					IDs []string `json:"ids"`
				}
				if err == nil {
					err = json.Unmarshal(got.body, &found)
				}
				if err != nil || got.status != http.StatusOK || len(found.IDs) != 1 || found.IDs[0] != id {
					t.Errorf("%s was acknowledged; a search for it answers %d %s, %v", id, got.status, got.body, err)
					return
				}
			}
		})
	}
	progress := func(what string) {
		t.Helper()
		before := acknowledged.Load()
		eventually(t, "requests go on: "+what, func() bool { return t.Failed() || acknowledged.Load() > before+100 })
		t.Logf("%s: %d writes, %d + %d requests sent again", what, acknowledged.Load(), clients[0].retries.Load(), clients[1].retries.Load())
	}
	progress("three replicas")
	for i, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL} {
		nodes[i].end(signal)
		progress(fmt.Sprintf("replica %c ended by %s", 'a'+i, signal))
		nodes[i].start()
		progress(fmt.Sprintf("replica %c is back", 'a'+i))
	}
	end()
	group.Wait()
	stored := 0
	for _, ids := range lists {
		for _, id := range ids {
			if got, err := clients[0].do(t.Context(), http.MethodGet, "/v1/index/products/document/"+id, ""); err != nil || got.status != http.StatusOK {
				t.Errorf("%s was acknowledged and is lost: %d %s, %v", id, got.status, got.body, err)
			} else {
				stored++
			}
		}
	}
	if int64(stored) != acknowledged.Load() {
		t.Errorf("%d writes were acknowledged, %d are there", acknowledged.Load(), stored)
	}
}

func mustBuild(t *testing.T) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
