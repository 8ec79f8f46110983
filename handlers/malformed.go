package handlers

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
)

// Listener returns a listener for an http.Server that answers malformed HTTP requests with problems, as the handlers do for
// others. No handler sees such a request: the server answers it itself, in plain text, and has no setting for that. So the
// listener replaces that answer on its way to the client.
func Listener(l net.Listener, logger *slog.Logger) net.Listener { return problemListener{l, logger} }

type problemListener struct {
	net.Listener
	logger *slog.Logger
}

// Accept waits for the next connection.
func (l problemListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok { // the server uses more of its methods than those of net.Conn
		return &problemConn{tcp, l.logger}, err
	}
	return conn, err
}

type problemConn struct {
	*net.TCPConn
	logger *slog.Logger
}

// Write writes p or, if p refuses a malformed request, a problem in its place.
func (c *problemConn) Write(p []byte) (int, error) {
	known, ok := refusal(p)
	if !ok {
		return c.TCPConn.Write(p)
	}
	info := &requestInfo{id: requestID("")}
	problem := problem(context.WithValue(context.Background(), infoKey, info), known)
	c.logger.LogAttrs(context.Background(), slog.LevelInfo, "malformed request", slog.String("request_id", info.id), slog.Int("status", problem.Status))
	body, _ := document.Encode(problem) // strings and integers
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n%s\n",
		problem.Status, http.StatusText(problem.Status), problemType, len(body)+1, info.id, body)
	if _, err := c.TCPConn.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// What net/http writes, in one piece, when it refuses a request that it cannot read. No answer of a handler looks like
// this, because those have a Date.
var (
	refusalBegins = []byte("HTTP/1.1 ")
	refusalHeader = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
)

// refusal reports whether p is what net/http answers to a malformed request, and returns the error to send instead.
func refusal(p []byte) (*service.Error, bool) {
	answer, begins := bytes.CutPrefix(p, refusalBegins)
	line, rest, _ := bytes.Cut(answer, []byte("\r\n"))
	if !begins || !bytes.HasPrefix(rest, refusalHeader) {
		return nil, false
	}
	status, reason, _ := bytes.Cut(line, []byte(" "))
	switch string(status) {
	case "400":
		if _, detail, ok := bytes.Cut(reason, []byte(": ")); ok {
			return service.Errorf(service.CodeMalformedRequest, "This is not an HTTP request: %s.", detail), true
		}
		return service.Errorf(service.CodeMalformedRequest, "This is not a valid HTTP request: the first line, a header or the length of the body cannot be read. In a URL, write %% as %%25 and a space as %%20."), true
	case "431":
		return service.Errorf(service.CodeHeadersTooLarge, "The URL and the headers are too large together. Send long values in the body."), true
	case "501":
		return service.Errorf(service.CodeUnsupportedMediaType, "The body has a Transfer-Encoding other than chunked, which is not accepted. To compress the body, use Content-Encoding: gzip."), true
	}
	return nil, false
}
