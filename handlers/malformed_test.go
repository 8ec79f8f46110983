package handlers

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Requests that no handler sees are also refused with a problem, and the answers of handlers stay as they are.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	cfg := Config{Logger: slog.New(slog.DiscardHandler)}.withDefaults()
	router := newRouter()
	echoes(100)(newAPI(router, nil, cfg))
	router.Get("/plain", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		http.Error(w, "mine", http.StatusBadRequest)
	})
	server := httptest.NewUnstartedServer(wrapped(cfg, router))
	server.Config.MaxHeaderBytes = 8 << 10
	server.Listener = Listener(server.Listener, slog.New(slog.DiscardHandler))
	server.Start()
	t.Cleanup(server.Close)
	send := func(request string) answer {
		t.Helper()
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%.50q: %v", request, err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer{response.StatusCode, response.Header, string(text)}
	}
	for name, test := range map[string]struct {
		request string
		code    service.Code
		detail  string
	}{
		"a lone %":            {"GET /echo/100% HTTP/1.1\r\nHost: x\r\n\r\n", service.CodeMalformedRequest, "write % as %25"},
		"a space in the path": {"GET /echo/a b HTTP/1.1\r\nHost: x\r\n\r\n", service.CodeMalformedRequest, "a space as %20"},
		"no host":             {"GET /echo HTTP/1.1\r\n\r\n", service.CodeMalformedRequest, "missing required Host header."},
		"a header's name":     {"GET /echo HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n", service.CodeMalformedRequest, "invalid header name."},
		"two lengths":         {"PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", service.CodeMalformedRequest, "the length of the body"},
		"another coding":      {"PUT /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", service.CodeUnsupportedMediaType, "use Content-Encoding: gzip"},
		"something else":      {"\x16\x03\x01\x02\x00\r\n\r\n", service.CodeMalformedRequest, "This is not a valid HTTP request:"},
		"large headers":       {"GET /echo HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 20<<10) + "\r\n\r\n", service.CodeHeadersTooLarge, "in the body"},
		"a long address":      {"GET /echo?q=" + strings.Repeat("a", 20<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", service.CodeHeadersTooLarge, "The URL"},
	} {
		got := send(test.request)
		if p := got.problem(t); service.Code(p.Code) != test.code || got.status != ErrorStatus(test.code) || !strings.Contains(p.Detail, test.detail) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := send("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n"); got.status != http.StatusBadRequest || got.body != "mine\n" {
		t.Errorf("an answer of a handler: %d %s", got.status, got.body)
	}
}
