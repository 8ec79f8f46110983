package document_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/document"
)

// values finds what a dotted path leads to in a decoded document, by the simplest implementation of the rule: at
// each level the longest property that leads anywhere wins, and arrays are flattened.
func values(v any, path string) (all []any, found bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			inner, there := values(e, path)
			all, found = append(all, inner...), found || there
		}
		return all, found
	case map[string]any:
		if value, there := v[path]; there {
			return leaves(value), true
		}
		for i := strings.LastIndexByte(path, '.'); i > 0; i = strings.LastIndexByte(path[:i], '.') {
			if all, found = values(v[path[:i]], path[i+1:]); found {
				return all, true
			}
		}
	}
	return nil, false
}

func leaves(v any) []any {
	list, isArray := v.([]any)
	if !isArray {
		return []any{v}
	}
	var all []any
	for _, e := range list {
		all = append(all, leaves(e)...)
	}
	return all
}

// drawValue draws JSON text in which names repeat and paths cross.
func drawValue(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind = min(kind, 2)
	}
	switch kind {
	case 0, 1, 2:
		return rapid.SampledFrom([]string{"true", `"x"`, "null", "1"}).Draw(t, "scalar")
	case 3:
		elements := make([]string, rapid.IntRange(0, 2).Draw(t, "length"))
		for i := range elements {
			elements[i] = drawValue(t, depth-1)
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	return drawObject(t, depth)
}

func drawObject(t *rapid.T, depth int) string {
	names := rapid.SampledFrom([]string{"a", "b", "c", "a.b", "b.c", "a.b.c", "d", "c.d", `\u0061`})
	members := make([]string, rapid.IntRange(0, 4).Draw(t, "members"))
	for i := range members {
		members[i] = fmt.Sprintf(`"%s":%s`, names.Draw(t, "name"), drawValue(t, depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestScanFindsTheValuesOfMappings(t *testing.T) {
	t.Parallel()
	mapped := []string{"a.b.c.d", "a.b", "d", "b.c"}
	schema := schemaOf("a.b.c.d bool", "a.b bool", "d bool", "b.c bool")
	rapid.Check(t, func(t *rapid.T) {
		body := drawObject(t, 4)
		var doc map[string]any
		if err := json.Unmarshal([]byte(body), &doc); err != nil {
			t.Fatal(err)
		}
		bad := 0
		for _, name := range mapped {
			all, _ := values(doc, name)
			for _, v := range all {
				if _, isBool := v.(bool); !isBool && v != nil {
					bad++
				}
			}
		}
		got, err := document.Scan([]byte(body), schema)
		if err != nil || len(got.Problems) != bad {
			t.Fatalf("%s: %v, %d problems, want %d: %v", body, err, len(got.Problems), bad, got.Problems)
		}
	})
}

func TestMergeLikeDecodedValues(t *testing.T) {
	t.Parallel()
	var merge func(target, patch any) any
	merge = func(target, patch any) any { // the pseudocode of RFC 7396, section 2
		changes, isObject := patch.(map[string]any)
		if !isObject {
			return patch
		}
		into, isObject := target.(map[string]any)
		if !isObject {
			into = map[string]any{}
		}
		for name, value := range changes {
			if value == nil {
				delete(into, name)
			} else {
				into[name] = merge(into[name], value)
			}
		}
		return into
	}
	decode := func(raw string) (v any) {
		if err := json.Unmarshal([]byte(raw), &v); err != nil {
			panic(err)
		}
		return v
	}
	rapid.Check(t, func(t *rapid.T) {
		body, patch := drawObject(t, 3), drawObject(t, 3)
		want, err := json.Marshal(merge(decode(body), decode(patch)))
		if err != nil {
			t.Fatal(err)
		}
		got, changed := document.Merge(json.RawMessage(body), json.RawMessage(patch))
		if !document.Equal(got, want) || changed == document.Equal(json.RawMessage(body), want) {
			t.Fatalf("%s + %s = %s (changed: %v), want %s", body, patch, got, changed, want)
		}
	})
}
