package store_test

import (
	"testing"

	"github.com/rowansearch/rowan/service"
)

// People divide the names of models where they like, or not at all.
func TestNamesOfModels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title sentence", "maker name")
	s.many(t, "things", 150, func(int) string { return `{"title":"cartridge for a printer"}` })
	s.put(t, "things", "adapter", `{"title":"Canon DR-E8 adapter"}`, "cartridge", `{"title":"HP Q5456A cartridge"}`, "processor", `{"title":"Xeon X5482"}`,
		"microphone", `{"title":"Philips SBCMD195/00"}`, "notebook", `{"maker":"Pavilion dv7-1211ea"}`, "apart", `{"title":"Dr. Canon and an E8"}`,
		"film", `{"title":"Godfather, Part 2"}`, "tape", `{"title":"Epson T0342"}`, "switch", `{"title":"switch with a 500 W supply"}`)
	queries := map[string]string{
		"dre8 ":                 "adapter",
		"dre8":                  "adapter",
		"dre 8 ":                "adapter",
		"dr e8 ":                "adapter apart",
		"dr-e 8 ":               "adapter",
		"canon dr-e-8":          "adapter",
		"canon dre8 adapter ":   "adapter",
		`"dre8" `:               "",
		"dre9 ":                 "",
		"q5456 a ":              "cartridge",
		"q 5456 a":              "cartridge",
		"q 5456a ":              "cartridge",
		"hp q5456 a cartridge ": "cartridge",
		"q5456 of a ":           "",
		"x 5482 ":               "processor",
		"xeon x 5482":           "processor",
		"x5 482 ":               "processor",
		"x OR 5482 ":            "",
		"t 0342 ":               "tape",
		"sbcmd19500 ":           "microphone",
		"sbcmd 19500":           "microphone",
		"sbcmd 195 00 ":         "microphone",
		"philips sbcmd 195/00 ": "microphone",
		"philips sbcmd195 /00 ": "microphone",
		"dv71211ea ":            "notebook",
		"dv 7 1211ea ":          "notebook",
		"godfather2 ":           "film", // a name and a number, which need not follow each other
		"a 500 w switch ":       "switch",
	}
	wantThings(t, s, "just written", queries)
	s.buildPostings(t)
	wantThings(t, s, "with postings", queries)
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "things", TypoTolerance: new(false)}); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "strict", forWords("dre8 ")); got != "" {
		t.Errorf("as written only, %q", got)
	}
	for query, want := range map[string]string{"dre 8 adapter ": "Canon <b>DR</b>-<b>E8</b> <b>adapter</b>", "q 5456 a": "HP <b>Q5456A</b> cartridge"} {
		if got := s.search(t, "things", forWords(query)).Hits[0].Highlight["title"]; len(got) != 1 || got[0] != want {
			t.Errorf("%q marks %q, want %q", query, got, want)
		}
	}
}
