package store_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/rowansearch/rowan/service/document"
)

// A document that is already stored in the same form is not written: its row stays, no log has it, and the answer is the same as for one that was
// written. Every digit counts: 1.0 is not 1.00.
func TestUnchangedDocumentsAreNotWritten(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(6)
	s.create(t, "things", "title sentence", "price price")
	var documents []string
	for i := range 60 {
		documents = append(documents, fmt.Sprint(i), `{"title":"a river","n":1.0,"in":{"b":1,"a":[null,"x"]}}`)
	}
	s.put(t, "things", documents...)
	s.buildPostings(t)
	versions := func() map[string]string {
		t.Helper()
		list := map[string]string{}
		rows, err := s.db.Pool.Query(t.Context(), "SELECT _id, xmin::text || _updated_at FROM app_demo.things WHERE _id IN ('0', '1', '2', '3')")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id, version string
			if err := rows.Scan(&id, &version); err != nil {
				t.Fatal(err)
			}
			list[id] = version
		}
		return list
	}
	before := versions()

	// The same, written differently; one with a different digit; one more.
	const same = `{"in": {"a":[null,"x"], "b":1}, "n":1.0, "title":"a river"}`
	results := s.batch(t, "things", []map[string]any{
		{"action": "upsert", "_id": "0", "body": json.RawMessage(same)},
		{"action": "upsert", "_id": "1", "body": json.RawMessage(`{"title":"a river","n":1.00,"in":{"b":1,"a":[null,"x"]}}`)},
		{"action": "upsert", "_id": "new", "body": json.RawMessage(same)},
		{"action": "patch", "_id": "2", "body": json.RawMessage(`{"n":1.0}`)},
	})
	for i, want := range []document.Result{document.ResultUpdated, document.ResultUpdated, document.ResultCreated, document.ResultNoop} {
		if got := results[i].Result; got != want {
			t.Errorf("the result of action %d is %s, want %s", i, got, want)
		}
	}
	alone, err := s.svc.UpsertDocument(t.Context(), "demo", "things", "3", []byte(same))
	if want := `{"n": 1.0, "in": {"a": [null, "x"], "b": 1}, "title": "a river"}`; err != nil || string(alone.Body) != want {
		t.Errorf("one that is stored alone is %s, %v", alone.Body, err)
	}
	after := versions()
	if after["1"] == before["1"] {
		t.Error("a document of which a digit has changed is not written")
	}
	after["1"] = before["1"]
	if !maps.Equal(before, after) {
		t.Errorf("documents that have not changed are written: %v, then %v", before, after)
	}
	if logged, err := s.Touched(t.Context(), s.current(t, "things")); logged != 2 || err != nil {
		t.Errorf("%d documents are in the log of postings, want 2; %v", logged, err)
	}
}
