package store_test

import (
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Documents with all words of a short query come first. For a longer query, a long text may have all words and say little about any of them: its
// score decides.
func TestAllWordsFirstUpToFiveWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "texts", "text long_text")
	words := "rivers bridges stones gardens windows papers"
	long := words + " " + strings.Repeat("other things that somebody has written about, ", 200)
	s.put(t, "texts", "long", `{"text":"`+long+`"}`, "short", `{"text":"stones gardens windows papers papers stones"}`, "none", `{"text":"nothing"}`)
	s.many(t, "texts", 30, func(int) string { return `{"text":"something else"}` })
	for query, want := range map[string]string{words: "short long", words[:strings.LastIndex(words, " ")]: "long short"} {
		for _, match := range []service.Match{service.MatchAny, service.MatchAuto} {
			if got := s.found(t, "texts", forWords(query+" "), func(r *service.SearchRequest) { r.Match = match }); got != want {
				t.Errorf("%s: %q finds %q, want %q", match, query, got, want)
			}
		}
	}
	resp := s.search(t, "texts", forWords(words+" "))
	if resp.Total != 2 || resp.TotalAllWords != 1 {
		t.Errorf("%d documents are found, %d of them with all words, want 2 and 1", resp.Total, resp.TotalAllWords)
	}
}
