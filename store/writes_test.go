package store_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// Batches on the same documents in opposite order all succeed, each of them completely.
func TestBatchesInOppositeOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	servers := []*site{s, join(t, s.db)}
	s.create(t, "docs", "n int")
	var wait sync.WaitGroup
	const goroutines, rounds, documents = 8, 10, 30
	for g := range goroutines {
		wait.Go(func() {
			for round := range rounds {
				order := rand.Perm(documents)
				var actions []map[string]any
				for _, id := range order {
					action := []string{"upsert", "patch", "upsert", "update"}[(g+round)%4]
					actions = append(actions, map[string]any{"action": action, "_id": fmt.Sprint(id), "body": map[string]any{"n": g*100 + round}})
				}
				if g == 0 && round%3 == 1 {
					actions = append(actions[:documents/2], map[string]any{"action": "delete", "_id": fmt.Sprint(order[0])})
				}
				body, err := json.Marshal(actions)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := servers[g%2].svc.WriteBatch(t.Context(), "demo", "docs", body); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	s.batch(t, "docs", func() (actions []map[string]any) {
		for id := range documents {
			actions = append(actions, map[string]any{"action": "patch", "_id": fmt.Sprint(id), "body": map[string]any{"n": -1}})
		}
		return actions
	}())
	if got := s.search(t, "docs", filtered("n = -1")).Total; got != documents {
		t.Errorf("%d documents", got)
	}
}

// Single documents that several servers store, replace and delete concurrently, while the table is exchanged, are as the last write of each left
// them.
func TestConcurrentDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	servers := []*site{s, join(t, s.db)}
	s.create(t, "docs", "title name")
	var wait sync.WaitGroup
	const goroutines, rounds, documents = 6, 20, 3
	for g := range goroutines {
		wait.Go(func() {
			svc := servers[g%2].svc
			for round := range rounds {
				id := fmt.Sprint((g + round) % documents)
				if (g+round)%4 == 0 {
					if err := svc.DeleteDocument(t.Context(), "demo", "docs", id); err != nil && service.ErrorCode(err) != service.CodeDocumentNotFound {
						t.Error(err)
					}
					continue
				}
				body := fmt.Sprintf(`{"title":"before, of %d in %d","n":%d}`, g, round, round)
				doc, err := svc.UpsertDocument(t.Context(), "demo", "docs", id, []byte(body))
				if err != nil || !sameJSON(t, doc.Body, []byte(body)) {
					t.Errorf("%s: %v", doc.Body, err)
				}
			}
		})
	}
	for _, m := range []mapping.Mapping{{Name: "n", Type: mapping.Int}, {Name: "n", Type: mapping.Long}} {
		if _, err := s.svc.UpdateIndex(t.Context(), "demo", "docs", []mapping.Mapping{m}, true); err != nil {
			t.Error(err)
		}
	}
	wait.Wait()
	for id := range documents {
		if _, err := servers[id%2].svc.UpsertDocument(t.Context(), "demo", "docs", fmt.Sprint(id), []byte(`{"title":"last","n":-1}`)); err != nil {
			t.Error(err)
		}
	}
	for _, server := range servers {
		if got := server.found(t, "docs", forWords("last "), filtered("n = -1"), sortedBy("_id")); got != "0 1 2" {
			t.Errorf("found %q", got)
		}
		if got := server.found(t, "docs", forWords("before ")); got != "" {
			t.Errorf("found of what was replaced: %q", got)
		}
	}
}

// Batches that store and delete the same documents in different orders all succeed.
func TestConcurrentStoresAndDeletions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	servers := []*site{s, join(t, s.db)}
	s.create(t, "docs", "title name")
	var wait sync.WaitGroup
	const goroutines, rounds, documents = 6, 6, 40
	for g := range goroutines {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(g)))
			for range rounds {
				var actions []string
				for _, id := range random.Perm(documents) {
					if random.IntN(2) == 0 {
						actions = append(actions, fmt.Sprintf(`{"action":"delete","_id":"%d"}`, id))
					} else {
						actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"%d","body":{"title":"of %d"}}`, id, g))
					}
				}
				if _, err := servers[g%2].svc.WriteBatch(t.Context(), "demo", "docs", []byte("["+strings.Join(actions, ",")+"]")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// Concurrent patches of different properties of one document are all kept.
func TestConcurrentPatches(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs")
	var wait sync.WaitGroup
	const goroutines, rounds = 6, 8
	for g := range goroutines {
		wait.Go(func() {
			for round := range rounds {
				// The first of them creates the document.
				body := fmt.Appendf(nil, `[{"action":"patch","_id":"x","body":{"p%d_%d":true}}]`, g, round)
				if _, err := s.svc.WriteBatch(t.Context(), "demo", "docs", body); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	doc, err := s.svc.GetDocument(t.Context(), "demo", "docs", "x")
	if err != nil {
		t.Fatal(err)
	}
	var properties map[string]bool
	if err := json.Unmarshal(doc.Body, &properties); err != nil {
		t.Fatal(err)
	}
	if len(properties) != goroutines*rounds {
		t.Errorf("%d of %d patches are there", len(properties), goroutines*rounds)
	}
}

// Once a write is acknowledged, every search of every server sees it.
func TestReadAfterWrite(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := join(t, s.db)
	s.create(t, "docs", "title name", "n int")
	var wait sync.WaitGroup
	for g, from := range []*site{s, other} {
		to := []*site{other, s}[g]
		wait.Go(func() {
			for i := range 15 {
				id := fmt.Sprintf("g%d", g)
				if _, err := from.svc.UpsertDocument(t.Context(), "demo", "docs", id, fmt.Appendf(nil, `{"title":"unique%dx%d","n":%d}`, g, i, i)); err != nil {
					t.Error(err)
					return
				}
				resp, err := to.svc.Search(t.Context(), demo, "docs", ask(forWords(fmt.Sprintf("unique%dx%d ", g, i)), filtered(fmt.Sprint("n = ", i))))
				if err != nil {
					t.Error(err)
					return
				}
				if resp.Total != 1 || resp.IDs[0] != id {
					t.Errorf("%s, write %d: found %q", id, i, resp.IDs)
				}
			}
		})
	}
	wait.Wait()
}

func TestBatchOutcomes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "n int")
	s.put(t, "docs", "old", `{"n":1,"kept":true}`, "same", `{"n":1}`, "doomed", `{}`)
	body := `[
		{"action":"UPSERT","_id":"new","body":{"n":1}},
		{"action":"patch","_id":"new","body":{"n":2}},
		{"action":"delete","_id":"new"},
		{"action":"delete","_id":"new"},
		{"action":"patch","_id":"new","body":{"n":3}},
		{"action":"update","_id":"old","body":{"n":2}},
		{"action":"patch","_id":"same","body":{"n":1.0}},
		{"action":"delete","_id":"doomed"},
		{"action":"delete","_id":"never"},
		{"action":"create","body":{"n":9}},
		{"action":"update","body":{"n":9}},
		{"action":"upsert","body":{"n":9}}]`
	results, err := s.svc.WriteBatch(t.Context(), "demo", "docs", []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, r := range results {
		if i >= 9 {
			if _, err := s.svc.GetDocument(t.Context(), "demo", "docs", r.ID); err != nil {
				t.Error(err)
			}
			r.ID = "generated"
		}
		got = append(got, r.ID+" "+string(r.Result))
	}
	want := []string{
		"new created", "new updated", "new deleted", "new not_found", "new created", "old updated", "same noop", "doomed deleted", "never not_found",
		"generated created", "generated created", "generated created",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	doc, err := s.svc.GetDocument(t.Context(), "demo", "docs", "old")
	if err != nil || !sameJSON(t, doc.Body, []byte(`{"n":2,"kept":true}`)) {
		t.Errorf("%s, %v", doc.Body, err)
	}
	// If one action is invalid, nothing is applied.
	_, err = s.svc.WriteBatch(t.Context(), "demo", "docs", []byte(`[{"action":"upsert","_id":"a","body":{"n":1}},{"action":"upsert","_id":"b","body":{"n":"x"}}]`))
	if service.ErrorCode(err) != service.CodeInvalidDocument || s.found(t, "docs", filtered("_id IN [a, b]")) != "" {
		t.Errorf("error %v", err)
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	read := func(text []byte) any {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	return reflect.DeepEqual(read(a), read(b)) // cmp.Equal takes forever on deep nesting
}

func TestOddIDs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	ids := []string{"a/b", "ü", "日本語", "😀", `quo"te`, `back\slash`, "it's", " space ", "%2F", "a,b", "{x}", "NULL", "null", "-1", strings.Repeat("x", 512), "$1", "é", "e\u0301", "\u202e", "A", "a"}
	var documents []string
	for i, id := range ids {
		documents = append(documents, id, fmt.Sprintf(`{"n":%d}`, i))
	}
	s.put(t, "docs", documents...)
	for i, id := range ids {
		doc, err := s.svc.GetDocument(t.Context(), "demo", "docs", id)
		if err != nil || doc.ID != id || string(doc.Body) != fmt.Sprintf(`{"n": %d}`, i) {
			t.Errorf("%q: %q %s, %v", id, doc.ID, doc.Body, err)
		}
		condition, err := json.Marshal(map[string]string{"_id": id})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.found(t, "docs", func(r *service.SearchRequest) { r.Filter.Raw = condition }); got != id {
			t.Errorf("%q finds %q", id, got)
		}
	}
	// Sorted by bytes.
	sorted := s.search(t, "docs", sortedBy("_id")).IDs
	for i := 1; i < len(sorted); i++ {
		if sorted[i-1] >= sorted[i] {
			t.Errorf("%q comes before %q", sorted[i-1], sorted[i])
		}
	}
	if len(sorted) != len(ids) {
		t.Errorf("%d documents of %d", len(sorted), len(ids))
	}
}

// A document is returned as it was sent.
func TestExactJSON(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "price price", "f float")
	deep := strings.Repeat(`{"a":[`, 90) + `null` + strings.Repeat(`]}`, 90)
	for _, body := range []string{
		`{}`, `{"n":12345678901234567890}`, `{"n":0.10}`, `{"n":-0.000000000000000000001}`, `{"n":123456789012345678901234567890.123456789012345678901234567890}`,
		`{"price":0.10,"f":0.1}`, `{"price":"0.10","f":"1"}`, `{"n":null,"a":[null,[],{},""],"s":"\"\\\/\b\f\n\r\t"}`, `{"s":"äöü 日本語 😀 \u202e \uffff"}`, `{"":"empty name","a.b":1,"a":{"b":2}}`,
		`{"deep":` + deep + `}`, `{"boost":2.50,"x":true}`, `{"boost":null}`,
	} {
		stored, err := s.svc.UpsertDocument(t.Context(), "demo", "docs", "x", []byte(body))
		if err != nil {
			t.Errorf("%.80s: %v", body, err)
			continue
		}
		read, err := s.svc.GetDocument(t.Context(), "demo", "docs", "x")
		if err != nil {
			t.Fatal(err)
		}
		found := s.search(t, "docs").Hits[0].Body
		for where, got := range map[string]json.RawMessage{"stored": stored.Body, "read": read.Body, "found": found} {
			if !sameJSON(t, []byte(body), got) {
				t.Errorf("%s %.200s, not %.80s", where, got, body)
			}
		}
	}
	// An exponent is another notation of the same number.
	doc, err := s.svc.UpsertDocument(t.Context(), "demo", "docs", "x", []byte(`{"n":1.5e3}`))
	if err != nil || string(doc.Body) != `{"n": 1500}` {
		t.Errorf("%s, %v", doc.Body, err)
	}
}

// What PostgreSQL cannot index is stored completely, and found by the rest.
func TestHugeTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name", "plot long_text", "page html", "code keyword", "exact case_sensitive_keyword", "tags tags", "path path", "genre category", "ident identifier", "mail email", "words sentence")
	var words strings.Builder
	for i := 0; words.Len() < 3<<19; i++ {
		fmt.Fprintf(&words, "word%d ", i)
	}
	long := strings.Repeat("x", 5<<10)
	key := strings.Repeat("key ", 1<<10)
	fields := map[string]any{"plot": "first " + words.String(), "page": "<p>first " + words.String() + "</p>", "title": "first " + long + " last", "words": "first " + long + " last",
		"code": key + "end", "exact": key, "tags": []string{key, "red", long}, "path": "/a/" + long + "/b", "genre": "A > " + key + " > B", "ident": "AB-" + long, "mail": long + "@example.org", "free": "unmapped " + words.String()}
	for name, value := range fields {
		body, err := json.Marshal(map[string]any{name: value})
		if err != nil {
			t.Fatal(err)
		}
		stored, err := s.svc.UpsertDocument(t.Context(), "demo", "docs", name, body)
		if err != nil {
			t.Errorf("%s: %.300v", name, err)
			continue
		}
		if !sameJSON(t, body, stored.Body) {
			t.Errorf("%s has changed", name)
		}
	}
	for query, want := range map[string]string{"first ": "page plot title words", "last ": "title words", "red": "tags", "unmapped ": "free", "example.org": "mail", "word17 ": "free page plot"} {
		if got := s.found(t, "docs", forWords(query), sortedBy("_id")); got != want {
			t.Errorf("%q finds %q, not %q", query, got, want)
		}
	}
	for condition, want := range map[string]string{`code = "` + key + `end"`: "code", `code = "` + key + `other"`: "", `exact = "` + key + `"`: "exact", `tags = red`: "tags", `genre = A`: "genre", `path = "/a"`: "path"} {
		if got := s.found(t, "docs", filtered(condition)); got != want {
			t.Errorf("%.20s… finds %q, not %q", condition, got, want)
		}
	}
	s.update(t, "docs", true, "plot text", "free sentence")
	if got := s.found(t, "docs", forWords("word17 "), sortedBy("_id")); got != "free page plot" {
		t.Errorf("after a rebuild word17 finds %q", got)
	}
}

func TestLargestBatch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "n int")
	batch := func(n int) []byte {
		b := []byte{'['}
		for i := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, `{"action":"upsert","_id":"%d","body":{"n":%d}}`, i, i)
		}
		return append(b, ']')
	}
	results, err := s.svc.WriteBatch(t.Context(), "demo", "docs", batch(10000))
	if err != nil || len(results) != 10000 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	if got := s.search(t, "docs", filtered("n >= 0")).Total; got != 10000 {
		t.Errorf("%d documents", got)
	}
	if _, err := s.svc.WriteBatch(t.Context(), "demo", "docs", batch(10001)); service.ErrorCode(err) != service.CodeTooLarge {
		t.Errorf("10,001 actions: %v", err)
	}
	if results, err := s.svc.WriteBatch(t.Context(), "demo", "docs", []byte(`[]`)); err != nil || results == nil || len(results) != 0 {
		t.Errorf("no actions: %v, %v", results, err)
	}
}

// If somebody creates a document between reading the existing ones and the write, the write is decided again.
func TestDocumentAppearsInBetween(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	ix := s.current(t, "docs")
	var seen []bool
	_, err := s.Store.Write(t.Context(), service.Write{Index: ix, IDs: []string{"a", "b"}, Decide: func(current map[string]json.RawMessage) ([]service.Change, error) {
		_, there := current["a"]
		if seen = append(seen, there); !there {
			s.exec(t, `INSERT INTO app_demo.docs (_id, _body) VALUES ('a', '{"title":"Theirs"}')`)
		}
		return []service.Change{{ID: "a", Body: []byte(`{"title":"Ours"}`)}, {ID: "b", Body: []byte(`{"title":"Ours"}`)}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]bool{false, true}, seen); diff != "" {
		t.Errorf("whether it was there (-want +got):\n%s", diff)
	}
	if got := s.found(t, "docs", forWords("ours "), sortedBy("_id")); got != "a b" {
		t.Errorf("written: %q", got)
	}
}

// A write whose connection ends before its commit is repeated.
func TestConnectionEndsInAWrite(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name")
	ix := s.current(t, "docs")
	tries := 0
	_, err := s.Store.Write(t.Context(), service.Write{Index: ix, IDs: []string{"a"}, Decide: func(map[string]json.RawMessage) ([]service.Change, error) {
		if tries++; tries == 1 {
			s.exec(t, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`)
		}
		return []service.Change{{ID: "a", Body: []byte(`{"title":"Ours"}`)}}, nil
	}})
	if err != nil || tries != 2 {
		t.Errorf("after %d: %v", tries, err)
	}
	if got := s.found(t, "docs"); got != "a" {
		t.Errorf("written: %q", got)
	}
}

// A document whose number somebody else has taken by the time it is stored gets another one: it was read, and deleted in the meantime.
func TestANumberThatIsTakenMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title name")
	s.put(t, "goods", "a", `{"title":"Kettle"}`)
	tx, err := s.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"DELETE FROM app_demo.goods", `INSERT INTO app_demo.goods (_id, _seq, _body) VALUES ('b', 1, '{"title":"Teapot"}')`} {
		if _, err := tx.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	stored := make(chan error, 1)
	go func() {
		_, err := s.svc.UpsertDocument(t.Context(), "demo", "goods", "a", []byte(`{"title":"Kettle again"}`))
		stored <- err
	}()
	eventually(t, "the write has seen the document", func() (waits bool) {
		err := s.db.Pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		return err == nil && waits
	})
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "goods", forWords("kettle OR teapot "), sortedBy("_id")); got != "a b" {
		t.Errorf("found %q", got)
	}
}

// The columns of a document are computed once, whether it is new or changed, and not at all if it is already stored in the same form.
func TestColumnsAreComputedOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title sentence")
	s.exec(t, "CREATE SEQUENCE public.computed")
	s.exec(t, "GRANT ALL ON SEQUENCE public.computed TO PUBLIC")
	s.exec(t, `CREATE OR REPLACE FUNCTION rowan.boost(body jsonb) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS $$
		BEGIN PERFORM nextval('public.computed'); RETURN 1; END $$`)
	computed := func() (n int) {
		if err := s.db.Pool.QueryRow(t.Context(), "SELECT nextval('public.computed')").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := computed()
	upsert := func(id, body string) {
		if _, err := s.svc.UpsertDocument(t.Context(), "demo", "goods", id, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	for way, put := range map[string]func(id, body string){"alone": upsert, "in a batch": func(id, body string) { s.put(t, "goods", id, body) }} {
		for _, step := range []struct {
			what, title string
			want        int
		}{{"new", "Kettle", 1}, {"changed", "Teapot", 1}, {"the same", "Teapot", 0}, {"changed again", "Cup", 1}} {
			put(way, `{"title":"`+step.title+`"}`)
			now := computed()
			if got := now - before - 1; got != step.want {
				t.Errorf("%s, %s: computed %d times, want %d", way, step.what, got, step.want)
			}
			before = now
		}
	}
}
