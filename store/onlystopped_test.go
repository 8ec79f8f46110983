package store_test

import (
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// A text of nothing but stop words keeps them: such titles are found by what they are, also while they are typed. Other texts are not found by theirs.
func TestTextsOfStopWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title sentence", "plot long_text", "page html")
	s.put(t, "films",
		"it", `{"title":"It","plot":"A clown."}`,
		"they", `{"title":"They!","plot":"Ants, as in Them.","note":"They"}`,
		"be", `{"title":"To Be or Not to Be","plot":"Actors in Warsaw."}`,
		"lord", `{"title":"The Lord of the Rings","plot":"It is they who rule it."}`,
		"italian", `{"title":"The Italian"}`,
		"being", `{"title":["Are You","There?"]}`,
		"page", `{"page":"<p>Where <b>was</b> I?</p>"}`,
		"number", `{"title":2012}`)
	check := func() {
		t.Helper()
		for query, want := range map[string]string{
			"it ":                "it",
			"it":                 "it italian",
			"the":                "being they",
			"they":               "they",
			"they ":              "they",
			"THEY!":              "they",
			"them ":              "",
			"it a":               "be being they",
			"to be or not to be": "be",
			"be to not or":       "be",
			`"to be or not"`:     "be",
			`"not be"`:           "",
			"are you there?":     "being",
			"are you th":         "being they",
			`"you there"`:        "",
			`"are you"`:          "being",
			"where was i?":       "page",
			"the lord ":          "lord",
			"it -they":           "it",
			"-they":              "be being it italian lord number page",
			"they rings ":        "lord",
			"it OR they ":        "it they",
			`"it is"`:            "",
			"2012":               "number",
		} {
			if got := s.found(t, "films", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
	}
	check()
	if err := s.Settle(t.Context(), s.current(t, "films")); err != nil {
		t.Fatal(err)
	}
	check()
	for query, want := range map[string]string{
		"it ":            "<b>It</b>",
		"THEY!":          "<b>They</b>!",
		"to be o":        "<b>To</b> <b>Be</b> <b>or</b> Not <b>to</b> <b>Be</b>",
		`"or not"`:       "To Be <b>or</b> <b>Not</b> to Be",
		"are you there?": "<b>Are</b> <b>You</b>, <b>There</b>?",
		"where was i?":   "<b>Where</b> <b>was</b> <b>I</b>?",
		"they rings ":    "The Lord of the <b>Rings</b>",
	} {
		hit := s.search(t, "films", forWords(query), matching(service.MatchAll)).Hits[0]
		if got := strings.Join(append(hit.Highlight["title"], hit.Highlight["page"]...), ", "); got != want || len(hit.Highlight["plot"])+len(hit.Highlight["note"]) > 0 {
			t.Errorf("%q highlights %q, want %q; elsewhere %q", query, got, want, hit.Highlight)
		}
	}
	if first := strings.Fields(s.found(t, "films", forWords("it"))); len(first) == 0 || first[0] != "it" {
		t.Errorf("it finds %q first", first)
	}
}

// Stop words of the index are words of texts like others, and those of the language are kept in each language.
func TestTextsOfStopWordsOfTheIndex(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title sentence")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "films", []byte(`{"stop_words":["film"],"language":"german"}`), true); err != nil {
		t.Fatal(err)
	}
	s.put(t, "films", "ueber", `{"title":"Über uns"}`, "film", `{"title":"Der Film"}`, "bei", `{"title":"Bei mir"}`, "noir", `{"title":"Film noir"}`)
	for query, want := range map[string]string{"über uns ": "ueber", "ueber uns ": "ueber", "bei mir": "bei", "der film ": "", "film ": "", "film noir ": "noir", "the": ""} {
		if got := s.found(t, "films", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// What was stored while texts lacked all stop words is found after the migration, and no other document is written.
func TestTextsOfStopWordsOfWhatIsStored(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 39)
	s.create(t, "films", "title sentence")
	s.create(t, "people", "name name")
	s.put(t, "films", "it", `{"title":"It"}`, "lord", `{"title":"The Lord of the Rings"}`)
	if got := s.found(t, "films", forWords("it ")); got != "" {
		t.Errorf("found before the migration: %q", got)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.text(t, "SELECT string_agg(name, ' ') FROM rowan.indices WHERE computed_by IS NULL"); n != "films" {
		t.Errorf("documents of %q are to be compared", n)
	}
	s.Start(t.Context())
	eventually(t, "the document", func() bool { return s.found(t, "films", forWords("it ")) == "it" })
	if n := s.text(t, "SELECT string_agg(_id, ' ') FROM app_demo.films WHERE _updated_at > _created_at"); n != "it" {
		t.Errorf("documents written: %q", n)
	}
}

// A stop word before a last word that goes on, but not to a stop word, keeps the query from naming no title: the Matrix is Matrix.
func TestStopWordsBeforeAnUnfinishedTitle(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title sentence", "plot text")
	s.many(t, "films", 60, func(int) string { return `{"title":"Thing","plot":"of matter"}` })
	s.put(t, "films", "long", `{"title":"Inverse matrix","plot":"matrix matrix matrix matrix"}`, "named", `{"title":"Matrix"}`, "article", `{"title":"The Matrix"}`)
	for _, query := range []string{"the matrix ", "the matrix", "of the matrix", "matrix"} {
		if got := strings.Fields(s.found(t, "films", forWords(query))); len(got) != 3 || got[2] != "long" {
			t.Errorf("%q finds %q first", query, got)
		}
	}
}
