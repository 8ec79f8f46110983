package handlers

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestAnswersThatAreNotTaken uses raw connections: a client that receives nothing of an answer loses it; one that receives it
// slowly, or sends another request on the same connection after a while, does not.
func TestAnswersThatAreNotTaken(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	large := bytes.Repeat([]byte("x"), 32<<20)
	written := make(chan error, 1)
	cfg := Config{Logger: slog.New(slog.DiscardHandler), BodyTimeout: limit}.withDefaults()
	server := httptest.NewServer(wrapped(cfg, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		_, err := w.Write(large)
		written <- err
	})))
	t.Cleanup(server.Close)
	ask := func(conn net.Conn, method string) {
		t.Helper()
		if _, err := fmt.Fprintf(conn, "%s / HTTP/1.1\r\nHost: x\r\n\r\n", method); err != nil {
			t.Fatal(err)
		}
	}
	dial := func() (net.Conn, *bufio.Reader) {
		t.Helper()
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn, bufio.NewReader(conn)
	}
	outcome := func() error {
		t.Helper()
		select {
		case err := <-written:
			return err
		case <-time.After(20 * time.Second):
			t.Fatal("the answer is still being written")
			return nil
		}
	}

	idle, _ := dial()
	ask(idle, http.MethodGet)
	if outcome() == nil {
		t.Error("an answer of which nothing was taken has been written")
	}

	conn, reader := dial()
	ask(conn, http.MethodGet)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 { // longer than the limit in total
		if _, err := io.CopyN(io.Discard, response.Body, 6<<20); err != nil {
			t.Fatal(err)
		}
		time.Sleep(limit / 3)
	}
	if n, err := io.Copy(io.Discard, response.Body); n != int64(len(large))-24<<20 || err != nil {
		t.Errorf("of the rest of a slow answer %d bytes came: %v", n, err)
	}
	if err := outcome(); err != nil {
		t.Error(err)
	}
	time.Sleep(3 * limit / 2)
	ask(conn, http.MethodDelete)
	if response, err = http.ReadResponse(reader, nil); err != nil || response.StatusCode != http.StatusNoContent {
		t.Errorf("on the same connection, later: %v, %v", response, err)
	}
}
