package store_test

import (
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Initials find the names that they stand for, next to the other name, on the side that the query or the document has them.
func TestInitialsFindNames(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "people", "name name", "about text")
	s.put(t, "people",
		"jurgen", `{"name":"Jürgen Müller"}`, "anna", `{"name":"Anna Müller","about":"Worked with Jonas"}`, "bach", `{"name":"Johann Sebastian Bach"}`,
		"sorted", `{"name":"Bach, Carl Philipp Emanuel"}`, "king", `{"name":"Stephen King","about":"A king of horror, with other kings"}`, "lear", `{"name":"King Lear"}`, "adam", `{"name":"Adam King"}`,
		"guin", `{"name":"Ursula Kroeber Le Guin"}`, "mozart", `{"name":"Wolfgang Amadeus Mozart"}`, "obrien", `{"name":["Sam Smith","Tim O'Brien"]}`,
		"eliot", `{"name":"T.S. Eliot"}`, "george", `{"name":"George Eliot","about":"Eliot and Eliot"}`)
	all := matching(service.MatchAll)
	for query, want := range map[string]string{
		"J. Müller":         "jurgen",
		"j muller":          "jurgen",
		"müller, j.":        "jurgen",
		"b muller":          "",
		"js bach":           "bach",
		"j s bach":          "bach",
		"j. s. bach":        "bach",
		"J.S. Bach":         "bach",
		"bach js":           "bach",
		"bach, c. p. e.":    "sorted",
		"j bach":            "bach", // without the middle name
		"u le guin":         "guin",
		"w a mozart":        "mozart", // beside another initial, a is one, too
		"t. o'brien":        "obrien",
		"b. o'brien":        "",
		"m mozart":          "",
		`"j" muller`:        "",
		`muller "j muller"`: "",
	} {
		if got := s.found(t, "people", all, forWords(query)); got != want {
			t.Errorf("%s: found %q, not %q", query, got, want)
		}
	}
	// A letter that is a stop word is an initial, unless it is a word of the language.
	for query, want := range map[string]string{"s king": "king", "t eliot": "eliot", "t. eliot": "eliot", "a king": "king", "a. king": "adam"} {
		if resp := s.search(t, "people", forWords(query)); len(resp.IDs) == 0 || resp.IDs[0] != want {
			t.Errorf("%s: %v, not first %s", query, resp.IDs, want)
		}
	}
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "people", TypoTolerance: new(false)}); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "strict", all, forWords("j muller")); got != "" {
		t.Errorf("without typos: found %q", got)
	}
	s.put(t, "people", "new", `{"name":"Jutta Müller"}`)
	if got := s.found(t, "people", all, forWords("j muller")); got != "jurgen new" {
		t.Errorf("a name just written: found %q", got)
	}
	s.create(t, "titles", "title completion") // no names of persons
	s.put(t, "titles", "plan", `{"title":"Best plans"}`)
	if got := s.found(t, "titles", all, forWords("b plans")); got != "" {
		t.Errorf("in titles: found %q", got)
	}
}

// Letters that names mostly have as they are, are meant so.
func TestLettersThatAreNoInitials(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "clothes", "title name")
	s.put(t, "clothes", "velvet", `{"title":"Velvet neck"}`, "1", `{"title":"V-neck"}`)
	find := func() string { return s.found(t, "clothes", forWords("v neck"), matching(service.MatchAll)) }
	if got := find(); got != "1 velvet" {
		t.Errorf("one V-neck: found %q", got)
	}
	s.put(t, "clothes", "2", `{"title":"V-neck"}`, "3", `{"title":"Red V-neck"}`, "4", `{"title":"V-neck"}`, "5", `{"title":"V-neck, blue"}`)
	if got := find(); got != "1 2 4 3 5" {
		t.Errorf("five: found %q", got)
	}
}
