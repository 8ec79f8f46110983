// Package client speaks to a Rowan server over HTTP, for the commands that do: import, export, search.
// It knows how to authenticate, how to read a problem, and what is worth trying again.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client sends requests of one application to one server. It is safe for concurrent use.
type Client struct {
	base        string
	application string
	key         string
	http        *http.Client
}

// New makes a client of the server at base (http://host:port), which keeps up to connections connections
// open. It connects to nothing yet.
func New(base, application, key string, connections int) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("%q is not the address of a server: write http://host:port", base)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q: the address of a server has neither user, query nor fragment", base)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = connections
	// A batch may have to wait for a table that is being swapped, so this is generous; it is there for
	// servers that are gone without a trace.
	transport.ResponseHeaderTimeout = 5 * time.Minute
	return &Client{
		base:        strings.TrimRight(base, "/"),
		application: application,
		key:         key,
		http:        &http.Client{Transport: transport},
	}, nil
}

// Base returns the address of the server.
func (c *Client) Base() string { return c.base }

// Do sends body (nil for none) and decodes the answer into out (nil to discard it). An answer that is
// not a success is an *Error.
func (c *Client) Do(ctx context.Context, method, path string, body []byte, out any) error {
	answer, err := c.Stream(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	if out == nil {
		_, err = io.Copy(io.Discard, answer)
	} else {
		err = json.NewDecoder(answer).Decode(out)
	}
	if err != nil {
		return fmt.Errorf("reading the answer of %s %s: %w", method, path, err)
	}
	return nil
}

// Stream is Do for answers that are too large to hold; the caller reads and closes the answer.
func (c *Client) Stream(ctx context.Context, method, path string, body []byte) (io.ReadCloser, error) {
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(c.application, c.key)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "rowan-cli")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return resp.Body, nil
	}
	defer func() { _ = resp.Body.Close() }()
	return nil, readProblem(resp)
}

// IndexPath is the path of an index, followed by more: "/batch".
func IndexPath(index, more string) string { return "/v1/index/" + url.PathEscape(index) + more }

// SearchPath is the path of a search.
func SearchPath(search string) string { return "/v1/search/" + url.PathEscape(search) }
