package document_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/document"
)

func TestFold(t *testing.T) {
	t.Parallel()
	const (
		create = document.ActionCreate
		upsert = document.ActionUpsert
		patch  = document.ActionPatch
		remove = document.ActionDelete
	)
	act := func(kind document.ActionKind, id, body string) document.Action {
		a := document.Action{Kind: kind, ID: id}
		if body != "" {
			a.Body = json.RawMessage(body)
		}
		return a
	}
	stored := map[string]string{"old": `{"a": 1}`, "z": `{}`}
	tests := map[string]struct {
		actions []document.Action
		results []document.Result
		changes []document.Change
		ids     []string
		bodies  bool
	}{
		"nothing": {nil, nil, nil, nil, false},
		"create":  {[]document.Action{act(create, "new", `{}`)}, []document.Result{"created"}, []document.Change{{ID: "new", Body: json.RawMessage(`{}`)}}, nil, false},
		"upserts, sorted": {
			[]document.Action{act(upsert, "z", `{"n":1}`), act(upsert, "b", `{"n":2}`), act(upsert, "old", `{"a": 1}`)},
			[]document.Result{"updated", "created", "updated"},
			[]document.Change{{ID: "b", Body: json.RawMessage(`{"n":2}`)}, {ID: "old", Body: json.RawMessage(`{"a": 1}`)}, {ID: "z", Body: json.RawMessage(`{"n":1}`)}},
			[]string{"b", "old", "z"}, false,
		},
		"patches": {
			[]document.Action{act(patch, "old", `{"a":1.0}`), act(patch, "z", `{"x":1}`), act(patch, "b", `{"a":null}`), act(patch, "z", `{"y":2}`)},
			[]document.Result{"noop", "updated", "created", "updated"},
			[]document.Change{{ID: "b", Body: json.RawMessage(`{"a":null}`)}, {ID: "z", Body: json.RawMessage(`{"x":1,"y":2}`)}},
			[]string{"b", "old", "z"}, true,
		},
		"empty patch": {[]document.Action{act(patch, "old", `{}`)}, []document.Result{"noop"}, nil, []string{"old"}, true},
		"deletes": {
			[]document.Action{act(remove, "old", ""), act(remove, "old", ""), act(remove, "b", "")},
			[]document.Result{"deleted", "not_found", "not_found"},
			[]document.Change{{ID: "old"}}, []string{"b", "old"}, false,
		},
		"created and deleted": {
			[]document.Action{act(upsert, "b", `{}`), act(patch, "b", `{"a":1}`), act(remove, "b", "")},
			[]document.Result{"created", "updated", "deleted"}, nil, []string{"b"}, false,
		},
		"deleted and created": {
			[]document.Action{act(remove, "old", ""), act(patch, "old", `{"b":2}`)},
			[]document.Result{"deleted", "created"},
			[]document.Change{{ID: "old", Body: json.RawMessage(`{"b":2}`)}}, []string{"old"}, false,
		},
		"patched, then deleted": {
			[]document.Action{act(patch, "old", `{"b":2}`), act(remove, "old", "")},
			[]document.Result{"updated", "deleted"}, []document.Change{{ID: "old"}}, []string{"old"}, true,
		},
	}
	for name, test := range tests {
		results, changes := document.Fold(test.actions, func(id string) (json.RawMessage, bool) {
			body, there := stored[id]
			return json.RawMessage(body), there
		})
		var got []document.Result
		for i, r := range results {
			if r.ID != test.actions[i].ID {
				t.Errorf("%s: outcome %d is of %q", name, i, r.ID)
			}
			got = append(got, r.Result)
		}
		if diff := cmp.Diff(test.results, got); diff != "" {
			t.Errorf("%s: results (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(test.changes, changes); diff != "" {
			t.Errorf("%s: changes (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(test.ids, document.IDs(test.actions)); diff != "" {
			t.Errorf("%s: ids (-want +got):\n%s", name, diff)
		}
		if got := document.NeedsBodies(test.actions); got != test.bodies {
			t.Errorf("%s: needs bodies: %t", name, got)
		}
	}
}

// A batch may patch one document ten thousand times, and the document may be as large as any: it must not be parsed for each patch.
func TestManyPatchesOfOneDocument(t *testing.T) {
	const members, patches = 2000, 200
	stored := map[string]int{}
	for i := range members {
		stored[fmt.Sprint("m", i)] = i
	}
	body, err := json.Marshal(stored)
	if err != nil {
		t.Fatal(err)
	}
	allocations := func(n int) float64 {
		var actions []document.Action
		for i := range n {
			// Patches of another document in between do not matter.
			actions = append(actions, document.Action{Kind: document.ActionPatch, ID: fmt.Sprint(i % 2), Body: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))})
		}
		return testing.AllocsPerRun(1, func() {
			if _, changes := document.Fold(actions, func(string) (json.RawMessage, bool) { return body, true }); len(changes) != 2 {
				t.Errorf("%d changes", len(changes))
			}
		})
	}
	// One allocation for the name of each member, and a few for each patch.
	if few, many := allocations(2), allocations(patches); many > 2*few {
		t.Errorf("two patches take %v allocations, %d take %v", few, patches, many)
	}
}

// store holds documents as maps, the simplest way to do it.
type store map[string]map[string]int

func (s store) apply(a document.Action) document.Result {
	body := map[string]int{}
	if a.Body != nil {
		if err := json.Unmarshal(a.Body, &body); err != nil {
			panic(err)
		}
	}
	old, there := s[a.ID]
	switch a.Kind {
	case document.ActionDelete:
		delete(s, a.ID)
		if there {
			return document.ResultDeleted
		}
		return document.ResultNotFound
	case document.ActionPatch:
		merged := maps.Clone(old)
		if merged == nil {
			merged = map[string]int{}
		}
		maps.Copy(merged, body)
		if there && maps.Equal(merged, old) {
			return document.ResultNoop
		}
		body = merged
	}
	s[a.ID] = body
	if there {
		return document.ResultUpdated
	}
	return document.ResultCreated
}

func TestFoldAgreesWithApplyingOneByOne(t *testing.T) {
	t.Parallel()
	body := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.IntRange(0, 2), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		before := store(rapid.MapOfN(rapid.SampledFrom([]string{"1", "2", "3", "4"}), body, 0, 4).Draw(t, "stored"))
		oracle := maps.Clone(before)
		var actions []document.Action
		var want []document.Result
		for i := range rapid.IntRange(0, 12).Draw(t, "actions") {
			a := document.Action{
				Kind:  rapid.SampledFrom([]document.ActionKind{document.ActionCreate, document.ActionUpsert, document.ActionPatch, document.ActionPatch, document.ActionDelete}).Draw(t, "kind"),
				ID:    rapid.SampledFrom([]string{"1", "2", "3", "4", "5"}).Draw(t, "_id"),
				Index: i,
			}
			if a.Kind == document.ActionCreate {
				a.ID = fmt.Sprint("new", i)
			}
			if a.Kind != document.ActionDelete {
				a.Body, _ = json.Marshal(body.Draw(t, "body"))
			}
			actions = append(actions, a)
			want = append(want, oracle.apply(a))
		}
		needed, known := document.NeedsBodies(actions), document.IDs(actions)
		outcomes, changes := document.Fold(actions, func(id string) (json.RawMessage, bool) {
			doc, there := before[id]
			if !slices.Contains(known, id) {
				t.Fatalf("%s is not among the ids", id)
			}
			if !there || !needed {
				return nil, there
			}
			raw, _ := json.Marshal(doc)
			return raw, true
		})
		for i, o := range outcomes {
			if o.ID != actions[i].ID || o.Result != want[i] {
				t.Fatalf("action %d: %v, want %v", i, o, want[i])
			}
		}
		after := maps.Clone(before)
		for i, c := range changes {
			if i > 0 && changes[i-1].ID >= c.ID {
				t.Fatalf("changes are not sorted: %v", changes)
			}
			if _, there := before[c.ID]; c.Body == nil && !there {
				t.Fatalf("%s is removed, and was not there", c.ID)
			}
			if c.Body == nil {
				delete(after, c.ID)
				continue
			}
			doc := map[string]int{}
			if err := json.Unmarshal(c.Body, &doc); err != nil {
				t.Fatal(err)
			}
			after[c.ID] = doc
		}
		if len(outcomes) != len(actions) || !reflect.DeepEqual(after, oracle) {
			t.Fatalf("stored: %v, want %v", after, oracle)
		}
	})
}
