package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/document"
)

func TestScanBatch(t *testing.T) {
	t.Parallel()
	got, err := document.ScanBatch([]byte(`[
		{"action":"Create","body":{"a":1}},
		{"body":{"a":2,"_id":"x"},"_id":"x","action":"UPSERT"},
		{"action":"upsert","body":{}},
		{"action":"upsert","body":{"_id":"y"}},
		{"action":"update","body":{"a":3}},
		{"action":"Update","_id":"z","body":{"a":null}},
		{"action":"patch","_id":"z","body":{"_id":"z","_score":1}},
		{"action":"patch","body":{"_id":"w"}},
		{"action":"patch","action":"\u0064elete","_id":"\u0078"},
		{"_id":"v","body":null,"action":"delete"},
		{"_id":null,"body":{"a":4},"action":"create"}
	]`), nil)
	if err != nil || len(got.Problems) > 0 {
		t.Fatal(err, got.Problems)
	}
	made := map[string]bool{}
	for i := range got.Actions {
		a := &got.Actions[i]
		if a.Kind == document.ActionCreate {
			if document.CheckID(a.ID) != nil || made[a.ID] {
				t.Errorf("action %d: _id %q", i, a.ID)
			}
			made[a.ID] = true
			a.ID = "new"
		}
	}
	want := []document.Action{
		{Kind: document.ActionCreate, ID: "new", Body: []byte(`{"a":1}`), Index: 0},
		{Kind: document.ActionUpsert, ID: "x", Body: []byte(`{"a":2}`), Index: 1},
		{Kind: document.ActionCreate, ID: "new", Body: []byte(`{}`), Index: 2},
		{Kind: document.ActionUpsert, ID: "y", Body: []byte(`{}`), Index: 3},
		{Kind: document.ActionCreate, ID: "new", Body: []byte(`{"a":3}`), Index: 4},
		{Kind: document.ActionPatch, ID: "z", Body: []byte(`{"a":null}`), Index: 5},
		{Kind: document.ActionPatch, ID: "z", Body: []byte(`{}`), Index: 6},
		{Kind: document.ActionPatch, ID: "w", Body: []byte(`{}`), Index: 7},
		{Kind: document.ActionDelete, ID: "x", Index: 8},
		{Kind: document.ActionDelete, ID: "v", Index: 9},
		{Kind: document.ActionCreate, ID: "new", Body: []byte(`{"a":4}`), Index: 10},
	}
	if diff := cmp.Diff(want, got.Actions); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
}

func TestScanBatchProblems(t *testing.T) {
	t.Parallel()
	schema := schemaOf("price price", "n int")
	tests := []struct{ body, places, word string }{
		{`[]`, "", ""},
		{`null`, "body", "array"},
		{`{"action":"delete","_id":"x"}`, "body", "array"},
		{`[null,1,[]]`, "body[0] | body[1] | body[2]", "object"},
		{`[{}]`, "body[0].action", "missing"},
		{`[{"action":"index","_id":"x","body":{}}]`, "body[0].action", "create, upsert, update, patch or delete"},
		{`[{"action":null,"_id":"x","body":{}},{"action":1},{"action":"` + strings.Repeat("x", 1000) + `"}]`, "body[0].action | body[1].action | body[2].action", "must be one of"},
		{`[{"action":"create","_id":"x","body":{}}]`, "body[0]._id", "omitted"},
		{`[{"action":"create","body":{"_id":"x"}}]`, "body[0].body._id", "omitted"},
		{`[{"action":"create"}]`, "body[0].body", "missing"},
		{`[{"action":"upsert","_id":"x"}]`, "body[0].body", "missing"},
		{`[{"action":"upsert","_id":"x","body":null}]`, "body[0].body", "must be an object"},
		{`[{"action":"upsert","_id":"x","body":{"a":1},"body":[1]}]`, "body[0].body", "must be an object"},
		{`[{"action":"upsert","_id":null,"body":{}}]`, "body[0]._id", "string"},
		{`[{"action":"upsert","_id":7,"body":{}}]`, "body[0]._id", "string"},
		{`[{"action":"upsert","_id":"","body":{}}]`, "body[0]._id", "empty"},
		{`[{"action":"upsert","_id":"x","body":{"_id":"y"}}]`, "body[0].body._id", "equal"},
		{`[{"action":"update","_id":null,"body":{}},{"action":"delete","_id":null,"body":null}]`, "body[0]._id | body[1]._id", "string"},
		{`[{"action":"patch","body":{}}]`, "body[0]._id", "missing"},
		{`[{"action":"patch","_id":"x"}]`, "body[0].body", "missing"},
		{`[{"action":"delete"}]`, "body[0]._id", "missing"},
		{`[{"action":"delete","_id":"x","body":{}}]`, "body[0].body", "omitted"},
		{`[{"action":"delete","_id":"x","body":{"price":"y"}}]`, "body[0].body", "omitted"},
		{`[{"action":"delete","_id":"x","Body":1,"x y":2}]`, `body[0].Body | body[0]["x y"]`, "unknown"},
		{`[{"action":"upsert","_id":"x","body":{"a":1}},{"action":"upsert","_id":"y","body":{"price":"z","n":[1,1.5]}},{"action":"x","_id":"","body":{"_x":1}}]`,
			"body[1].body.price | body[1].body.n[1] | body[2].action | body[2]._id | body[2].body._x", "mapped as price"},
		{`[{"action":"upsert","_id":"x","body":{"_id":"y","_z":1,"boost":0}},{"action":"create","_id":"x","body":{"n":"z"}}]`,
			"body[0].body.boost | body[0].body._z | body[0].body._id | body[1].body.n | body[1]._id", "greater than 0"},
		{`[{"action":"upsert","_id":"x","body":{"_id":1}},{"action":"upsert","_id":1,"body":{"_id":"y","_z":1}}]`, "body[0].body._id | body[1]._id | body[1].body._z", "string"},
		{`[{"action":"patch","body":{"_z":1}},{"action":"delete","body":{"_id":"x"}}]`, "body[0].body._z | body[0]._id | body[1].body | body[1]._id", "underscore"},
		{`[{"action":"upsert","_id":"x","body":{"n":"z","n":1}}]`, "", ""},
		{`[{"action":"upsert","_id":"x","body":{"n":"z"},"body":{"n":1}}]`, "", ""},
		{`[{"action":"upsert","_id":"x","body":` + nested(200) + `}]`, "", ""},
		{`[{"action":"upsert","_id":"x","body":` + nested(201) + `}]`, "body[0].body.a" + strings.Repeat("[0]", 199), "200"},
	}
	for _, test := range tests {
		got, err := document.ScanBatch([]byte(test.body), schema)
		if err != nil {
			t.Errorf("%.60s: %v", test.body, err)
			continue
		}
		var want []string
		if test.places != "" {
			want = strings.Split(test.places, " | ")
		}
		if diff := cmp.Diff(want, places(got.Problems)); diff != "" {
			t.Errorf("%.60s: places (-want +got):\n%s", test.body, diff)
		} else if want != nil && !strings.Contains(got.Problems[0].Message, test.word) {
			t.Errorf("%.60s: message %q does not say %q", test.body, got.Problems[0].Message, test.word)
		} else if want != nil && got.Actions != nil {
			t.Errorf("%.60s: actions of a bad batch", test.body)
		}
	}
}

func TestBatchSyntaxErrorsHavePlacesInTheWhole(t *testing.T) {
	t.Parallel()
	const head = "[\n{\"action\":\"upsert\",\"body\":"
	_, err := document.ScanBatch([]byte(head+"{\"a\":tru}}]"), nil)
	var syntax *document.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset != len(head)+5 || syntax.Line != 2 {
		t.Errorf("error %v", err)
	}
	for _, body := range []string{``, `[`, `[{}`, `[{},]`, `[] 1`, `[{"action":}]`, `[{"x":tru}]`, `[1,tru]`, `tru`, `"x`, `null x`} {
		if _, err := document.ScanBatch([]byte(body), nil); !errors.As(err, &syntax) {
			t.Errorf("%s as a write: error %v", body, err)
		}
		if _, _, err := document.ScanIDs([]byte(body)); !errors.As(err, &syntax) {
			t.Errorf("%s as a read: error %v", body, err)
		}
	}
}

// Lines of JSON, as other services take them, are told what makes an array of them.
func TestBatchOfLines(t *testing.T) {
	t.Parallel()
	_, err := document.ScanBatch([]byte("{\"_id\":\"1\"}\n{\"_id\":\"2\"}\n"), document.NewSchema(nil))
	syntax, ok := errors.AsType[*document.SyntaxError](err)
	if !ok || syntax.Line != 2 || syntax.Column != 1 || syntax.Message != "lines of JSON go between [ and ], with commas; another value begins" {
		t.Errorf("%v", err)
	}
}

func TestBatchLimits(t *testing.T) {
	t.Parallel()
	array := func(element string, n int) []byte {
		return []byte("[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]")
	}
	const action = `{"action":"delete","_id":"x"}`
	var tooMany *document.TooManyActionsError
	if got, err := document.ScanBatch(array(action, 10_000), nil); err != nil || len(got.Actions) != 10_000 {
		t.Errorf("10,000 actions: %d, error %v", len(got.Actions), err)
	}
	if _, err := document.ScanBatch(array(action, 10_001), nil); !errors.As(err, &tooMany) || tooMany.Limit != 10_000 || !strings.Contains(err.Error(), "at most 10000 actions") {
		t.Errorf("10,001 actions: error %v", err)
	}
	if ids, _, err := document.ScanIDs(array(`{"_id":"x"}`, 10_000)); err != nil || len(ids) != 10_000 {
		t.Errorf("10,000 ids: %d, error %v", len(ids), err)
	}
	if _, _, err := document.ScanIDs(array(`{"_id":"x"}`, 10_001)); !errors.As(err, &tooMany) {
		t.Errorf("10,001 ids: error %v", err)
	}
	if got, err := document.ScanBatch(array(`{}`, 500), nil); err != nil || len(got.Problems) != document.MaxProblems {
		t.Errorf("%d problems, error %v", len(got.Problems), err)
	}
}

func TestScanIDs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body        string
		ids, places []string
	}{
		{`[]`, nil, nil},
		{`[{"_id":"b"},{"_id":"a\u002fc"}, {"_id":"b"}]`, []string{"b", "a/c", "b"}, nil},
		{`null`, nil, []string{"body"}},
		{`[null,"x",{},{"_id":1},{"_id":"."},{"_id":"ok","x":1}]`, nil, []string{"body[0]", "body[1]", "body[2]._id", "body[3]._id", "body[4]._id", "body[5].x"}},
	}
	for _, test := range tests {
		ids, problems, err := document.ScanIDs([]byte(test.body))
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
		}
		if diff := cmp.Diff([][]string{test.ids, test.places}, [][]string{ids, places(problems)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.body, diff)
		}
	}
}
