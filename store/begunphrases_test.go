package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A word that continues after a hyphen, or in an unclosed quote, is found at each of its letters, whatever stop words are in it and however many
// words begin like it. The search for few documents, the one for many and postings give the same.
func TestPhrasesAreFoundAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name", "body long_text")
	documents := []string{"a", `{"title":"State-of-the-art methods"}`, "b", `{"body":"the state of the artist"}`, "c", `{"title":"art of the state"}`,
		"d", `{"title":"well-posed problems"}`, "e", `{"body":"problems that are well posed"}`, "f", `{"title":"posed well"}`,
		"g", `{"title":"pursuit of self-happiness"}`}
	for i := range 100 { // words in more documents
		for _, n := range []string{"x", "y"} {
			documents = append(documents, fmt.Sprint(n, i), fmt.Sprintf(`{"title":"posit%c%c arts%c%c"}`, 'a'+i%26, 'a'+i/26, 'a'+i%26, 'a'+i/26))
		}
	}
	s.put(t, "docs", documents...)
	check := func(way string) {
		t.Helper()
		for word, want := range map[string]string{"state-of-the-art": "a b", "well-posed": "d e", "self-happiness": "g",
			`"state of the art`: "a b", `"well posed`: "d e", `"self happiness`: "g", `"happiness`: "g"} {
			for n := strings.LastIndexAny(word, `- "`) + 3; n <= len(word); n++ { // "a" is a stop word
				ids := strings.Fields(s.found(t, "docs", forWords(word[:n])))
				slices.Sort(ids)
				if got := strings.Join(ids, " "); got != want {
					t.Errorf("%s: %q finds %s, want %s", way, word[:n], got, want)
				}
			}
		}
	}
	check("plain")
	s.AccelerateSmall(30, 150)
	for _, d := range []string{"a", "b", "d", "e", "g"} { // so that their words are common
		i := slices.Index(documents, d)
		for n := range 5 {
			s.put(t, "docs", fmt.Sprint("of", d, n), strings.NewReplacer("-art ", "-mart ", "artist", "garden", "posed", "laced", "happiness", "garden").Replace(documents[i+1]))
		}
	}
	if err := buildPostingsOf(t.Context(), s.Store, "docs", 100); err != nil {
		t.Fatal(err)
	}
	check("postings")
	check("remembered")
}
