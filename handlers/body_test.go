package handlers

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
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

func TestBodies(t *testing.T) {
	t.Parallel()
	const limit = 100
	do := setup(t, Config{}, echoes(limit))
	full := `"` + strings.Repeat("x", limit-2) + `"`
	for name, test := range map[string]struct {
		method, body string
		headers      []string
		code         service.Code // "" = accepted
		want         echo
	}{
		"JSON":                   {"PUT", `{"a":1}`, []string{"Content-Type", "application/json"}, "", echo{Body: `{"a":1}`}},
		"no content type":        {"PUT", `{"a":1}`, nil, "", echo{Body: `{"a":1}`}},
		"charset":                {"PUT", `{}`, []string{"Content-Type", "Application/JSON; charset=UTF-8"}, "", echo{Body: `{}`}},
		"charset in quotes":      {"PUT", `{}`, []string{"Content-Type", `application/json; charset="utf-8"`}, "", echo{Body: `{}`}},
		"charset, no hyphen":     {"PUT", `{}`, []string{"Content-Type", "application/json; charset=UTF8"}, "", echo{Body: `{}`}},
		"charset, both, merge":   {"PUT", `{}`, []string{"Content-Type", `application/merge-patch+json;Charset="Utf8"`}, "", echo{Body: `{}`, Merge: true}},
		"empty charset":          {"PUT", `{}`, []string{"Content-Type", `application/json; charset=""`}, service.CodeUnsupportedMediaType, echo{}},
		"other charset":          {"PUT", `{}`, []string{"Content-Type", "application/json; charset=latin1"}, service.CodeUnsupportedMediaType, echo{}},
		"form":                   {"PUT", `{}`, []string{"Content-Type", "application/x-www-form-urlencoded"}, service.CodeUnsupportedMediaType, echo{}},
		"broken type":            {"PUT", `{}`, []string{"Content-Type", "application/json; ="}, service.CodeUnsupportedMediaType, echo{}},
		"merge patch":            {"PUT", `{}`, []string{"Content-Type", "application/merge-patch+json"}, "", echo{Body: `{}`, Merge: true}},
		"merge patch elsewhere":  {"POST", `{}`, []string{"Content-Type", "application/merge-patch+json"}, service.CodeUnsupportedMediaType, echo{}},
		"two types":              {"PUT", `{}`, []string{"Content-Type", "application/json", "Content-Type", "application/merge-patch+json"}, service.CodeUnsupportedMediaType, echo{}},
		"one type, twice":        {"PUT", `{}`, []string{"Content-Type", "application/json", "Content-Type", "application/json"}, "", echo{Body: `{}`}},
		"gzip":                   {"PUT", zipped(`{"a":1}`), []string{"Content-Encoding", "gzip"}, "", echo{Body: `{"a":1}`}},
		"gzip by its old name":   {"PUT", zipped(`{"a":1}`), []string{"Content-Encoding", "X-GZIP, identity"}, "", echo{Body: `{"a":1}`}},
		"gzip in two members":    {"PUT", zipped(`{"a"`) + zipped(`:1}`), []string{"Content-Encoding", "gzip"}, "", echo{Body: `{"a":1}`}},
		"gzip of the limit":      {"PUT", zipped(full), []string{"Content-Encoding", "gzip"}, "", echo{Body: full}},
		"gzip of a byte more":    {"PUT", zipped(full + " "), []string{"Content-Encoding", "gzip"}, service.CodeTooLarge, echo{}},
		"gzip of much more":      {"PUT", zipped(strings.Repeat(full, 100_000))[:100], []string{"Content-Encoding", "gzip"}, service.CodeTooLarge, echo{}},
		"gzip of nothing":        {"PUT", zipped(``), []string{"Content-Encoding", "gzip"}, service.CodeInvalidJSON, echo{}},
		"gzip, no body":          {"POST", ``, []string{"Content-Encoding", "gzip"}, "", echo{}},
		"gzip that is none":      {"PUT", `{"a":1}`, []string{"Content-Encoding", "gzip"}, service.CodeInvalidJSON, echo{}},
		"gzip that ends early":   {"PUT", zipped(`{"a":1}`)[:25], []string{"Content-Encoding", "gzip"}, service.CodeInvalidJSON, echo{}},
		"gzip and a bit":         {"PUT", zipped(`{"a":1}`) + "x", []string{"Content-Encoding", "gzip"}, service.CodeInvalidJSON, echo{}},
		"gzip not declared":      {"PUT", zipped(`{"a":1}`), nil, service.CodeInvalidJSON, echo{}},
		"gzip of a form":         {"PUT", zipped(`{}`), []string{"Content-Encoding", "gzip", "Content-Type", "text/csv"}, service.CodeUnsupportedMediaType, echo{}},
		"gzip twice":             {"PUT", zipped(zipped(`{}`)), []string{"Content-Encoding", "gzip", "Content-Encoding", "gzip"}, service.CodeUnsupportedMediaType, echo{}},
		"another compression":    {"PUT", `{}`, []string{"Content-Encoding", "br"}, service.CodeUnsupportedMediaType, echo{}},
		"not compressed":         {"PUT", `{}`, []string{"Content-Encoding", "identity"}, "", echo{Body: `{}`}},
		"exactly the limit":      {"PUT", full, nil, "", echo{Body: full}},
		"a byte more":            {"PUT", full + " ", nil, service.CodeTooLarge, echo{}},
		"much more":              {"PUT", strings.Repeat(full, 100_000), nil, service.CodeTooLarge, echo{}},
		"missing":                {"PUT", "", nil, service.CodeInvalidJSON, echo{}},
		"white space":            {"PUT", " \n", nil, service.CodeInvalidJSON, echo{}},
		"missing, optional":      {"POST", "", nil, "", echo{}},
		"missing, of any type":   {"POST", "", []string{"Content-Type", "text/plain"}, "", echo{}},
		"white space, optional":  {"POST", " \n", nil, "", echo{}},
		"null, optional":         {"POST", " null\n", nil, "", echo{}},
		"null":                   {"PUT", "null", nil, "", echo{Body: "null"}},
		"invalid UTF-8":          {"PUT", "{\"a\":\"\xff\"}", nil, service.CodeInvalidJSON, echo{}},
		"not JSON is not for us": {"PUT", "nonsense", nil, "", echo{Body: "nonsense"}},
		"a byte order mark":      {"PUT", "\ufeff{}", nil, service.CodeInvalidJSON, echo{}},
		"the same, optional":     {"POST", "\ufeff{}", nil, service.CodeInvalidJSON, echo{}},
	} {
		got := do(test.method, "/echo/films/document/1", test.body, test.headers...)
		if test.code != "" {
			if p := got.problem(t); service.Code(p.Code) != test.code || got.status != ErrorStatus(test.code) {
				t.Errorf("%s: %d %s, want %s", name, got.status, p.Code, test.code)
			} else if strings.HasPrefix(test.body, "\ufeff") && !strings.Contains(p.Detail, "byte order mark") {
				t.Errorf("%s: %s", name, p.Detail)
			}
			continue
		}
		var e echo
		if err := json.Unmarshal([]byte(got.body), &e); err != nil || got.status != 200 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
			continue
		}
		test.want.Index, test.want.ID = "films", "1"
		if e != test.want {
			t.Errorf("%s: %+v, want %+v", name, e, test.want)
		}
	}
}

// zipped compresses with gzip.
func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // writing to memory does not fail
	_ = w.Close()
	return b.String()
}

// TestUnfinishedBodies uses a raw connection: a body without a length that is too large, one that stops
// arriving, and one that ends early.
func TestUnfinishedBodies(t *testing.T) {
	t.Parallel()
	cfg := Config{Logger: slog.New(slog.DiscardHandler), BodyTimeout: time.Second}.withDefaults() // also enough for the answer on a busy machine
	router := newRouter()
	echoes(100)(newAPI(router, nil, cfg))
	server := httptest.NewServer(wrapped(cfg, router))
	t.Cleanup(server.Close)

	for name, test := range map[string]struct {
		send   string
		end    bool
		code   service.Code
		detail string
	}{
		"chunks beyond the limit": {"Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("32\r\n"+strings.Repeat("x", 50)+"\r\n", 3) + "0\r\n\r\n", false, service.CodeTooLarge, "larger than 100 bytes. Split a batch; make anything else smaller"},
		"stops arriving":          {"Content-Length: 50\r\n\r\n{\"a\":", false, service.CodeInvalidJSON, "did not arrive within 1s"},
		"ends early":              {"Content-Length: 50\r\n\r\n{\"a\":", true, service.CodeInvalidJSON, "ended before its Content-Length"},
		"gzip stops arriving":     {"Content-Encoding: gzip\r\nContent-Length: 50\r\n\r\n" + zipped("{}")[:20], false, service.CodeInvalidJSON, "did not arrive within 1s"},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, "PUT /echo/films/document/1 HTTP/1.1\r\nHost: x\r\n%s", test.send); err != nil {
			t.Fatal(err)
		}
		if test.end {
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, _ := io.ReadAll(response.Body)
		if p := (answer{response.StatusCode, response.Header, string(text)}).problem(t); service.Code(p.Code) != test.code || !strings.Contains(p.Detail, test.detail) {
			t.Errorf("%s: %s", name, text)
		}
		_ = conn.Close()
	}
}

// The limits for a body to arrive and for an answer to be received limit neither the work on a request nor later requests
// on the connection: net/http ends these deadlines with the body and with the answer.
func TestLimitsOfBodiesEndWithThem(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	do := setup(t, Config{BodyTimeout: limit}, func(a *api) {
		slow := func(ctx context.Context, _ *struct{}) (*struct{}, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(3 * limit / 2):
				return nil, nil
			}
		}
		register(a, operation{id: "slowGet", method: http.MethodGet, path: "/slow", public: true, status: http.StatusNoContent}, slow)
		register(a, operation{
			id: "slowPost", method: http.MethodPost, path: "/slow", public: true, status: http.StatusNoContent,
			body: &bodySpec{limit: 100, schema: refTo("Document")},
		}, slow)
	})
	do("GET", "/nowhere", "") // has a body, and leaves the connection open
	if got := do("POST", "/slow", "{}"); got.status != http.StatusNoContent {
		t.Errorf("with a body: %d %s", got.status, got.body)
	}
	if got := do("GET", "/slow", ""); got.status != http.StatusNoContent {
		t.Errorf("without: %d %s", got.status, got.body)
	}
}

// patientServer echoes bodies of up to 100 bytes, and waits for them for an hour.
func patientServer(t *testing.T) *httptest.Server {
	t.Helper()
	cfg := Config{Logger: slog.New(slog.DiscardHandler), BodyTimeout: time.Hour}.withDefaults()
	router := newRouter()
	echoes(100)(newAPI(router, nil, cfg))
	server := httptest.NewServer(wrapped(cfg, router))
	t.Cleanup(server.Close)
	return server
}

// A body announced as larger than what would be read of it is refused before it arrives.
func TestBodiesWithoutAnEnd(t *testing.T) {
	t.Parallel()
	server := patientServer(t)
	for path, status := range map[string]int{"/echo/films/document/1": http.StatusRequestEntityTooLarge, "/nowhere": http.StatusNotFound} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{", path); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || response.StatusCode != status {
			t.Errorf("%s: %+v, %v", path, response, err)
		}
		_ = conn.Close()
	}
}

// A client that waits for permission to send its body is refused at once, whether it has declared the body's length or not. One
// that has got permission may send the whole body before it reads the answer.
func TestBodiesThatAreWaitedFor(t *testing.T) {
	t.Parallel()
	server := patientServer(t)
	body := strings.Repeat("x", 8<<20)
	for name, test := range map[string]struct {
		path, headers, body string
		status              int
	}{
		"a length": {"/nowhere", "Content-Length: 10\r\n", "", http.StatusNotFound},
		"chunks":   {"/nowhere", "Transfer-Encoding: chunked\r\n", "", http.StatusNotFound},
		"too long": {"/echo/films/document/1", "Content-Length: 101\r\n", "", http.StatusRequestEntityTooLarge},
		"chunks that are too long": {
			"/echo/films/document/1", "Transfer-Encoding: chunked\r\n",
			fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body), http.StatusRequestEntityTooLarge,
		},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n%s\r\n", test.path, test.headers); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		if test.body != "" {
			if response, err := http.ReadResponse(in, nil); err != nil || response.StatusCode != http.StatusContinue {
				t.Errorf("%s: %+v, %v; want to be told to send it", name, response, err)
			}
			if _, err := io.WriteString(conn, test.body); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		response, err := http.ReadResponse(in, nil)
		if err != nil || response.StatusCode != test.status {
			t.Errorf("%s: %+v, %v; want %d", name, response, err, test.status)
		}
		_ = conn.Close()
	}
}

// A client that reads the answer only when it has sent everything gets the error, too.
func TestBodiesThatAreRefusedAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	cfg := Config{Logger: slog.New(slog.DiscardHandler)}.withDefaults()
	router := newRouter()
	echoes(100)(newAPI(router, nil, cfg))
	server := httptest.NewServer(wrapped(cfg, router))
	t.Cleanup(server.Close)
	body := strings.Repeat("x", 8<<20)
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	most := strings.Repeat("x", maxFinished+50)
	for name, test := range map[string]struct {
		request string
		status  int
	}{
		"a length":     {"PUT /echo/films/document/1 HTTP/1.1\r\nHost: x\r\n" + length, http.StatusRequestEntityTooLarge},
		"the longest":  {"PUT /echo/films/document/1 HTTP/1.1\r\nHost: x\r\n" + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(most), most), http.StatusRequestEntityTooLarge},
		"chunks":       {"PUT /echo/films/document/1 HTTP/1.1\r\nHost: x\r\n" + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body), http.StatusRequestEntityTooLarge},
		"no such path": {"PUT /nowhere HTTP/1.1\r\nHost: x\r\n" + length, http.StatusNotFound},
		"not that way": {"PATCH /echo/films/document/1 HTTP/1.1\r\nHost: x\r\n" + length, http.StatusMethodNotAllowed},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, test.request); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || response.StatusCode != test.status {
			t.Errorf("%s: %+v, %v", name, response, err)
		}
		_ = conn.Close()
	}
}
