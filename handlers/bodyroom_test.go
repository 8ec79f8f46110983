package handlers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
)

// holder answers with the length of a body; it holds the body with the id "held" until it is released.
type holder struct {
	t        *testing.T
	url      string
	handler  http.Handler
	svc      *service.Service
	arrived  chan struct{}
	released chan struct{}
}

func newHolder(t *testing.T, room int64) *holder {
	t.Helper()
	h := &holder{t: t, arrived: make(chan struct{}), released: make(chan struct{}),
		svc: service.New(nil, service.Config{Limits: service.Limits{Bodies: room, Wait: 20 * time.Millisecond}})}
	cfg := Config{Logger: slog.New(slog.DiscardHandler)}.withDefaults()
	router := newRouter()
	a := newAPI(router, h.svc, cfg)
	type lengthOutput struct{ Body int }
	register(a, operation{
		id: "hold", method: http.MethodPut, path: "/hold/{index}/document/{id}", public: true,
		body: &bodySpec{limit: 32 << 20, schema: refTo("Document")},
	}, func(ctx context.Context, in *documentPath) (*lengthOutput, error) {
		if in.ID == "held" {
			h.arrived <- struct{}{}
			<-h.released
		}
		return &lengthOutput{len(bodyOf(ctx).data)}, nil
	})
	h.handler = wrapped(cfg, router)
	server := httptest.NewServer(h.handler)
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// send sends a body of the given size, without its length if it is chunked.
func (h *holder) send(id string, size int, chunked bool) answer {
	h.t.Helper()
	var body io.Reader = strings.NewReader(`"` + strings.Repeat("x", size-2) + `"`)
	if chunked {
		body = io.MultiReader(body)
	}
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodPut, h.url+"/hold/films/document/"+id, body)
	if err != nil {
		h.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// announced is more than the buffers of a connection hold.
const announced = 24 << 20

// byHand announces a body in header, sends so many bytes of it, and only then reads the status of the answer.
func (h *holder) byHand(header string, sent int) int {
	h.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "PUT /hold/films/document/1 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n%s", announced, header, strings.Repeat("x", sent)); err != nil {
		h.t.Errorf("the connection broke while the body was sent: %v", err)
		return 0
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// The size of all bodies together is limited, whether they declare their length or not. Small ones always pass,
// and a single one that is larger than the limit passes alone.
func TestLargeBodiesAreBoundedTogether(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	h := newHolder(t, 1024*kib) // one application may have 768 of them
	held := make(chan answer)
	go func() { held <- h.send("held", 600*kib, false) }()
	<-h.arrived
	if got := h.svc.Load().Bodies.Inside; got != 600*kib {
		t.Errorf("%d bytes are counted, want %d", got, 600*kib)
	}
	for _, chunked := range []bool{false, true} {
		got := h.send("large", 300*kib, chunked)
		if p := got.problem(t); p.Code != problemCode(service.CodeTooManyRequests) || got.header.Get("Retry-After") == "" {
			t.Errorf("chunked %t: %d %v %s; want 429 with Retry-After", chunked, got.status, got.header, got.body)
		}
		if got := h.send("small", service.FreeBody/2, chunked); got.status != 200 {
			t.Errorf("a small body, chunked %t: %d %s", chunked, got.status, got.body)
		}
		if got := h.send("fits", 100*kib, chunked); got.status != 200 {
			t.Errorf("a body that fits, chunked %t: %d %s", chunked, got.status, got.body)
		}
	}
	// The uncompressed content of a body counts, not what is sent.
	bomb := serving(t, h.handler)("PUT", "/hold/films/document/bomb", zipped(strings.Repeat(" ", 300*kib)), "Content-Encoding", "gzip")
	if p := bomb.problem(t); p.Code != problemCode(service.CodeTooManyRequests) {
		t.Errorf("a compressed body: %d %s; want 429", bomb.status, bomb.body)
	}
	if got := h.byHand("", announced); got != http.StatusTooManyRequests {
		t.Errorf("a client that sends all before it looks for the answer: %d, want 429", got)
	}
	if got := h.byHand("Expect: 100-continue\r\n", 0); got != http.StatusTooManyRequests {
		t.Errorf("a client that waits to be told to send: %d, want 429", got)
	}
	close(h.released)
	if got := <-held; got.status != 200 {
		t.Errorf("the first: %d %s", got.status, got.body)
	}
	for _, chunked := range []bool{false, true} {
		if got := h.send("whole", 3000*kib, chunked); got.status != 200 || strings.TrimSpace(got.body) != "3072000" {
			t.Errorf("a body larger than all may be, alone, chunked %t: %d %s", chunked, got.status, got.body)
		}
	}
	if got := h.svc.Load().Bodies; got.Inside != 0 || got.Waiting != 0 {
		t.Errorf("left behind: %+v", got)
	}
}
