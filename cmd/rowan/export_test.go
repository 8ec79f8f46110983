package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// exportRequest is a request of an export.
type exportRequest struct {
	Sort    string `json:"sort"`
	Filter  string `json:"filter"`
	PerPage int    `json:"per_page"`
	Cursor  string `json:"cursor"`
}

// pages answers searches sorted by _id with two documents each, beginning at the cursor.
func pages(t *testing.T, asked *[]exportRequest, broken *int) http.Handler {
	t.Helper()
	ids := []string{`a`, `b"\`, `c`, `d`, `e`}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request exportRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request.Sort != "_id" || request.PerPage != 2 {
			t.Errorf("asked for %+v, %v", request, err)
		}
		*asked = append(*asked, request)
		from := 0
		if _, err := fmt.Sscanf(request.Cursor, "after%d", &from); err != nil && request.Cursor != "" {
			t.Errorf("no page has given the cursor %q", request.Cursor)
		}
		var hits []string
		for _, id := range ids[from:min(from+2, len(ids))] {
			name, _ := json.Marshal(id)
			hits = append(hits, fmt.Sprintf(`%s:{"_id":%s,"_score":0,"autocomplete":["x"],"n":12345678901234567890,"f":0.10,"a<b":null}`, name, name))
		}
		answer := `{"hits":{` + strings.Join(hits, ",") + `},"ids":[],"total":5`
		if len(hits) == 2 {
			answer += fmt.Sprintf(`,"cursor":"after%d"`, from+2)
		}
		answer += "}"
		if *broken > 0 {
			*broken--
			answer = answer[:len(answer)/2+30] // the connection breaks after a document
		}
		_, _ = io.WriteString(w, answer)
	})
}

const exported = `{"_id":"a","n":12345678901234567890,"f":0.10,"a\u003cb":null}
{"_id":"b\"\\","n":12345678901234567890,"f":0.10,"a\u003cb":null}
{"_id":"c","n":12345678901234567890,"f":0.10,"a\u003cb":null}
{"_id":"d","n":12345678901234567890,"f":0.10,"a\u003cb":null}
{"_id":"e","n":12345678901234567890,"f":0.10,"a\u003cb":null}
`

// servePages serves pages, and records the requests. The first answers, as many as broken says, break off.
func servePages(t *testing.T, broken int) (srv *httptest.Server, asked *[]exportRequest) {
	t.Helper()
	asked = new([]exportRequest)
	srv = httptest.NewServer(pages(t, asked, &broken))
	t.Cleanup(srv.Close)
	return srv, asked
}

// The filter is the same on all pages, so that it may be as large as that of any search.
func TestExport(t *testing.T) {
	t.Parallel()
	for _, broken := range []int{0, 1} {
		srv, asked := servePages(t, broken)
		var out, notes bytes.Buffer
		const filter = "x = 1 OR y = 2"
		c := &exportCommand{serverFlags: serverFlags{URL: srv.URL}, Index: "films", Key: "k", PageSize: 2, Patience: time.Minute, Filter: filter}
		if err := c.Run(t.Context(), terminal{out: &out, err: &notes}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(exported, out.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		want := []exportRequest{{"_id", filter, 2, ""}, {"_id", filter, 2, "after2"}, {"_id", filter, 2, "after4"}}
		if diff := cmp.Diff(append(want[:broken:broken], want...), *asked); diff != "" {
			t.Errorf("asked for (-want +got):\n%s", diff)
		}
		if !strings.HasSuffix(notes.String(), "Exported 5 documents of films.\n") {
			t.Errorf("said %q", notes.String())
		}
	}
}

// If the documents of a page are more than the server answers with at once, pages get smaller.
func TestExportOfLargeDocuments(t *testing.T) {
	t.Parallel()
	var asked []exportRequest
	broken, refused := 0, 0
	inTwos := pages(t, &asked, &broken)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if !bytes.Contains(body, []byte(`"per_page":2,`)) {
			refused++
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			_, _ = io.WriteString(w, `{"status":413,"code":"too_large"}`)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		inTwos.ServeHTTP(w, r)
	}))
	defer srv.Close()
	var out bytes.Buffer
	c := &exportCommand{serverFlags: serverFlags{URL: srv.URL}, Index: "films", Key: "k", PageSize: 9, Patience: time.Minute}
	if err := c.Run(t.Context(), terminal{out: &out, err: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(exported, out.String()); diff != "" || refused != 2 {
		t.Errorf("%d pages were refused, want 2 (-want +got):\n%s", refused, diff)
	}
}

// Documents that cannot be written are not reported as exported.
func TestExportToAFullDisk(t *testing.T) {
	t.Parallel()
	srv, _ := servePages(t, 0)
	full := errors.New("no space left")
	var notes bytes.Buffer
	c := &exportCommand{serverFlags: serverFlags{URL: srv.URL}, Index: "films", Key: "k", PageSize: 2}
	if err := c.Run(t.Context(), terminal{out: brokenWriter{full}, err: &notes}); !errors.Is(err, full) || notes.Len() > 0 {
		t.Errorf("got %v, said %q", err, notes.String())
	}
	// Most of a compressed file is written when it is closed.
	if _, err := os.Stat("/dev/full"); err == nil {
		link := filepath.Join(t.TempDir(), "films.gz")
		if err := os.Symlink("/dev/full", link); err != nil {
			t.Fatal(err)
		}
		c.Output = link
		if err := c.Run(t.Context(), terminal{err: &notes}); !errors.Is(err, syscall.ENOSPC) || strings.Contains(explain(err), "\n") || notes.Len() > 0 {
			t.Errorf("got %v, said %q", err, notes.String())
		}
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestExportToAFile(t *testing.T) {
	t.Parallel()
	srv, _ := servePages(t, 0)
	dir := t.TempDir()
	c := &exportCommand{serverFlags: serverFlags{URL: srv.URL}, Index: "films", Key: "k", PageSize: 2, Output: filepath.Join(dir, "films.ndjson.gz")}
	term := terminal{out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	if err := c.Run(t.Context(), term); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(c.Output)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil || string(text) != exported {
		t.Errorf("got %s, %v", text, err)
	}
	for path, want := range map[string]string{dir: dir + " is a folder", filepath.Join(dir, "no", "films"): "there is no folder " + filepath.Join(dir, "no")} {
		c.Output = path
		if err := c.Run(t.Context(), term); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("said %v, want %s", err, want)
		}
	}
	srv.Close()
	c.Output = filepath.Join(dir, "other.ndjson")
	if err := c.Run(t.Context(), term); err == nil {
		t.Error("exported from no server")
	}
	left, err := filepath.Glob(filepath.Join(dir, "other*"))
	if err != nil || len(left) > 0 {
		t.Errorf("a failed export left %v, %v", left, err)
	}
}

// Of two exports into one file at the same time, the one that ends last leaves all of its own documents there.
func TestExportsToTheSameFile(t *testing.T) {
	t.Parallel()
	output := filepath.Join(t.TempDir(), "films.ndjson")
	export := func(url string) error {
		c := &exportCommand{serverFlags: serverFlags{URL: url}, Index: "films", Key: "k", PageSize: 2, Output: output}
		return c.Run(t.Context(), terminal{out: io.Discard, err: io.Discard})
	}
	other, _ := servePages(t, 0)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := export(other.URL); err != nil { // while this export has its file open
			t.Error(err)
		}
		if got, err := os.ReadFile(output); err != nil || string(got) != exported {
			t.Errorf("the first export has left %q, %v", got, err)
		}
		_, _ = io.WriteString(w, `{"hits":{"z":{"_id":"z"}},"total":1}`)
	}))
	defer slow.Close()
	if err := export(slow.URL); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(output); err != nil || string(got) != `{"_id":"z"}`+"\n" {
		t.Errorf("the last export has left %q, %v", got, err)
	}
}
