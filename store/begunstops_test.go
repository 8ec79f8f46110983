package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// A document is found while one of its stop words is being typed: of the words with that prefix, it is the most common. A last word that is in texts
// itself is required all the same, and so is one that mostly begins other words.
func TestStopWordsAreNotAskedForWhileTheyAreTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "works", "title sentence")
	s.put(t, "works", "1", `{"title":"Views of Coventry from the North"}`, "2", `{"title":"Coventry and friends"}`, "3", `{"title":"View of a thatched fort in Coventry"}`,
		"cat", `{"title":"A cat"}`, "fur", `{"title":"Cat fur"}`, "frames", `{"title":"Coventry frames"}`)
	s.many(t, "works", 40, func(i int) string {
		return fmt.Sprintf(`{"title":"the further ones from the %dth and for%d"}`, i, i)
	})
	all := func(r *service.SearchRequest) { r.Match = service.MatchAll }
	const title = "views of coventry from the north"
	for n := len("views of coventry"); n <= len(title); n++ {
		if ids := strings.Fields(s.found(t, "works", forWords(title[:n]), all)); !slices.Contains(ids, "1") {
			t.Errorf("%q finds %v", title[:n], ids)
		}
	}
	for q, want := range map[string]string{"coventry fr": "1 2 3 frames", "coventry fri": "2", "coventry thatc": "3", "coventry-fr": "1 2 3 frames", `"coventry fr`: "1 2 3 frames", `"coventry fr"`: "",
		"cat fu": "cat fur", "cat fur": "fur", "cat furt": "cat fur", "cat furth ": "", "fri": "2"} {
		ids := strings.Fields(s.found(t, "works", forWords(q), all))
		slices.Sort(ids)
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q finds %q, want %q", q, got, want)
		}
	}
}

// What follows a hyphen may be the beginning of a stop word, but documents that have a word that begins so come first.
func TestWordsThatBeginAsTypedComeBeforeStopWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence")
	s.put(t, "docs", "if", `{"title":"v-if"}`, "for", `{"title":"v-for with v-if"}`, "model", `{"title":"v-model on components"}`)
	s.many(t, "docs", 40, func(i int) string { return fmt.Sprintf(`{"title":"more than %d"}`, i) })
	for _, q := range []string{`"v mo`, "v-mo", "v-mod"} {
		if got, _, _ := strings.Cut(s.found(t, "docs", forWords(q)), " "); got != "model" {
			t.Errorf("%q finds %q first", q, got)
		}
	}
}

// In a very large index, some text has nearly any few letters as a word; they may still be the beginning of a stop word that is being typed.
func TestStopWordsWhileTheyAreTypedWhereSomeTextHasTheirBeginning(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "works", "title sentence")
	s.put(t, "works", "structures", `{"title":"Structures with norms"}`, "within", `{"title":"Structures within groups"}`, "wit", `{"title":"Structures of wit"}`)
	s.many(t, "works", 1200, func(i int) string { return fmt.Sprintf(`{"title":"one with %d"}`, i) })
	settle := func() {
		t.Helper()
		if err := s.Settle(t.Context(), s.current(t, "works")); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	all := matching(service.MatchAll)
	if got := s.found(t, "works", forWords("structures wit"), all); got != "wit structures within" {
		t.Errorf("while with is typed: found %q", got)
	}
	s.put(t, "works", "wits", `{"title":"Structures of wit and reason"}`)
	settle()
	if got := s.found(t, "works", forWords("structures wit"), all); got != "wit wits within" {
		t.Errorf("where wit is a word of more documents: found %q", got)
	}
}
