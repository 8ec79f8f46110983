package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

func TestNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		check          func(string) error
		takes, rejects []string
	}{
		"_id": {document.CheckID,
			[]string{"a", "42", "a/b c", "...", "日本", strings.Repeat("x", 512), "\u2028", "_x", "%2F"},
			[]string{"", ".", "..", strings.Repeat("x", 513), strings.Repeat("é", 257), "a\x00", "\n", "\x7f", "\u0085", "\xff"}},
		"index": {document.CheckIndexName,
			[]string{"a", "Films_2024-x", "0", "9", "AZaz", strings.Repeat("x", 60), "a-", "a_"},
			[]string{"", "_a", "-a", strings.Repeat("x", 61), "a b", "é", "a.b", "a/b", "a\x10", "a@", "a[", "a`", "a{"}},
		"application": {document.CheckApplicationID,
			[]string{"a", "b", "demo", "a1-2", "x-ab", "x-d", "0", "a-1", strings.Repeat("x", 40)},
			[]string{"", "Demo", "-a", "a-", "x-a", "x-b", "x-c", "a-a", strings.Repeat("x", 41), "a_b", "a.b", "é"}},
	}
	for name, test := range tests {
		for _, s := range test.takes {
			if err := test.check(s); err != nil {
				t.Errorf("%s %q: %v", name, s, err)
			}
		}
		for _, s := range test.rejects {
			if test.check(s) == nil {
				t.Errorf("%s %q is accepted", name, s)
			}
		}
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	a, b := document.NewID(), document.NewID()
	parsed, err := uuid.Parse(a)
	if err != nil || parsed.Version() != 7 || a >= b || document.CheckID(a) != nil {
		t.Errorf("%s, %s: error %v", a, b, err)
	}
}

func TestCheckMappings(t *testing.T) {
	t.Parallel()
	const k = mapping.Keyword
	tests := []struct {
		list []mapping.Mapping
		want []string
		word string
	}{
		{nil, nil, ""},
		{[]mapping.Mapping{{Name: "title", Type: mapping.Sentence}, {Name: "author.name", Type: mapping.Name}, {Name: "author", Type: k}, {Name: "a._b", Type: k}, {Name: "boost.x", Type: k}, {Name: "body", Type: k}, {Name: "日本 語", Type: k}}, nil, ""},
		{[]mapping.Mapping{{Name: "", Type: k}}, []string{"body.mappings[0].name"}, "empty"},
		{[]mapping.Mapping{{Name: "a", Type: k}, {Name: "_b", Type: k}}, []string{"body.mappings[1].name"}, "underscore"},
		{[]mapping.Mapping{{Name: "boost", Type: mapping.Float}, {Name: "autocomplete", Type: k}}, []string{"body.mappings[0].name", "body.mappings[1].name"}, "cannot be mapped"},
		{[]mapping.Mapping{{Name: "a", Type: k}, {Name: "b", Type: k}, {Name: "a", Type: mapping.Text}}, []string{"body.mappings[2].name"}, "body.mappings[0]"},
		{[]mapping.Mapping{{Name: "A", Type: k}, {Name: "a", Type: k}}, nil, ""},
		{[]mapping.Mapping{{Name: "a", Type: "string"}}, []string{"body.mappings[0].type"}, "name, address, float, int, text, price, long_text, sentence, tags, searchable_number, keyword, case_sensitive_keyword, identifier, html, email, category, path, long, completion, bool, date"},
		{[]mapping.Mapping{{Name: "_a", Type: ""}}, []string{"body.mappings[0].name", "body.mappings[0].type"}, "underscore"},
		{[]mapping.Mapping{{Name: strings.Repeat("é", 512), Type: k}}, nil, ""},
		{[]mapping.Mapping{{Name: strings.Repeat("é", 513), Type: k}}, []string{"body.mappings[0].name"}, "512 characters"},
		{[]mapping.Mapping{{Name: "a\nb", Type: k}}, []string{"body.mappings[0].name"}, "control"},
		{[]mapping.Mapping{{Name: "a\xff", Type: k}}, []string{"body.mappings[0].name"}, "UTF-8"},
		{[]mapping.Mapping{{Name: strings.Repeat("\xff", 250), Type: k}}, []string{"body.mappings[0].name"}, "UTF-8"},
		{[]mapping.Mapping{{Name: ".a", Type: k}, {Name: "a.", Type: k}, {Name: "a..b", Type: k}, {Name: ".", Type: k}}, []string{"body.mappings[0].name", "body.mappings[1].name", "body.mappings[2].name", "body.mappings[3].name"}, "dot"},
		{[]mapping.Mapping{{Name: strings.Repeat("a.", 49) + "a", Type: k}}, nil, ""},
		{[]mapping.Mapping{{Name: strings.Repeat("a.", 50) + "a", Type: k}}, []string{"body.mappings[0].name"}, "dots"},
		{many(400), nil, ""},
		{many(401), []string{"body.mappings"}, "400"},
	}
	for i, test := range tests {
		got := document.CheckMappings(test.list, "body.mappings")
		if diff := cmp.Diff(test.want, places(got)); diff != "" {
			t.Errorf("case %d (-want +got):\n%s", i, diff)
		} else if len(got) > 0 && !strings.Contains(got[0].Message, test.word) {
			t.Errorf("case %d: message %q does not say %q", i, got[0].Message, test.word)
		}
	}
}

// The message for a type of another search engine says which type is meant.
func TestTypesOfOtherEngines(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"string": "; a string is a sentence, text or keyword", "string[]": "; a string is a sentence, text or keyword; every type takes arrays",
		"int32": "; that is int", "int64": "; that is long", "double": "; that is float, or price for exact decimals", "boolean": "; that is bool",
		"Text": "; that is text", "float[]": "; that is float; every type takes arrays", "geopoint": "; store a place as two properties of type float",
		"nested": "; map what is inside, by its path (author.name)", "datetime": "; that is date", "colour": "", "": "",
	} {
		problems := document.CheckMappings([]mapping.Mapping{{Name: "a", Type: mapping.Type(name)}}, "body.mappings")
		if len(problems) != 1 || !strings.HasSuffix(problems[0].Message, "completion, bool, date"+want) {
			t.Errorf("%s: %v, want %q", name, problems, want)
		}
	}
}

func many(n int) []mapping.Mapping {
	list := make([]mapping.Mapping, n)
	for i := range list {
		list[i] = mapping.Mapping{Name: fmt.Sprint("f", i), Type: mapping.Keyword}
	}
	return list
}
