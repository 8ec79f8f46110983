package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// api is a client of the service.
type api struct {
	base, key string
	http      *http.Client
}

func newAPI(base, key string) *api {
	return &api{base: base, key: key, http: &http.Client{Transport: &http.Transport{ // no proxy
		MaxIdleConnsPerHost: clients + 4, DisableCompression: true, ResponseHeaderTimeout: 5 * time.Minute,
	}}}
}

// do sends body (nil for none), reads the whole answer, and decodes it into out (nil: not at all). If the service
// sheds load, it retries the request after a moment.
func (a *api) do(ctx context.Context, method, path string, body []byte, out any) error {
	for {
		status, answer, err := a.once(ctx, method, path, body)
		switch {
		case err != nil:
			return err
		case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && path != "/health":
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * time.Millisecond):
			}
		case status > 299:
			return fmt.Errorf("%s %s: %d %s", method, path, status, bytes.TrimSpace(answer))
		case out == nil:
			return nil
		default:
			return json.Unmarshal(answer, out)
		}
	}
}

func (a *api) once(ctx context.Context, method, path string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.SetBasicAuth(application, a.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// send is do with a value as the body.
func (a *api) send(ctx context.Context, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return a.do(ctx, method, path, body, out)
}

// mapping is one mapping of an index.
type mapping struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// createIndex creates an index for the documents of a corpus, with suggestions from a field ("" for none).
func (a *api) createIndex(ctx context.Context, name string, c *corpus, suggest string) error {
	if err := a.send(ctx, "POST", "/v1/index/"+name, map[string]any{"mappings": c.mappings}, nil); err != nil {
		return err
	}
	settings := map[string]any{"language": c.language}
	if suggest != "" {
		settings["autocomplete"] = map[string]any{"fields": []string{suggest}}
	}
	return a.send(ctx, "PATCH", "/v1/index/"+name+"/settings", settings, nil)
}

func (a *api) deleteIndex(ctx context.Context, name string) error {
	return a.do(ctx, "DELETE", "/v1/index/"+name, nil, nil)
}

// found is the part of a search answer that is used here.
type found struct {
	IDs   []string `json:"ids"`
	Total int64    `json:"total"`
}

func (a *api) search(ctx context.Context, index string, request map[string]any) (found, error) {
	var f found
	err := a.send(ctx, "POST", "/v1/search/"+index, request, &f)
	return f, err
}

// batchBody is the body of a batch that stores documents.
func batchBody(docs []document) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, d := range docs {
		if i > 0 {
			b.WriteByte(',')
		}
		id, _ := json.Marshal(d.id) // a string always encodes
		fmt.Fprintf(&b, `{"action":"upsert","_id":%s,"body":%s}`, id, d.body)
	}
	b.WriteByte(']')
	return b.Bytes()
}
