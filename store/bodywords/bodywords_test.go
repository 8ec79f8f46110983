package bodywords

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

func wordsIn(mappings []mapping.Mapping, body string) []string {
	var words []string
	NewFinder(mappings, func(w []byte) { words = append(words, string(w)) }).Find([]byte(body))
	return words
}

func TestFinder(t *testing.T) {
	t.Parallel()
	mappings := []mapping.Mapping{{Name: "title", Type: mapping.Name}, {Name: "sku", Type: mapping.Identifier}, {Name: "price", Type: mapping.Price},
		{Name: "author.name", Type: mapping.Sentence}, {Name: "author.email", Type: mapping.Email}, {Name: "a.b", Type: mapping.Keyword}, {Name: "page", Type: mapping.HTML}}
	longest := strings.Repeat("a", maxWord)
	for _, test := range []struct {
		body string
		want []string
	}{
		{`{}`, nil},
		{`{"title": "The Matrix"}`, []string{"the", "matrix"}},
		{`{"title": ["One two", ["Three"]], "sku": "ABC-DEF"}`, []string{"one", "two", "three"}},
		{`{"title": "tab\tand \"quotes\" and \\ end\\"}`, []string{"tab", "and", "quotes", "and", "end"}},
		{`{"title": "R2D2 mp3 of 1984 in x 3d"}`, []string{"r2d2", "mp3", "of", "in"}},
		{`{"title": "C++, C# and A+++ of c++11, not page#c"}`, []string{"cplusplus", "csharp", "and", "aplusplus", "of", "cplusplus", "not", "page"}},
		{`{"price": 12.5, "on": true, "off": null, "title": "after"}`, []string{"after"}},
		{`{"author": {"name": "Ursula", "email": "ursula@example.org", "note": "unmapped below"}}`, []string{"ursula", "unmapped", "below"}},
		{`{"author": [{"name": "First"}, {"email": "second@example.org"}], "last": "word"}`, []string{"first", "word"}},
		{`{"a.b": "dotted", "a": {"b": "nested", "c": "other"}}`, []string{"other"}},
		{`{"page": "<p class='no'>Bold <b>type</b> &amp; more</p>", "title": "<em> is a sign"}`, []string{"bold", "type", "more", "em", "is", "sign"}},
		{`{"n": [1, 2], "m": {"o": 3}, "title": "time:now"}`, []string{"time", "now"}},
		{`{"title": "` + longest + " " + longest + `a é` + `"}`, []string{longest}},
		{`{"title": "` + longest + " " + longest + `a e` + `"}`, []string{longest}},
		{`{"boost": "seven", "autocomplete": ["nothing"], "free": {"deep": [[{"x": "found"}]]}}`, []string{"found"}},
	} {
		if diff := cmp.Diff(test.want, wordsIn(mappings, test.body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.body, diff)
		}
	}
}

// The shortcut for ASCII finds the same words as package analysis.
func TestFinderAgreesWithAnalysis(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("abcXYZ019 .-/&_'\"\\\n<>+#~@é’"))).Draw(t, "text")
		body, err := json.Marshal(map[string]string{"t": text})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, token := range analysis.Words(text) {
			if len(token.Text) >= MinWord && len(token.Text) <= maxWord && Completed(token.Text) {
				want = append(want, token.Text)
			}
		}
		if diff := cmp.Diff(want, wordsIn(nil, string(body))); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", text, diff)
		}
	})
}
