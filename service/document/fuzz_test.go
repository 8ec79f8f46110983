package document_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/document"
)

// wellFormed reports whether encoding/json accepts body, and body is valid UTF-8.
func wellFormed(body []byte) bool { return utf8.Valid(body) && json.Valid(body) }

func shallow(body []byte) bool {
	return bytes.Count(body, []byte("["))+bytes.Count(body, []byte("{")) < 10_000
}

func decode(t *testing.T, raw []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%q does not decode: %v", raw, err)
	}
	return v
}

func checkProblems(t *testing.T, problems []document.Problem) {
	t.Helper()
	if len(problems) > document.MaxProblems {
		t.Errorf("%d problems", len(problems))
	}
	for _, p := range problems {
		if _, err := json.Marshal(p); err != nil || p.Location == "" || p.Message == "" || !utf8.ValidString(p.Location) {
			t.Errorf("problem %#v: %v", p, err)
		}
	}
}

// Bodies are refused exactly if encoding/json refuses them, and accepted ones keep every value.
func FuzzScan(f *testing.F) {
	schema := schemaOf("n int", "price price", "when date", "ok bool", "a.b.c keyword", "x float", "l long")
	f.Add([]byte(`{"_id":"1","a":{"b":[{"c":"d"}]},"n":[1,"2"],"price":"0.10","when":"2024-05-01","boost":2}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		got, err := document.Scan(body, schema)
		if !bytes.Equal(before, body) {
			t.Fatal("the body was changed")
		}
		if shallow(body) && (err == nil) != wellFormed(body) {
			t.Fatalf("%q: error %v", body, err)
		}
		checkProblems(t, got.Problems)
		if err != nil || len(got.Problems) > 0 {
			return
		}
		want := decode(t, body).(map[string]any)
		if id, there := want["_id"]; there != (got.ID != nil) || there && id != *got.ID {
			t.Errorf("%q: _id %v", body, got.ID)
		}
		for _, name := range []string{"_id", "_score", "_highlight", "_explanation", "autocomplete"} {
			delete(want, name)
		}
		if kept := decode(t, got.Body); !reflect.DeepEqual(kept, any(want)) {
			t.Errorf("%q became %q", body, got.Body)
		}
		again, err := document.Scan(got.Body, schema)
		if err != nil || len(again.Problems) > 0 || !bytes.Equal(again.Body, got.Body) {
			t.Errorf("%q: scanned again: %q %v %v", got.Body, again.Body, err, again.Problems)
		}
		if same, changed := document.Patch(got.Body, got.Body); changed || !bytes.Equal(same, got.Body) {
			t.Errorf("%q patched with itself: %q", got.Body, same)
		}
	})
}

// A batch is accepted only if each of its documents is.
func FuzzScanBatch(f *testing.F) {
	schema := schemaOf("n int", "a.b keyword")
	f.Add([]byte(`[{"action":"upsert","_id":"1","body":{"n":1}},{"action":"delete","_id":"1"},{"action":"create","body":{}}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := document.ScanBatch(body, schema)
		if _, _, readErr := document.ScanIDs(body); (readErr == nil) != (err == nil) {
			t.Errorf("%q: %v as a write, %v as a read", body, err, readErr)
		}
		if shallow(body) && (err == nil) != wellFormed(body) {
			t.Fatalf("%q: error %v", body, err)
		}
		checkProblems(t, got.Problems)
		if err != nil || len(got.Problems) > 0 {
			return
		}
		if n := len(decode(t, body).([]any)); n != len(got.Actions) {
			t.Errorf("%q: %d actions of %d", body, len(got.Actions), n)
		}
		for i, a := range got.Actions {
			if a.Index != i || document.CheckID(a.ID) != nil || (a.Body == nil) != (a.Kind == document.ActionDelete) {
				t.Errorf("%q: action %#v", body, a)
			}
			if a.Body == nil {
				continue
			}
			if again, err := document.Scan(a.Body, schema); err != nil || len(again.Problems) > 0 {
				t.Errorf("%q: body %q: %v %v", body, a.Body, err, again.Problems)
			}
		}
		document.Fold(got.Actions, func(string) (json.RawMessage, bool) { return json.RawMessage(`{"n":1}`), true })
	})
}
