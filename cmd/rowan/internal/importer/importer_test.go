package importer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/cmd/rowan/internal/importer"
	"github.com/rowansearch/rowan/cmd/rowan/internal/records"
	"github.com/rowansearch/rowan/openapi/client"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// server stands in for Rowan: it takes batches of upserts, all or none, with the problems that they can meet.
type server struct {
	t *testing.T

	mu      sync.Mutex
	docs    map[string]string // body by _id
	batches int
	// before, if set, may answer instead of the server; n is the number of the batch, from 1.
	before func(n int, w http.ResponseWriter) bool
	// anonymous makes answers omit which action is bad.
	anonymous bool
}

type action struct {
	Action string          `json:"action"`
	ID     string          `json:"_id"`
	Body   json.RawMessage `json:"body"`
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches++
	if s.before != nil && s.before(s.batches, w) {
		return
	}
	var actions []action
	if err := json.Unmarshal(body, &actions); err != nil || r.Method != http.MethodPut || r.URL.Path != "/v1/index/films/batch" {
		s.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	var faults []client.Fault
	for i, a := range actions {
		if strings.Contains(string(a.Body), `"bad"`) && len(faults) < 3 {
			faults = append(faults, client.Fault{Location: fmt.Sprintf("body[%d].body.price", i), Message: "expected a number", Value: "bad"})
		}
	}
	if len(faults) > 0 {
		if s.anonymous {
			faults = nil
		}
		answer(w, 422, client.Problem{Detail: "not applied", Code: "invalid_document", Errors: faults})
		return
	}
	results := []map[string]string{}
	for _, a := range actions {
		result := "created"
		if _, there := s.docs[a.ID]; there {
			result = "updated"
		}
		s.docs[a.ID] = string(a.Body)
		results = append(results, map[string]string{"_id": a.ID, "result": result})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(results)
}

func answer(w http.ResponseWriter, status int, problem client.Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem)
}

type bundle struct {
	server *server
	config importer.Config
	bad    []string
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{server: &server{t: t, docs: map[string]string{}}}
	srv := httptest.NewServer(b.server)
	t.Cleanup(srv.Close)
	c, err := client.New(client.Config{URL: srv.URL, Application: "demo", Key: "key", Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	b.config = importer.Config{
		Client: c, Index: "films", Source: "films.ndjson", BatchRecords: 10, BatchBytes: 1 << 20, Parallel: 4, Patience: time.Minute,
		OnBad: func(bad records.Bad) { b.bad = append(b.bad, bad.Error()) },
	}
	return b
}

func (b *bundle) run(t *testing.T, ctx context.Context, input string) (importer.Progress, error) {
	t.Helper()
	in, err := records.NewReader(strings.NewReader(input), records.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return importer.Run(ctx, in, b.config)
}

// interrupted runs an import that ends because the server is away at the given request, counted from 1, and returns its last checkpoint.
func (b *bundle) interrupted(t *testing.T, input string, request int) (saved importer.Checkpoint) {
	t.Helper()
	b.config.SaveCheckpoint = func(c importer.Checkpoint) error { saved = c; return nil }
	b.server.before = func(n int, w http.ResponseWriter) bool {
		if n == request {
			answer(w, 503, client.Problem{})
		}
		return n == request
	}
	if _, err := b.run(t, t.Context(), input); err == nil {
		t.Fatal("the server was not away")
	}
	return saved
}

// lines returns NDJSON of n documents with the ids 1 to n; those in bad have a value that the server refuses.
func lines(n int, bad ...int) string {
	isBad := map[int]bool{}
	for _, i := range bad {
		isBad[i] = true
	}
	var b strings.Builder
	for i := 1; i <= n; i++ {
		price := `1`
		if isBad[i] {
			price = `"bad"`
		}
		fmt.Fprintf(&b, `{"_id":"%d","price":%s}`+"\n", i, price)
	}
	return b.String()
}

func TestImportsEverything(t *testing.T) {
	t.Parallel()
	b := setup(t)
	progress, err := b.run(t, t.Context(), lines(95))
	if err != nil {
		t.Fatal(err)
	}
	want := importer.Progress{Written: 95, Created: 95, Settled: 95}
	if diff := cmp.Diff(want, progress); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(b.server.docs) != 95 || b.server.batches != 10 {
		t.Errorf("%d documents in %d batches", len(b.server.docs), b.server.batches)
	}
	if progress, err = b.run(t, t.Context(), lines(95)); err != nil || progress.Updated != 95 {
		t.Errorf("again: %+v, %v", progress, err)
	}
}

func TestBatchesAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.BatchBytes = 200 // three actions of about 60 bytes
	if _, err := b.run(t, t.Context(), lines(9)); err != nil {
		t.Fatal(err)
	}
	if b.server.batches != 3 {
		t.Errorf("%d batches, want 3", b.server.batches)
	}
	b.config.BatchBytes = 1
	if _, err := b.run(t, t.Context(), lines(9)); err != nil || b.server.batches != 12 {
		t.Errorf("%d batches, want one a record more; %v", b.server.batches, err)
	}
}

func TestBadRecords(t *testing.T) {
	t.Parallel()
	const refused = `line %d: price: expected a number, got "bad"`
	var all25 []string
	for i := 1; i <= 25; i++ {
		all25 = append(all25, fmt.Sprintf(refused, i))
	}
	tests := map[string]struct {
		input     string
		anonymous bool
		idField   string
		written   int64
		bad       []string
	}{
		"refused by the server":     {lines(25, 3, 17, 18), false, "", 22, []string{fmt.Sprintf(refused, 3), fmt.Sprintf(refused, 17), fmt.Sprintf(refused, 18)}},
		"more than the server says": {lines(25, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25), false, "", 0, all25},
		"refused without a place":   {lines(25, 4), true, "", 24, []string{"line 4: not applied (422 invalid_document)"}},
		"a hit":                     {`{"_id":"1"}` + "\n" + `{"_index":"films","_id":"2","_source":{"n":1}}`, false, "", 1, []string{"line 2: a hit of Elasticsearch or OpenSearch, which has the document in _source: extract it with jq -c '._source + {_id}'"}},
		"not JSON":                  {`{"_id":"1"}` + "\n" + `{"_id":` + "\n\n" + `{"_id":"3"}`, false, "", 2, []string{"line 2: not valid JSON: unexpected end of JSON input (byte 7 of the record); in NDJSON, each document is on one line, as jq -c . writes it"}},
		"not JSON on a later line":  {"[\n{\"_id\":\"1\"},\n{\"_id\":\"2\",\n\n\"a\":oops}]", false, "", 1, []string{"line 5: not valid JSON: invalid character 'o' looking for beginning of value (byte 18 of the record)"}},
		"not an object":             {"[1,null,[],{\"a\":1}]", false, "", 1, []string{"line 1: expected a JSON object", "line 1: expected a JSON object, found null", "line 1: expected a JSON object"}},
		"not UTF-8":                 {"{\"a\":\"\xff\"}\n{}", false, "", 1, []string{"line 1: not valid UTF-8"}},
		"no id": {`{"sku":"a"}` + "\n" + `{"x":1}` + "\n" + `{"sku":""}` + "\n" + `{"sku":null}` + "\n" + `{"sku":12}`, false, "sku", 2, []string{
			`line 2: no property "sku" to take the _id from`, "line 3: sku is empty", "line 4: sku is neither a string nor a number, so it cannot be the _id",
		}},
		"an id that is no string": {`{"_id":12}`, false, "", 0, []string{"line 1: _id is not a string"}},
		"CSV":                     {"_id,price\n1,2,3\n2,bad\n3,1\n", false, "", 1, []string{"line 2: expected as many cells as in the header row (2), got 3", `line 3: price: expected a number, got "bad"`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.server.anonymous = test.anonymous
			b.config.KeepGoing, b.config.IDField, b.config.Parallel = true, test.idField, 1
			progress, err := b.run(t, t.Context(), test.input)
			if err != nil {
				t.Fatal(err)
			}
			if progress.Written != test.written || progress.Bad != int64(len(test.bad)) || len(b.server.docs) != int(test.written) {
				t.Errorf("%+v, %d stored", progress, len(b.server.docs))
			}
			if diff := cmp.Diff(test.bad, b.bad); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStopsAtABadRecord(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		input     string
		anonymous bool
		settled   int64 // records up to the checkpoint, all of which must be there
		written   int
		bad       string
	}{
		"of the input":                   {lines(14) + "oops\n" + lines(30), false, 14, 14, "line 15: not valid JSON: invalid character 'o' looking for beginning of value (byte 1 of the record)"},
		"of the server":                  {lines(40, 15), false, 10, 10, `line 15: price: expected a number, got "bad"`},
		"of the server, without a place": {lines(40, 13), true, 10, 12, "line 13: not applied (422 invalid_document)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.server.anonymous, b.config.Parallel = test.anonymous, 1
			var saved importer.Checkpoint
			b.config.SaveCheckpoint = func(c importer.Checkpoint) error { saved = c; return nil }
			_, err := b.run(t, t.Context(), test.input)
			if !errors.Is(err, importer.ErrStopped) {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff([]string{test.bad}, b.bad); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// Nothing before the checkpoint may be missing.
			if saved.Records != test.settled || len(b.server.docs) != test.written {
				t.Errorf("checkpoint %+v, %d documents", saved, len(b.server.docs))
			}
		})
	}
}

func TestTriesAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.server.before = func(n int, w http.ResponseWriter) bool {
		switch n {
		case 1:
			answer(w, 503, client.Problem{Code: "unavailable"})
		case 2:
			answer(w, 429, client.Problem{Code: "too_many_requests"})
		case 3:
			panic(http.ErrAbortHandler) // the connection breaks
		default:
			return false
		}
		return true
	}
	retries := 0
	b.config.OnRetry = func(error, time.Duration) { retries++ }
	progress, err := b.run(t, t.Context(), lines(50))
	if err != nil || progress.Written != 50 || len(b.server.docs) != 50 {
		t.Errorf("%+v, %v", progress, err)
	}
	if retries != 3 {
		t.Errorf("%d retries, want 3", retries)
	}
}

func TestGivesUp(t *testing.T) {
	t.Parallel()
	for status, patience := range map[int]time.Duration{401: time.Hour, 404: time.Hour, 500: time.Hour, 503: 0} {
		b := setup(t)
		b.config.Patience, b.config.KeepGoing = patience, true
		b.server.before = func(n int, w http.ResponseWriter) bool {
			if n < 3 {
				return false
			}
			answer(w, status, client.Problem{Detail: "no"})
			return true
		}
		_, err := b.run(t, t.Context(), lines(200))
		if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != status {
			t.Errorf("%d: got %v", status, err)
		}
		if len(b.bad) > 0 {
			t.Errorf("%d: blamed the records: %v", status, b.bad)
		}
	}
}

func TestTheLastRecordOfAnIDWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.BatchRecords, b.config.Parallel = 2, 8
	b.server.before = func(n int, w http.ResponseWriter) bool {
		if n%3 == 0 { // so that later batches overtake
			answer(w, 503, client.Problem{})
			return true
		}
		return false
	}
	var input strings.Builder
	for i := range 60 {
		fmt.Fprintf(&input, `{"_id":"%d","n":%d}`+"\n", i%5, i)
	}
	if _, err := b.run(t, t.Context(), input.String()); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for i := 55; i < 60; i++ {
		want[fmt.Sprint(i%5)] = fmt.Sprintf(`{"_id":"%d","n":%d}`, i%5, i)
	}
	if diff := cmp.Diff(want, b.server.docs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	// Records without an _id: a second document for one of them would show.
	var input strings.Builder
	for i := range 100 {
		fmt.Fprintf(&input, `{"n":%d}`+"\n", i/2) // each twice: equal records must be told apart
	}
	file, target := filepath.Join(t.TempDir(), "folder", "checkpoint"), "films.ndjson to films"
	b := setup(t)
	b.config.Patience = 0
	b.config.SaveCheckpoint = func(c importer.Checkpoint) error { return importer.SaveCheckpoint(file, target, c) }
	for attempt := 1; ; attempt++ {
		if attempt > 20 {
			t.Fatal("does not get on")
		}
		b.server.before = func(n int, w http.ResponseWriter) bool {
			if n%4 == 3 {
				answer(w, 503, client.Problem{})
				return true
			}
			return false
		}
		var err error
		if b.config.Resume, err = importer.LoadCheckpoint(file, target); err != nil {
			t.Fatal(err)
		}
		progress, err := b.run(t, t.Context(), input.String())
		if progress.Skipped != b.config.Resume.Records {
			t.Errorf("skipped %d of %d", progress.Skipped, b.config.Resume.Records)
		}
		if err == nil {
			break
		}
	}
	if len(b.server.docs) != 100 {
		t.Errorf("%d documents, want 100", len(b.server.docs))
	}
	if b.config.Resume.Records == 0 {
		t.Error("never went on from a checkpoint")
	}
}

func TestResumeNoticesAnotherInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var saved importer.Checkpoint
	b.config.Parallel = 1
	b.config.SaveCheckpoint = func(c importer.Checkpoint) error { saved = c; return nil }
	if _, err := b.run(t, t.Context(), lines(20)+"oops"); !errors.Is(err, importer.ErrStopped) {
		t.Fatal(err)
	}
	if saved.Records != 20 || saved.Line != 20 {
		t.Fatalf("checkpoint %+v", saved)
	}
	b.config.Resume = saved
	for name, input := range map[string]string{"shifted": "{}\n" + lines(20), "shorter": lines(10)} {
		if _, err := b.run(t, t.Context(), input); err == nil || !strings.Contains(err.Error(), "has changed since the checkpoint") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The bad line may be corrected.
	progress, err := b.run(t, t.Context(), lines(21))
	if err != nil || progress.Skipped != 20 || progress.Written != 1 {
		t.Errorf("%+v, %v", progress, err)
	}
}

func TestResumePassesOverBadRecords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.KeepGoing, b.config.Parallel, b.config.BatchRecords, b.config.Patience = true, 1, 1, 0
	const input = "n,m\n1,1\n2\n3,3\n4,4\n"
	saved := b.interrupted(t, input, 3)
	b.config.Resume = saved
	progress, err := b.run(t, t.Context(), input)
	if err != nil || progress.Skipped != 3 || progress.Written != 1 || len(b.server.docs) != 3 {
		t.Errorf("from %+v: %+v, %v, %d documents", saved, progress, err, len(b.server.docs))
	}
}

// Bad records after the last batch are settled, too, when the import ends before its input does.
func TestCheckpointBehindBadRecords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var saved importer.Checkpoint
	b.config.KeepGoing, b.config.BatchRecords, b.config.SaveCheckpoint = true, 1, func(c importer.Checkpoint) error { saved = c; return nil }
	if _, err := b.run(t, t.Context(), `[{"_id":"1"},null,`); err == nil || saved.Records != 2 {
		t.Errorf("%v, from %+v", err, saved)
	}
}

// The last record before a checkpoint may be bad, whether the reader finds that or newAction.
func TestResumeBehindABadRecord(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"no JSON":          "{\"n\":1}\noops\n{\"n\":3}\n{\"n\":4}\n",
		"no object":        "{\"n\":1}\n[2]\n{\"n\":3}\n{\"n\":4}\n",
		"a cell too few":   "n,m\n1,1\n2\n3,3\n4,4\n",
		"an id of no kind": "{\"n\":1}\n{\"_id\":{}}\n{\"n\":3}\n{\"n\":4}\n",
	} {
		b := setup(t)
		b.config.KeepGoing, b.config.Parallel, b.config.BatchBytes, b.config.Patience = true, 1, 1, 0
		saved := b.interrupted(t, input, 2)
		if saved.Records != 2 {
			t.Fatalf("%s: from %+v", name, saved)
		}
		b.config.Resume = saved
		progress, err := b.run(t, t.Context(), input)
		if err != nil || progress.Skipped != 2 || progress.Written != 2 || len(b.server.docs) != 3 {
			t.Errorf("%s: from %+v: %+v, %v, %d documents", name, saved, progress, err, len(b.server.docs))
		}
	}
}

// Numbers are ids as they are written. If only some records have an id, the others get one.
func TestIDsOfRecords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.IDField = "n"
	if progress, err := b.run(t, t.Context(), "{\"n\":0}\n{\"n\":9.50}\n{\"n\":-1}\n{\"n\":\"x\"}\n"); err != nil || progress.Generated {
		t.Errorf("%+v, %v", progress, err)
	}
	if diff := cmp.Diff([]string{"-1", "0", "9.50", "x"}, slices.Sorted(maps.Keys(b.server.docs))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.config.IDField = ""
	if progress, err := b.run(t, t.Context(), "{\"n\":1}\n{\"_id\":\"1\"}\n"); err != nil || !progress.Generated {
		t.Errorf("%+v, %v", progress, err)
	}
}

// A file imported by an earlier version is imported again by this one: its documents must not be there twice.
func TestGeneratedIDsStay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if progress, err := b.run(t, t.Context(), "{\"n\":1}\n{\"n\":1}\n"); err != nil || !progress.Generated {
		t.Fatalf("%+v, %v", progress, err)
	}
	if diff := cmp.Diff([]string{"2r1n3nt7n4tov9m89kuo7abl", "ou3lsicdls9rk538v8ldfgvg"}, slices.Sorted(maps.Keys(b.server.docs))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A mapping added to an index between two imports of a CSV file changes how cells are written, but not the ids of records.
func TestGeneratedIDsOfCSVDoNotDependOnMappings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.Parallel = 1
	b.config.SaveCheckpoint = func(c importer.Checkpoint) error { b.config.Resume = c; return nil }
	run := func(rows string, columns map[string]records.Column) (importer.Progress, error) {
		in, err := records.NewReader(strings.NewReader("name,n\n"+rows), records.Options{Format: records.CSV})
		if err != nil {
			t.Fatal(err)
		}
		in.Type(columns)
		return importer.Run(t.Context(), in, b.config)
	}
	if _, err := run("a,1\nb,2\n\"", nil); !errors.Is(err, importer.ErrStopped) {
		t.Fatal(err)
	}
	ids := slices.Sorted(maps.Keys(b.server.docs))
	numbers := map[string]records.Column{"n": records.NumberColumn}
	if progress, err := run("a,1\nb,2\n", numbers); err != nil || progress.Skipped != 2 {
		t.Errorf("resumed with a mapping: %+v, %v", progress, err)
	}
	b.config.Resume = importer.Checkpoint{}
	if _, err := run("a,1\nb,2\n", numbers); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ids, slices.Sorted(maps.Keys(b.server.docs))); diff != "" || len(ids) != 2 {
		t.Errorf("imported again with a mapping (-want +got):\n%s", diff)
	}
	if got := b.server.docs[ids[0]]; !strings.Contains(got, `"n":1`) && !strings.Contains(got, `"n":2`) {
		t.Errorf("not as it is mapped: %s", got)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.config.Parallel = 1
	var saved importer.Checkpoint
	b.config.SaveCheckpoint = func(c importer.Checkpoint) error { saved = c; return nil }
	b.config.OnProgress = func(p importer.Progress) {
		if p.Written == 30 {
			cancel()
		}
	}
	_, err := b.run(t, ctx, lines(1000))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if saved.Records < 30 || saved.Records > 40 {
		t.Errorf("checkpoint %+v", saved)
	}
}

func TestCheckpointOfAnotherImport(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "checkpoint")
	if got, err := importer.LoadCheckpoint(file, "a"); err != nil || got != (importer.Checkpoint{}) {
		t.Errorf("no file: %+v, %v", got, err)
	}
	want := importer.Checkpoint{Records: 3, Line: 4, Hash: "abc"}
	if err := importer.SaveCheckpoint(file, "a", want); err != nil {
		t.Fatal(err)
	}
	if got, err := importer.LoadCheckpoint(file, "a"); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := importer.LoadCheckpoint(file, "b"); err == nil {
		t.Error("took the checkpoint of another import")
	}
	if err := importer.RemoveCheckpoint(file); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the checkpoint is still there: %v", err)
	}
}

// A file that was named by mistake, as the one that is imported, is not replaced by a checkpoint.
func TestWhatIsNoCheckpoint(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "films.ndjson")
	for text, none := range map[string]bool{"": true, "{\"_id\":\"1\"}\n": false, "[]": false, "title,year\n": false} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := importer.LoadCheckpoint(file, "a"); (err == nil) != none || got != (importer.Checkpoint{}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if err := importer.RemoveCheckpoint(file); (err == nil) != none {
			t.Errorf("removing %q: %v", text, err)
		}
		if got, err := os.ReadFile(file); !none && (err != nil || string(got) != text) {
			t.Errorf("of %q is left %q, %v", text, got, err)
		}
	}
	if err := importer.RemoveCheckpoint(filepath.Dir(file)); err == nil {
		t.Error("took a folder for a checkpoint")
	}
	device := filepath.Join(filepath.Dir(file), "null")
	if err := os.Symlink(os.DevNull, device); err != nil {
		t.Fatal(err)
	}
	if err := importer.RemoveCheckpoint(device); err == nil {
		t.Error("took a device for a checkpoint")
	}
	if _, err := os.Lstat(device); err != nil {
		t.Error("removed a device")
	}
}

// The error of an import is what stopped it, and what came before is written.
func TestWhatStopsAnImport(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for name, test := range map[string]struct {
		input   string
		prepare func(b *bundle)
		want    string
		written int64
	}{
		"a checkpoint": {lines(500), func(b *bundle) {
			b.config.Parallel, b.config.SaveCheckpoint = 1, func(importer.Checkpoint) error { return full }
		}, "writing the checkpoint: the disk is full", 10},
		"the index": {lines(50), func(b *bundle) { b.config.Begin = func(context.Context) error { return full } }, "the disk is full", 0},
		"another server": {lines(50), func(b *bundle) {
			b.config.Patience, b.server.before = 0, func(_ int, w http.ResponseWriter) bool {
				_, err := w.Write([]byte("<!doctype html><title>Welcome</title>"))
				return err == nil
			}
		}, "the server that answered 200 OK is not Rowan", 0},
		"the input": {`[{"_id":"1"},{"_id":"2"}`, func(*bundle) {}, "reading the input: line 1: the input ends inside the array", 2},
	} {
		b := setup(t)
		test.prepare(b)
		progress, err := b.run(t, t.Context(), test.input)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
		// Another batch may be under way.
		if n := progress.Written; n < test.written || n > test.written+20 || int(n) != len(b.server.docs) {
			t.Errorf("%s: %d are written, %d are there", name, n, len(b.server.docs))
		}
	}
}

// A first batch that does not fit the mappings of the index to create stops the import before that, unless bad records are passed over.
func TestTheFirstBatchIsHeldAgainstTheMappings(t *testing.T) {
	t.Parallel()
	for _, keepGoing := range []bool{false, true} {
		for name, input := range map[string]string{"fits": lines(15), "does not fit": lines(15, 3), "a later one does not": lines(15, 12)} {
			b := setup(t)
			begun := 0
			b.config.KeepGoing, b.config.Begin = keepGoing, func(context.Context) error { begun++; return nil }
			b.config.Schema = document.NewSchema([]mapping.Mapping{{Name: "price", Type: mapping.Price}})
			_, err := b.run(t, t.Context(), input)
			refused := !keepGoing && name == "does not fit"
			if want := map[bool]int{false: 1}[refused]; begun != want || errors.Is(err, importer.ErrStopped) != (!keepGoing && name != "fits") {
				t.Errorf("%s, on error continue %t: begun %d times, %v", name, keepGoing, begun, err)
			}
			if refused && (b.server.batches > 0 || len(b.bad) != 1 || !strings.HasPrefix(b.bad[0], "line 3: price: must be a number")) {
				t.Errorf("%d batches were sent; %q", b.server.batches, b.bad)
			}
		}
	}
}

// An index is created for input with good records, or without records: only bad records leave no empty index behind.
func TestWhatIndicesAreMadeOf(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]int{"[]": 1, lines(25): 1, "[null]": 0, "[null,{\"_id\":\"1\"}]": 1} {
		b := setup(t)
		begun := 0
		b.config.KeepGoing, b.config.Begin = true, func(context.Context) error { begun++; return nil }
		if _, err := b.run(t, t.Context(), input); err != nil || begun != want {
			t.Errorf("%.30s: begun %d times, want %d; %v", input, begun, want, err)
		}
	}
}
