package store_test

import (
	"math"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// A name and a number that are one word are two if no document has them so.
func TestNameAndNumberAsOneWord(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence", "code identifier")
	s.put(t, "things", "first", `{"title":"The Godfather"}`, "second", `{"title":"The Godfather Part 2"}`, "third", `{"title":"Toy Story 3"}`, "story", `{"title":"A Story of Toys"}`,
		"hl", `{"title":"HL printer"}`, "sony", `{"title":"Sony headphones","code":"WH1000"}`, "year", `{"title":"2049"}`)
	for query, want := range map[string]string{
		"godfather2 ":   "second first",
		"godfather2":    "second first year", // 2 may go on
		"part2 ":        "second",
		"story3 ":       "third",
		"godfather9 ":   "first second",
		"blade2049 ":    "", // nothing has the name
		"hl9 ":          "", // two letters say too little
		"godfather2x ":  "",
		`"godfather9" `: "",
		"sony wh1000 ":  "sony",
		"wh1000":        "sony",
	} {
		if got := s.found(t, "things", forWords(query)); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// The parts of a hyphenated word decide which of the documents with the word come first, and stand for it if no document has it.
func TestPartsOfWordsWithHyphens(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title sentence", "body long_text", "code identifier")
	s.put(t, "things",
		"once", `{"title":"high-speed photography","body":"a camera so good that nothing else is of that quality"}`,
		"often", `{"title":"high-speed photography","body":"a speed so high that nothing else is of that speed"}`,
		"apart", `{"title":"speed is high"}`,
		"hub", `{"title":"Hub for USB sticks, type C"}`,
		"stick", `{"title":"USB stick"}`,
		"code", `{"code":"usb-hub","title":"adapter"}`,
		"slash", `{"body":"notebook/laptop"}`, "laptop", `{"title":"laptop case"}`, "camera", `{"title":"camera case"}`)
	s.many(t, "things", 90, func(int) string { return `{"title":"common thing word"}` })
	check := func(when string) {
		t.Helper()
		for query, want := range map[string]string{
			"high-speed ":            "often once",
			"high-speed":             "often once",
			"high-sp":                "often once",
			`"high-speed"`:           "often once",
			"usb-c-hub ":             "hub",
			"usb-c-hub":              "hub",
			"usb-type-hu":            "hub",
			`"usb-c-hub" `:           "",
			"usb-hub ":               "code",
			"usb-hub-zzzz ":          "",
			"\u0301-\u0302":          "",
			"ª-º":                    "",
			"\U0001e900-\U0001e930 ": "",
			"\U0003134b-\u1e9e ":     "",
			"high--speed ":           "often once",
			"high-speed-":            "often once",
		} {
			if got := s.found(t, "things", forWords(query), func(r *service.SearchRequest) { r.Match = service.MatchAll }); got != want {
				t.Errorf("%s, %q finds %q, want %q", when, query, got, want)
			}
		}
		// As for other words, some parts are enough if few documents have all of them.
		if got, want := s.found(t, "things", forWords("usb-c-hub ")), "hub code stick"; got != want {
			t.Errorf("%s: usb-c-hub finds %q, want %q", when, got, want)
		}
		if got, want := s.found(t, "things", forWords("notebook/laptop case ")), "laptop camera slash"; got != want {
			t.Errorf("%s: notebook/laptop case finds %q, want %q", when, got, want)
		}
		// A document with the parts apart has something of the word, although the other words are nowhere near: it carries half.
		if got, want := s.found(t, "things", forWords("high-speed nowhere stick ")), "often once stick apart hub"; got != want {
			t.Errorf("%s: high-speed nowhere stick finds %q, want %q", when, got, want)
		}
		// The end of a sentence is not part of its last word, nor are brackets around it.
		for _, query := range []string{"case notebook/laptop?", "case (notebook/laptop)", "notebook/laptop, case "} {
			if got, want := s.found(t, "things", forWords(query)), "laptop camera slash"; got != want {
				t.Errorf("%s: %s finds %q, want %q", when, query, got, want)
			}
		}
		first := s.search(t, "things", forWords("high-speed "), explained).Hits[0]
		sum := 0.0
		for _, w := range first.Explanation.Words {
			sum += w.Score
			if formula := w.Share * float64(w.Repeats) * w.Rarity * (w.Frequency + w.TitleBonus); math.Abs(formula-w.Score) > 1e-9 || w.Share != 1 && w.Word == "high-speed" {
				t.Errorf("%s: %s adds %g, by what explains it %g: %+v", when, w.Word, w.Score, formula, w)
			}
		}
		if len(first.Explanation.Words) != 3 || math.Abs(sum-first.Score) > 1e-5 {
			t.Errorf("%s: the score %g is not that of the word and its two parts: %+v", when, first.Score, first.Explanation.Words)
		}
	}
	check("plain")
	s.buildPostings(t)
	check("with postings")
}

// A part may have digits, but what begins with one says nothing by itself.
func TestPartsWithDigits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence", "body long_text")
	s.put(t, "things",
		"both", `{"body":"memory of the kinds ddr3/ddr4, and a cable of the kind mc-07"}`,
		"bare", `{"title":"plain module"}`, "ddr4", `{"title":"ddr4 module"}`)
	if got, want := s.found(t, "things", forWords("ddr3/ddr4 module ")), "ddr4 bare both"; got != want {
		t.Errorf("ddr3/ddr4 module finds %q, want %q", got, want)
	}
	for query, want := range map[string]string{"ddr3/ddr4 ": "ddr3/ddr4 ddr3 ddr4", "mc-07 ": "mc-07"} {
		var words []string
		for _, w := range s.search(t, "things", forWords(query), explained).Hits[0].Explanation.Words {
			words = append(words, w.Word)
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("the score of %q is that of %q, want %q", query, got, want)
		}
	}
}

// What the address of a page names, and a name with the version that is required of it, are found where no document has them so.
func TestAddressesAndRequirements(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "id identifier", "title sentence", "version identifier", "links path", "contact email")
	s.put(t, "things", "ticket", `{"id":"PAY-12","title":"Broken page"}`, "other", `{"id":"PAY-13","title":"The same page"}`,
		"node", `{"id":"@types/node","title":"Definitions","version":"18.0.0"}`, "lodash", `{"id":"lodash","title":"Utilities","version":"4.17.21"}`,
		"debounce", `{"id":"lodash.debounce","title":"One of them","version":"2.31.0"}`, "linked", `{"title":"Notes","links":"https://example.org/notes/PAY-12"}`,
		"server", `{"id":"10.1.2.3","title":"Server"}`, "ann", `{"contact":"ann@example.org","title":"Contact"}`, "anna", `{"title":"Ann"}`)
	for query, want := range map[string]string{
		"https://tracker.example.org/browse/PAY-12": "ticket linked",
		"see https://tracker.example.org/PAY-12 ":   "ticket linked",
		"https://example.org/notes/PAY-12":          "linked", // a document has the address
		"http://10.1.2.3/":                          "server",
		"https://registry.example.org/@types/node":  "node",
		"https://registry.example.org/unheard/of":   "",
		"lodash@4.17.21":                            "lodash debounce",
		"lodash@4.0.0 ":                             "lodash debounce",
		"@types/node==18.0.0":                       "node",
		"unheard@4.17.21":                           "", // a version is not what is meant
		"ann@example.com":                           "", // somebody else
		"ann@example.org":                           "ann",
	} {
		if got := s.found(t, "things", forWords(query)); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
