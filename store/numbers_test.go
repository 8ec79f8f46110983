package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Numbers with their units, and models, are found in any spelling: as one word, as two, with a hyphen.
func TestNumbersAreFoundAsOthersWriteThem(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title sentence", "maker name", "code keyword")
	s.many(t, "things", 200, func(int) string { return `{"title":"common thing with 16 legs"}` })
	s.buildPostings(t)
	s.put(t, "things", "joined", `{"title":"Toner TN2030 black"}`, "hyphen", `{"title":"Toner HL-2030"}`, "apart", `{"title":"Toner XR 2030"}`, "suffix", `{"title":"Toner TX203A"}`,
		"gb", `{"title":"Memory 16GB"}`, "gb apart", `{"title":"Memory 16 GB"}`, "usb", `{"title":"USB 3.0 hub"}`, "sony", `{"maker":"Sony WH-1000XM4"}`,
		"dim", `{"title":"a 3D scan"}`, "dims", `{"title":"vitamins 3 D"}`, "name", `{"maker":"O'Brien"}`, "state", `{"title":"U.S.A. map"}`, "va", `{"title":"VA hospital"}`,
		"ghz", `{"title":"Router 2.4GHz"}`, "ghz apart", `{"title":"Router 2.4 GHz"}`, "other ghz", `{"title":"Router 2 of 4GHz"}`, "mp3", `{"title":"MP3 player"}`,
		"sse", `{"title":"with SSE4.2"}`, "sse apart", `{"title":"with SSE 4.2"}`, "sse other", `{"title":"SSE 4 of 2"}`, "mac", `{"title":"for MacOS 10.15.7"}`, "macs", `{"title":"for MacOS10.15.7"}`,
		"wifi", `{"title":"WiFi6.1 router"}`, "wifi61", `{"title":"WiFi61 router"}`, "v8", `{"title":"V10.5 engine"}`,
		"inch", `{"title":"Screen 24 in"}`, "inches", `{"title":"Screen 24in"}`, "wlan", `{"title":"Wireless 802.11n"}`, "i7", `{"title":"Core i7"}`, "i 7", `{"title":"Part I 7"}`)
	for query, want := range map[string]string{
		"tn2030 ":       "joined",
		"tn-2030 ":      "joined",
		"tn 2030 ":      "joined",
		"tn-20-30 ":     "joined", // 30 are no decimals, nor are 2030 and a
		"t.n.2030 ":     "joined",
		"tx-203.a ":     "suffix",
		"tn20":          "joined",
		"hl2030 ":       "hyphen",
		"hl20":          "hyphen",
		"hl 2030 ":      "hyphen",
		"xr2030 ":       "apart",
		"xr-2030 ":      "apart",
		"memory 16gb ":  "gb gb apart",
		"memory 16 gb ": "gb apart gb",
		"memory 16-gb ": "gb apart gb",
		"16-gb OR no ":  "gb apart gb",
		"no OR tn-2030": "joined",
		`"16 gb" `:      "gb apart",
		"2.4ghz ":       "ghz ghz apart",
		"2,4-ghz ":      "ghz apart ghz",
		"2.4gh":         "ghz ghz apart",
		"2.4 ghz ":      "ghz apart ghz",
		"(2.4 ghz) ":    "ghz apart ghz",
		`"2.4 ghz" `:    "ghz apart",
		"mp 3 ":         "mp3",
		"½ ":            "",
		"5½ gb ":        "",
		"usb½ ":         "",
		"usb 2½":        "",
		`"tn 2030" `:    "",
		"wh1000xm4 ":    "sony",
		"wh1000x":       "sony",
		"usb3 ":         "usb",
		"usb3.0 ":       "usb",
		"sse4.2 ":       "sse sse apart",
		"sse4.2":        "sse sse apart",
		"(sse4.2) ":     "sse sse apart",
		"sse 4.2 ":      "sse apart sse",
		"sse 4.2":       "sse apart sse",
		`"sse 4.2" `:    "sse apart",
		`"sse4.2" `:     "sse",
		"sse4.5 ":       "",
		"sse-4.2 ":      "sse apart sse",
		"wi-fi-6.1 ":    "wifi", // not WiFi61
		"wi-fi6.1 ":     "wifi",
		"wifi-6.1":      "wifi",
		"wifi 6.1 ":     "wifi",
		"v 10.5 ":       "", // a letter by itself is a word
		"sse OR 4.2 ":   "sse apart sse other",
		"macos10.15.7 ": "macs mac",
		"macos 10.15.7": "mac macs",
		"3d ":           "dim dims", // one letter is a unit
		"3 d ":          "dims dim",
		"3d":            "dim dims",
		"802.11 n ":     "wlan",
		"i7 ":           "i7",          // but no word before a number
		"24in ":         "inches inch", // texts do not have the stop word
		"screen 24in":   "inches inch",
		"obrien ":       "name",
		"o'brien ":      "name",
		"v&a ":          "", // nor are two letters
		"usa ":          "",
	} {
		if got := s.found(t, "things", forWords(query), func(r *service.SearchRequest) { r.Match = service.MatchAll }); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	strict := false
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "things", TypoTolerance: &strict}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"tn 2030 ", "hl2030 "} {
		if got := s.found(t, "strict", forWords(query), func(r *service.SearchRequest) { r.Match = service.MatchAll }); got != "" {
			t.Errorf("without typos, %q finds %q", query, got)
		}
	}
}

// Measures are found in any spelling: as one word, with an x between spaces, and in queries with a ×.
func TestMeasuresAreFoundAsOthersWriteThem(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title sentence", "model name")
	s.many(t, "things", 200, func(int) string { return `{"title":"common x thing 135 by 30"}` })
	s.buildPostings(t)
	s.put(t, "things", "word", `{"title":"Sheet 135x200 cm"}`, "apart", `{"title":"Sheet 155 x 220"}`, "sign", `{"title":"Sheet 180×210"}`, "model", `{"model":"Sheet 60 x 90"}`,
		"screw", `{"title":"Screw M6x20"}`, "points", `{"title":"Board 1.5x2.5 m"}`, "points apart", `{"title":"Board 3.5 x 4.5 m"}`, "box", `{"title":"Box 10x20x30"}`, "boxes", `{"model":"Box 11 x 21 x 31"}`,
		"memory", `{"title":"Memory 4x2GB"}`, "elsewhere", `{"title":"200 sheets, 135 x"}`, "group", `{"title":"SO 6 x SU 2"}`)
	for query, want := range map[string]string{
		"135x200 ":          "word",
		"board 1.5 x 2.5 ":  "points",
		"135 X 200 ":        "elsewhere word", // the first has all three
		"135×200 ":          "word",
		"135 × 200 ":        "elsewhere word",
		"155x220 ":          "apart",
		"155X220":           "apart",
		"155×220 ":          "apart",
		"(155×220) ":        "apart",
		"180x210 ":          "", // it might be 180.210
		"180×210 ":          "sign",
		"180 × 210 ":        "sign",
		"60×90 ":            "model",
		"60x90 ":            "model",
		"m6 x 20 ":          "screw",
		"m6×20 ":            "screw",
		"1.5 x 2.5 ":        "points",
		"3.5x4.5 ":          "points apart",
		"3,5×4,5 ":          "points apart",
		"10 x 20 x 30 ":     "box",
		"11x21x31 ":         "boxes",
		"4 x 2gb ":          "memory",
		"155x":              "apart", // while being typed
		"155x2":             "apart",
		"135 x 2":           "elsewhere word",
		"155×2":             "apart",
		`"155x220" `:        "", // quoted words are taken as they are
		`"155" x 221 `:      "",
		"155x220x1 ":        "", // another measure
		"su 2 x so 6 ":      "group",
		"155x220 OR 60x90 ": "model apart",
	} {
		got := strings.Fields(s.found(t, "things", forWords(query), func(r *service.SearchRequest) { r.Match = service.MatchAll }))
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// Words with punctuation that no document has, and unclosed phrases, are split into their words.
func TestRunsThatNoDocumentHas(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "papers", "title sentence")
	s.put(t, "papers", "igf", `{"title":"The factor IGF"}`, "other", `{"title":"another trial"}`, "both", `{"title":"read and/or write"}`,
		"care", `{"title":"Care sunt cele mai mari"}`, "theater", `{"title":"a theater in town"}`, "at", `{"title":"AT&T"}`, "nine", `{"title":"cloud 9"}`)
	for query, want := range map[string]string{
		"igf-1 ":                   "igf",
		"igf-1 trial ":             "igf other",
		"write/read ":              "both",
		`"mari care`:               "care",
		`"mari care" `:             "",
		"x-trial@example.org ":     "",
		"http://igf.example/trial": "other", // what its path names
		"at&t":                     "at",
		"9/escargot trial ":        "other", // a letter or a short number is not what was meant
		"9/escarg":                 "",
	} {
		if got := s.found(t, "papers", forWords(query)); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// In Turkish, what follows the apostrophe of a name is not part of it.
func TestTurkishNames(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence", "team name")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "docs", []byte(`{"language":"turkish"}`), true); err != nil {
		t.Fatal(err)
	}
	s.put(t, "docs", "1", `{"title":"Broncos takımı"}`, "2", `{"title":"Broncos'a karşı"}`, "3", `{"title":"Panthers","team":"Jets"}`,
		"4", `{"title":"O'Brien geldi"}`, "5", `{"team":"O'Brien"}`, "6", `{"team":"Jets'in"}`)
	for query, want := range map[string]string{
		"Broncos'un ": "1 2",
		"Jets'in ":    "3 6", // in names, too
		"O'Brien ":    "4 5", // o is a stop word
	} {
		got := strings.Fields(s.found(t, "docs", forWords(query)))
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// A number at the end of a query that is a prefix of very many numbers stands for the most frequent of them.
func TestBegunNumbersStandForFrequentOnes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title sentence")
	s.many(t, "things", 8000, func(i int) string {
		if i%2 == 0 {
			return `{"title":"level 10 and 11"}`
		}
		return `{"title":"level 120 and 20"}`
	})
	s.buildPostings(t)
	s.put(t, "things", "rare", `{"title":"level 1999"}`, "own", `{"title":"level 1"}`)
	for query, want := range map[string]int64{"level 1": 8001, "level 10": 4000, "level 12": 4000, "level 2": 4000, "level 199": 1, "level 1 ": 1, "level 3": 0} {
		if got := s.search(t, "things", forWords(query), func(r *service.SearchRequest) { r.Match = service.MatchAll }).Total; got != want {
			t.Errorf("%q finds %d documents, want %d", query, got, want)
		}
	}
}

// An excluded number excludes that number, not others with the same digits.
func TestExcludedNumbers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "number searchable_number", "title sentence", "code identifier")
	s.many(t, "things", 200, func(i int) string {
		return []string{`{"number":42,"title":"map"}`, `{"number":4.2,"title":"map"}`, `{"number":"4.20","title":"map"}`, `{"number":[7,4.2],"title":"map"}`, `{"title":"map 42","code":"X-9"}`}[i%5]
	})
	for _, accelerated := range []bool{false, true} {
		if accelerated {
			s.buildPostings(t)
		}
		for query, want := range map[string]int64{"-4.2 ": 80, "-4.20": 80, "-42 ": 120, "-420 ": 200, "map -7 ": 160, `-"4.2" map `: 80, "map -4,2 ": 160, "-8,": 200} {
			for _, match := range matches {
				if got := s.search(t, "things", forWords(query), matching(match)).Total; got != want {
					t.Errorf("accelerated %t: %q (%s) finds %d documents, want %d", accelerated, query, match, got, want)
				}
			}
		}
		// Other conditions on the hits hold as well.
		if got := s.search(t, "things", forWords("map -42 "), filtered("code EXISTS OR number = 42 OR number = 7")).Total; got != 40 {
			t.Errorf("accelerated %t: with a filter, %d documents are found, want 40", accelerated, got)
		}
	}
}

// Of numbers with the same digits, the one written as in the query comes first.
func TestNumbersThatAreTheQuery(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(2, 4)
	s.create(t, "things", "number searchable_number")
	s.put(t, "things", "125", `{"number":125}`, "12.5", `{"number":12.5}`, "12.50", `{"number":"12.50"}`, "1250", `{"number":1250}`, "0001", `{"number":"0001"}`, "1", `{"number":1}`)
	s.many(t, "things", 6, func(i int) string { return fmt.Sprintf(`{"number":[7,%d,"8.70"]}`, i%2) })
	s.put(t, "things", "last", `{"number":12.57}`)
	for _, way := range []string{"from the table", "from postings"} {
		for query, want := range map[string]string{
			"12.50 ": "12.50 12.5 125 1250",
			"12.50":  "12.50 12.5 125 1250",
			"12.5 ":  "12.5 125 12.50",
			"125 ":   "125 12.5 12.50",
			"1250 ":  "1250 12.50",
			"0001 ":  "0001 1",
			"8.70 ":  "000000 000001 000002 000003 000004 000005",
		} {
			if got := s.found(t, "things", forWords(query)); !strings.HasPrefix(got, want) {
				t.Errorf("%s %q finds in this order: %s", way, query, got)
			}
		}
		s.buildPostings(t)
	}
}

// A number and its letters, with a space that an identifier does not have, are found as parts of it, beside other words of the query.
func TestIdentifiersWithSpacesBeforeTheirLetters(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "laws", "paragraph identifier", "law keyword", "text long_text")
	s.put(t, "laws", "312a", `{"paragraph":"§ 312a","law":"BGB","text":"Pflichten"}`, "312", `{"paragraph":"§ 312","law":"BGB","text":"Buchstabe a"}`, "312b", `{"paragraph":"§ 312b","law":"BGB"}`,
		"stgb", `{"paragraph":"§ 312a","law":"StGB"}`, "sku", `{"paragraph":"M393-16GB","law":"RAM"}`)
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "laws", []byte(`{"language":"german"}`), true); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"312 a bgb ":   "312 312a",
		"§ 312 a BGB":  "312 312a",
		"bgb § 312 b ": "312b",
		"ram 16 gb ":   "sku",
		"312 c bgb ":   "",
		`"312 a" bgb `: "312a", // a whole value
	} {
		if got := s.found(t, "laws", forWords(query), matching("all")); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
