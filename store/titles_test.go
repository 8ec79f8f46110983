package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// A document whose name equals the query comes first, before those with longer names that have the words more often.
func TestTitlesThatAreTheQuery(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sentence", "name", "completion", "address"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.AccelerateSmall(30, 150)
			s.create(t, "things", "title "+kind, "text long_text")
			s.many(t, "things", 200, func(i int) string {
				return fmt.Sprintf(`{"title":"Portrait of Gertrude Stein %d","text":"stein"}`, i)
			})
			long := strings.Repeat("words of many kinds ", 20)
			s.put(t, "things", "both", `{"title":"Gertrude Stein","text":"`+long+`"}`, "one", `{"title":"Gertrude","text":"`+long+`"}`)
			for _, way := range []string{"from the table", "from postings"} {
				for query, want := range map[string]string{"gertrude stein ": "both", "gertrude stei": "both", "Gertrude ": "one", `"gertrude stein"`: "both", "gertrude OR agnes ": "one"} {
					resp := s.search(t, "things", forWords(query), func(r *service.SearchRequest) { r.PerPage = new(1) })
					if got := strings.Join(resp.IDs, " "); got != want {
						t.Errorf("%s %q finds %s first, want %s", way, query, got, want)
					}
				}
				s.buildPostings(t)
			}
		})
	}
}

// An identifier that is the query comes first, before longer ones of which it is a part.
func TestIdentifiersThatAreTheQuery(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "name identifier", "summary sentence", "text long_text")
	s.many(t, "things", 200, func(i int) string { return fmt.Sprintf(`{"name":"rails-x200-plugin%d","summary":"framework"}`, i) })
	long := strings.Repeat("words of many kinds ", 20)
	s.put(t, "things", "rails", `{"name":"rails","summary":"framework","text":"`+long+`"}`, "x200", `{"name":"X-200","summary":"framework","text":"`+long+`"}`,
		"longer", `{"name":"X-200-B","summary":"framework"}`)
	for _, way := range []string{"from the table", "from postings"} {
		for query, want := range map[string]string{"rails ": "rails", "rails": "rails", "framework rails ": "rails", "x-200 ": "x200", "x-200": "x200", "x-200 framework ": "x200"} {
			resp := s.search(t, "things", forWords(query), func(r *service.SearchRequest) { r.PerPage = new(1) })
			if got := strings.Join(resp.IDs, " "); got != want {
				t.Errorf("%s %q finds %s first, want %s", way, query, got, want)
			}
		}
		s.buildPostings(t)
	}
}

// So does one with punctuation, even if titles are the same word.
func TestIdentifiersWithPunctuationThatAreTheQuery(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "docs", "title sentence", "name identifier", "text long_text")
	s.many(t, "docs", 200, func(i int) string {
		return fmt.Sprintf(`{"title":"part %d","text":"These include and force others."}`, i)
	})
	s.put(t, "docs", "#include", `{"title":"Include directive in C","name":"#include","text":"Tells the preprocessor to include a file."}`,
		"includes", `{"title":"includes","name":"includes","text":"Whether a range includes another, as included elements are: include, included."}`,
		"--force", `{"title":"Faster builds with force","name":"--force"}`, "force", `{"title":"Force","text":"To force. A force."}`)
	for _, way := range []string{"from the table", "from postings"} {
		for _, query := range []string{"#include ", "#include", "--force "} {
			if got := s.search(t, "docs", forWords(query)).IDs[0]; got != strings.TrimSpace(query) {
				t.Errorf("%s %q finds %s first", way, query, got)
			}
		}
		if err := buildPostingsOf(t.Context(), s.Store, "docs", 100); err != nil {
			t.Fatal(err)
		}
	}
}

// So does one with several parts, before what also mentions it in a text, and written with spaces.
func TestIdentifiersOfPartsThatAreTheQuery(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "packages", "name identifier", "summary sentence")
	s.many(t, "packages", 200, func(i int) string {
		return fmt.Sprintf(`{"name":"kit-%d","summary":"A library for %d browsers"}`, i, i)
	})
	s.many(t, "packages", 60, func(i int) string {
		return fmt.Sprintf(`{"name":"socket.io-plug%d-js","summary":"Adapts socket.io to %d browsers"}`, i, i)
	})
	s.put(t, "packages", "core-js", `{"name":"core-js","summary":"Standard library"}`, "compat", `{"name":"core-js-compat","summary":"core-js compat"}`,
		"types", `{"name":"@types/core-js","summary":"Definitions for core-js"}`, "socket.io", `{"name":"socket.io","summary":"A server for browsers"}`)
	for _, way := range []string{"from the table", "from postings"} {
		for query, want := range map[string]string{"core-js ": "core-js", "core-js": "core-js", "core js ": "core-js", "core js": "core-js", "socket io ": "socket.io", "socket-io ": "socket.io", "types/core-js ": "types"} {
			if got := s.search(t, "packages", forWords(query)).IDs[0]; got != want {
				t.Errorf("%s %q finds %s first, want %s", way, query, got, want)
			}
		}
		if err := buildPostingsOf(t.Context(), s.Store, "packages", 100); err != nil {
			t.Fatal(err)
		}
	}
}

// A title that has a number comes before article numbers that begin with it.
func TestNumbersInTitlesBeforeBegunIdentifiers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title sentence", "code identifier")
	s.many(t, "things", 200, func(i int) string { return fmt.Sprintf(`{"title":"thing of kind %d","code":"77%d"}`, i%7, i) })
	s.put(t, "things", "title", `{"title":"Levis 501 original jeans in dark blue","code":"0054"}`, "begun", `{"title":"garden hose","code":"5016667"}`, "whole", `{"title":"iron hose","code":"501"}`)
	for _, way := range []string{"from the table", "from postings"} {
		if got := strings.Join(s.search(t, "things", forWords("501")).IDs, " "); got != "whole title begun" {
			t.Errorf("%s: found %s", way, got)
		}
		s.buildPostings(t)
	}
}

// The length of a title only matters for texts: a value among many says as much as a single one.
func TestValuesAreNotMeasured(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "subjects tags", "title sentence")
	s.put(t, "things", "few", `{"subjects":["kiss"],"title":"b"}`, "many", `{"subjects":["kiss","rose","tree"],"title":"a"}`)
	resp := s.search(t, "things", forWords("kiss "), explained)
	few, many := resp.Hits[0].Explanation.Words[0], resp.Hits[1].Explanation.Words[0]
	if few.TitleBonus == 0 || few.TitleBonus != many.TitleBonus {
		t.Errorf("title bonuses are %g and %g", few.TitleBonus, many.TitleBonus)
	}
}

// A title that the query names comes first even if its document is long, and short ones have the words in longer titles and in their texts.
func TestNamedTitlesOfLongDocuments(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sentence", "name", "completion"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.AccelerateSmall(30, 150)
			s.create(t, "things", "title "+kind, "text long_text")
			s.many(t, "things", 200, func(i int) string {
				return fmt.Sprintf(`{"title":"War and Woman","text":"stars insiders number%d"}`, i)
			})
			var long strings.Builder
			for i := range 150 {
				fmt.Fprintf(&long, "word%d ", i)
			}
			s.put(t, "things", "wars", `{"title":"Star Wars","text":"`+long.String()+`"}`, "clones", `{"title":"Star Wars: Clone Wars","text":"star"}`,
				"inside", `{"title":"Inside Out","text":"`+long.String()+`"}`, "radio", `{"title":"Radio Inside","text":"out inside"}`)
			for _, way := range []string{"from the table", "from postings"} {
				for query, want := range map[string]string{"star wars ": "wars", "star wa": "wars", "inside out ": "inside"} {
					for _, by := range []string{"_score", "_score,title"} {
						resp := s.search(t, "things", forWords(query), func(r *service.SearchRequest) { r.PerPage, r.Sort = new(1), &by })
						if got := strings.Join(resp.IDs, " "); got != want {
							t.Errorf("%s, sorted by %q, %q finds %s first, want %s", way, by, query, got, want)
						}
					}
				}
				s.buildPostings(t)
			}
		})
	}
}
