package store_test

import (
	"fmt"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// The stop words in a name do not outweigh what a text is about, although few names have any.
func TestStopWordsOfNamesAreNotRare(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "papers", "title sentence", "authors name")
	s.many(t, "papers", 100, func(i int) string {
		switch i {
		case 7:
			return `{"title":"The origin and the fate of galaxies","authors":"Ada Roe"}`
		case 8:
			return `{"title":"The origin of mass","authors":"Ada Roe and the Board of the Group of the Lab of the Isles"}`
		}
		return fmt.Sprintf(`{"title":"Mass %d","authors":"Ann Doe"}`, i)
	})
	if got := s.found(t, "papers", forWords("on the origin and the fate of nothing ")); got != "000007 000008" {
		t.Errorf("found %q", got)
	}
	if got := s.found(t, "papers", forWords("the ")); got != "000008" {
		t.Errorf("a query of a stop word finds %q", got)
	}
}

// A title that is the query comes before another that lacks its stop word, although that document says more about the other word.
func TestStopWordsOfTitles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title completion", "text text")
	s.many(t, "films", 60, func(i int) string {
		return fmt.Sprintf(`{"title":"Movie %d","text":"A woman and her brother leave the city and find another one by the sea"}`, i)
	})
	s.put(t, "films", "whole", `{"title":"The Rider","text":"After an accident a young cowboy looks for another life, far from the rodeo that a rider knows"}`,
		"other", `{"title":"Desert Rider","text":"A rider in Arizona"}`)
	for _, query := range []string{"the rider", "the rider ", "the rid"} {
		if got := s.found(t, "films", forWords(query)); got != "whole other" {
			t.Errorf("%q finds %q", query, got)
		}
	}
}

// Words that no document has do not keep others from finding something, on the first page and on later ones.
func TestUnknownWordsBesideOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence")
	s.many(t, "things", 60, func(i int) string { return fmt.Sprintf(`{"title":"printer %d"}`, i%2) })
	ten := func(r *service.SearchRequest) { r.PerPage = new(10) }
	for _, accelerated := range []bool{false, true} {
		if accelerated {
			s.AccelerateSmall(30, 150)
			s.buildPostings(t)
		}
		first := s.search(t, "things", forWords("zzzzz yyyyy xxxxx printer "), ten)
		if first.Total != 60 || first.Cursor == "" {
			t.Fatalf("accelerated %t: %d of 60 found, cursor %q", accelerated, first.Total, first.Cursor)
		}
		next := s.search(t, "things", forWords("zzzzz yyyyy xxxxx printer "), ten, func(r *service.SearchRequest) { r.Cursor = first.Cursor })
		if next.Total != 60 || len(next.Hits) != 10 {
			t.Errorf("accelerated %t: %d of 60 on the second page, with %d hits", accelerated, next.Total, len(next.Hits))
		}
	}
}

// Punctuation ends a word: only identifiers continue after it. A possessive is the name.
func TestWordsThatEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title name", "code identifier")
	s.put(t, "things", "c", `{"title":"C++ Primer"}`, "complete", `{"title":"Complete Works"}`, "hogarth", `{"title":"William Hogarth"}`, "house", `{"title":"Hogarth's House"}`,
		"code", `{"title":"x","code":"C++-17"}`, "tm", `{"title":"Velocity™ Core™2"}`, "parts", `{"title":"x","code":"AB-1234/x25"}`, "whole", `{"title":"x","code":"1234/x2"}`)
	for query, want := range map[string]string{
		"C++":            "c code",
		"c":              "c code complete tm",
		"c ":             "",
		"hogarth's ":     "hogarth house",
		`"hogarth's"`:    "house",
		"velocity core ": "tm",
		"1234/x2":        "parts whole",
		"1234/x2 ":       "whole",
		"Velocity™":      "tm",
	} {
		if got := s.found(t, "things", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

// A number being typed continues from its digits as typed: with meaningless zeros removed, it is only found as a whole.
func TestNumbersGoOnAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "parts", "code identifier", "number searchable_number")
	s.put(t, "parts", "one", `{"number":1}`, "seventeen", `{"number":17}`, "code", `{"code":"AB-1234"}`, "zeros", `{"code":"0001-7"}`, "twelve", `{"number":12.57}`)
	for query, want := range map[string]string{"0001": "one zeros", "12.50": "", "12.5": "twelve", "1": "code one seventeen twelve"} {
		if got := s.found(t, "parts", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// A part of a value is not searched for in every field that has parts: 0001 is the number 1, but no other code.
func TestPartsThatOnlySomeFieldsAreSearchedFor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "code identifier", "number searchable_number", "place path")
	s.many(t, "things", 200, func(i int) string {
		return []string{`{"code":"AB-1"}`, `{"number":1}`, `{"code":"0001"}`, `{"place":"/ab1/1"}`}[i%4]
	})
	for _, accelerated := range []bool{false, true} {
		if accelerated {
			s.buildPostings(t)
		}
		for query, want := range map[string]int64{"0001 ": 100, "0001": 100, "-0001": 100, "1 ": 150, "ab, ": 50, "ab1 ": 100} {
			for _, match := range matches {
				if got := s.search(t, "things", forWords(query), matching(match)).Total; got != want {
					t.Errorf("accelerated %t: %q (%s) finds %d documents, want %d", accelerated, query, match, got, want)
				}
			}
		}
	}
}

// A pasted address is found despite the punctuation around it, and so are its parts, and those of paths and numbers. A domain is also found by the
// end of an address.
func TestPartsWithinPunctuation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "people", "mail email", "home path", "number searchable_number")
	s.put(t, "people", "ann", `{"mail":"Ann.Lee@mail.example.org","home":"/home/ann","number":2030}`, "bob", `{"mail":"bob@example.org","home":"/home/bob (old)"}`)
	for query, want := range map[string]string{
		"@example.org ":                "bob",
		"@mail.ex":                     "ann",
		"@":                            "",
		"<ann.lee@mail.example.org>, ": "ann",
		"bob@example.org.":             "bob",
		"(bob):":                       "bob",
		"/home/ann, ":                  "ann",
		`"/home/bob (old)" `:           "bob",
		"(2030) ":                      "ann",
		"2030; ":                       "ann",
	} {
		if got := s.found(t, "people", forWords(query), matching(service.MatchAll)); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
