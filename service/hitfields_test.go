package service

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// anyValue draws a JSON value up to some levels deep.
func anyValue(t *rapid.T, levels int) any {
	kinds := 5
	if levels > 0 {
		kinds = 7
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return json.Number(rapid.SampledFrom([]string{"0", "-1.50", "12345678901234567890", "1e400"}).Draw(t, "number"))
	case 3, 4:
		return rapid.SampledFrom([]string{"", "some words", `"quoted" \ and` + "\n", "é 東京 🚢"}).Draw(t, "string")
	case 5:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			list = append(list, anyValue(t, levels-1))
		}
		return list
	default:
		return anyObject(t, levels-1)
	}
}

func anyObject(t *rapid.T, levels int) map[string]any {
	object := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		object[rapid.SampledFrom([]string{"title", "price", "boost", "a", "b", "ü", `"`}).Draw(t, "name")] = anyValue(t, levels)
	}
	return object
}

// If no mapping is of a property in an object, documents are read in another way, which finds the same.
func TestBothWaysToReadFieldsFindTheSame(t *testing.T) {
	t.Parallel()
	ix := &Index{Mappings: []mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "price", Type: mapping.Price}, {Name: "a", Type: mapping.Category}}}
	for name, fields := range map[string][]Field{
		"all":  SearchedFields(ix),
		"some": {{Name: "title", Analysis: mapping.Stemmed}},
	} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			body, err := json.Marshal(anyObject(t, 3))
			if err != nil {
				t.Fatal(err)
			}
			r := newFieldReader(ix, fields, nil)
			got, err := r.read(body)
			if err != nil {
				t.Fatal(err)
			}
			want, err := r.readNested(body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(withTexts(want), withTexts(got)); diff != "" {
				t.Errorf("%s: %s", body, diff)
			}
		}))
	}
}

// withTexts returns those of fields that have texts, in a form that can be compared.
func withTexts(fields []highlightField) (list []any) {
	for _, f := range fields {
		if len(f.values.Values) > 0 {
			list = append(list, []any{f.name, f.values.Values, f.values.Analysis, f.sep})
		}
	}
	return list
}

func TestBodyThatIsNoDocumentIsAnError(t *testing.T) {
	t.Parallel()
	ix := &Index{}
	for _, body := range []string{"", "[]", `{"a":}`, `{"a":"b"`, `{"a":1}}`} {
		if _, err := newFieldReader(ix, SearchedFields(ix), highlight.TakeWords()).read(json.RawMessage(body)); err == nil {
			t.Errorf("%s: no error", body)
		}
	}
}
