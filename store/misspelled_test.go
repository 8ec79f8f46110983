package store_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// An existing rare word comes before the common word that it might be a misspelling of, whatever else the query has; a word in 50 documents stands
// for no other.
func TestRareWordsComeFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "works", "title sentence", "artist name", "medium text")
	s.many(t, "works", 2000, func(i int) string {
		switch {
		case i < 5:
			return `{"title":"Coast","artist":"John Piper","medium":"Oil on canvas"}`
		case i < 8:
			return `{"title":"Brighton","medium":"Graphite on paper"}`
		}
		return fmt.Sprintf(`{"title":"Sheet","artist":"A %d","medium":"Graphite on paper"}`, i%9)
	})
	s.put(t, "works", "real", `{"title":"Parade","artist":"John Piper","place":"Brighton","medium":"Oil"}`)
	settle := func() {
		t.Helper()
		if err := s.Settle(t.Context(), s.current(t, "works")); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	first := func(query string) (string, int64) {
		t.Helper()
		found, err := s.svc.Search(t.Context(), demo, "works", service.SearchRequest{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		return found.Hits[0].Document.ID, found.Total
	}
	if id, total := first("piper brighton "); id != "real" || total != 4 {
		t.Errorf("piper brighton: %s comes first of %d documents, want real of 4", id, total)
	}
	if id, total := first("papir brighton "); id == "real" || total != 4 {
		t.Errorf("papir brighton: %s comes first of %d documents, want one on paper of 4", id, total)
	}
	if _, total := first("piper "); total != 2001 {
		t.Errorf("piper, of 6 documents, finds %d, want those on paper, too", total)
	}
	for i := range 60 {
		s.put(t, "works", fmt.Sprint("other", i), `{"title":"Coast","artist":"John Piper","medium":"Oil on canvas"}`)
	}
	settle()
	if _, total := first("piper "); total != 66 {
		t.Errorf("piper, of 66 documents, finds %d", total)
	}
}

// A last word that may continue is found with an error in its prefix, but counts less than one with an error in the whole word; a short stop word is
// not assumed to be misspelled.
func TestBeginningsWithAnError(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title sentence", "maker name")
	s.many(t, "goods", 60, func(int) string { return `{"title":"Bluetooth speakers"}` })
	s.put(t, "goods", "sale", `{"title":"A car","maker":"for Sale"}`)
	for query, want := range map[string]int64{"bluetooth ": 60, "bleuto": 60, "bleuto ": 0, `"bleuto`: 0, "sale ": 1, "ford ": 0} {
		if found := s.search(t, "goods", forWords(query)); found.Total != want {
			t.Errorf("%q finds %d documents, want %d", query, found.Total, want)
		}
	}
}

// A word with a superfluous letter is found at each letter from the fifth on, until it is complete.
func TestALetterTooManyWhileTyping(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title sentence")
	words := []string{"fiber", "laptop", "premium", "keyboard", "bluetooth"}
	s.many(t, "goods", 20*len(words), func(i int) string { return fmt.Sprintf(`{"title":"%s things"}`, words[i%len(words)]) })
	for _, word := range words {
		for at := 1; at < len(word); at++ {
			typed := word[:at] + "q" + word[at:]
			for n := 5; n <= len(typed); n++ {
				if found := s.search(t, "goods", forWords(typed[:n])); found.Total != 20 {
					t.Errorf("%q on the way to %q finds %d documents, want the 20 with %s", typed[:n], typed, found.Total, word)
				}
			}
		}
	}
}

// Of the words equally close to an unknown one, the most frequent is most likely meant: it comes first even if another one is a whole title.
func TestFrequentWordsAreMeant(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title sentence")
	s.many(t, "goods", 300, func(int) string { return `{"title":"monitor arm"}` })
	s.put(t, "goods", "rare", `{"title":"monster"}`)
	found := s.search(t, "goods", forWords("moniter "))
	if first := found.Hits[0].Document.ID; found.Total != 301 || first == "rare" {
		t.Errorf("%s is the first of %d documents, want a monitor of 301", first, found.Total)
	}
}

// What is found otherwise than as written contributes a share of what it contributes as written. A title that the query names, which a misspelling
// does not, would contribute more.
func TestSharesOfWaysToFindAWord(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "goods", "title sentence", "maker name", "code identifier", "place path", "number searchable_number")
	s.many(t, "goods", 60, func(int) string { return `{"title":"other things"}` })
	s.put(t, "goods", "one", `{"title":"keyboard tray","maker":"Hesperides Press","code":"QX91","place":"/shelves/upper","number":450012}`)
	s.synonyms(t, "goods", [][]string{{"klavier", "keyboard"}})
	score := func(query string) float64 {
		t.Helper()
		found := s.search(t, "goods", forWords(query))
		if len(found.Hits) != 1 {
			t.Fatalf("%q finds %d documents, want one", query, len(found.Hits))
		}
		return found.Hits[0].Score
	}
	for _, test := range []struct {
		query, written string
		share          float64
	}{
		{"keybo", "keyboard ", 0.8},
		{"hesper", "hesperides ", 0.8},
		{"klavier ", "keyboard ", 0.9},
		{"keybaord ", "keyboard ", 0.3},
		{"hesperdies ", "hesperides ", 0.3},
		{"keybaor", "keyboard ", 0.24},
		{"qx", "qx91 ", 0.5},
		{"qx-91 ", "qx91 ", 0.6},
		{"/shelves/up", "/shelves/upper ", 0.5},
		{"4500", "450012 ", 0.5},
	} {
		if share := score(test.query) / score(test.written); math.Abs(share-test.share) > 1e-5 {
			t.Errorf("%q gives %g of %q, want %g", test.query, share, test.written, test.share)
		}
	}
}

// The pages that a cursor leads to are consistent with the first page, even if the words of a query carry less than their rarity, because documents
// have another word that they may be a misspelling of.
func TestCursorsCarryWhatTheFirstPageDid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "works", "title name")
	s.many(t, "works", 500, func(i int) string { return []string{`{"title":"coast"}`, `{"title":"paper"}`}[i%5/3] })
	s.put(t, "works", "real", `{"title":"piper"}`)
	if err := s.Settle(t.Context(), s.current(t, "works")); err != nil {
		t.Fatal(err)
	}
	first := s.search(t, "works", forWords("piper coast "), func(r *service.SearchRequest) { r.PerPage = new(10) })
	next := s.search(t, "works", forWords("piper coast "), func(r *service.SearchRequest) { r.PerPage, r.Cursor = new(1000), first.Cursor })
	if first.Total != 501 || next.Total != 501 || len(next.Hits) != 491 {
		t.Errorf("%d documents, after the cursor %d and %d hits; want 501, 501 and 491", first.Total, next.Total, len(next.Hits))
	}
}

// A word with one error is more likely to be meant than one with two, which contributes less however short its document is.
func TestFewerErrorsComeFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "places", "title sentence", "text long_text")
	s.put(t, "places", "a", `{"title":"Restart"}`, "b", `{"title":"A restaurant by the river"}`, "c", `{"text":"Restarts, and how a restart is restarted"}`, "d", `{"title":"Restarant"}`)
	if err := s.Settle(t.Context(), s.current(t, "places")); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"restaurnt ": "b a d c", "restarnt ": "a d c b"} {
		if got := s.found(t, "places", forWords(query)); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// Vocabularies know words as they are written. A word that documents have in another form still counts as known.
func TestOtherFormsAreNoMisspellings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title sentence", "director name")
	s.put(t, "films", "plane", `{"title":"The paper plane"}`)
	s.put(t, "films", "plans", `{"title":"Plans and a planet"}`)
	s.put(t, "films", "palmer", `{"title":"Palms","director":"Arnold Palmer"}`)
	settle := func() {
		t.Helper()
		if err := s.Settle(t.Context(), s.current(t, "films")); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	find := func(query string, want ...string) {
		t.Helper()
		for _, match := range []service.Match{service.MatchAll, service.MatchAny} {
			found, err := s.svc.Search(t.Context(), demo, "films", service.SearchRequest{Query: query, Match: match})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, found.IDs); diff != "" {
				t.Errorf("%q, match %s (-want +got):\n%s", query, match, diff)
			}
		}
	}
	find("planes ", "plane")
	find("planes", "plane") // which is a prefix of planets except for an error
	find("palmers ", "palmer")
	find("plamer ", "palmer")
	for i := range 25 {
		s.put(t, "films", fmt.Sprint("planet", i), `{"title":"Planet"}`)
	}
	settle()
	if found, err := s.svc.Search(t.Context(), demo, "films", service.SearchRequest{Query: "planes "}); err != nil || found.Total != 27 || found.IDs[0] != "plane" {
		t.Errorf("planes, of one document, finds %d, first %v; want those of planet, too: %v", found.Total, found.IDs[:1], err)
	}

	// The same holds for the words that it may be a misspelling of: few documents have accepts, but many have other forms of it.
	s.put(t, "films", "accpeted", `{"title":"Accpeted"}`, "accepts", `{"title":"She accepts"}`)
	for i := range 25 {
		s.put(t, "films", fmt.Sprint("accepting", i), `{"title":"Accepting it"}`)
	}
	settle()
	if found, err := s.svc.Search(t.Context(), demo, "films", service.SearchRequest{Query: "accpets "}); err != nil || found.Total != 27 || found.IDs[0] != "accpeted" {
		t.Errorf("accpets, in another form of one document, finds %d; want those of accept, too: %v", found.Total, err)
	}
}

// Stemmers take for an ending what only looks like one: busness is not a form of bus. Documents with the stem come first.
func TestMisspelledWordsThatSeemForms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "films", "title sentence")
	for i := range 60 {
		s.put(t, "films", fmt.Sprint("bus", i), `{"title":"Bus"}`, fmt.Sprint("computer", i), `{"title":"Computers"}`)
	}
	for i := range 5 {
		s.put(t, "films", fmt.Sprint("business", i), `{"title":"Business"}`, fmt.Sprint("compete", i), `{"title":"They compete"}`)
	}
	for i := range 6 {
		s.put(t, "films", fmt.Sprint("plans", i), `{"title":"Plans"}`, fmt.Sprint("climbers", i), `{"title":"Climbers"}`)
	}
	for i := range 3 {
		s.put(t, "films", fmt.Sprint("plane", i), `{"title":"Plane"}`, fmt.Sprint("climb", i), `{"title":"Climb"}`)
	}
	for i := range 4 {
		s.put(t, "films", fmt.Sprint("bused", i), `{"title":"Bused"}`, fmt.Sprint("basing", i), `{"title":"Basing"}`)
	}
	totals := func(want map[string]int64) {
		t.Helper()
		got := map[string]int64{}
		for query := range want {
			found, err := s.svc.Search(t.Context(), demo, "films", service.SearchRequest{Query: query, PerPage: new(200)})
			if err != nil {
				t.Fatal(err)
			}
			got[query] = found.Total
			if title := string(found.Hits[0].Document.Body); !strings.Contains(`{"title": "Bus"} {"title": "Computers"} {"title": "Bused"} {"title": "Plane"} {"title": "Climb"}`, title) {
				t.Errorf("%q: first comes %s", query, title)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if err := s.Settle(t.Context(), s.current(t, "films")); err != nil {
		t.Fatal(err)
	}
	totals(map[string]int64{
		"busness ": 65, // business
		"busing ":  8,  // basing: as many have that as bused
		"buses ":   64, // of bused, and of bus; forms with a regular -s may be absent by chance
		"planes ":  3,
		"climbes ": 9, // climbers
		"compute ": 65,
		"compute":  60, // which is the beginning of computers
	})
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "films", []byte(`{"language":"dutch"}`), true); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context(), s.current(t, "films")); err != nil {
		t.Fatal(err)
	}
	found, err := s.svc.Search(t.Context(), demo, "films", service.SearchRequest{Query: "computere "})
	if err != nil || found.Total != 60 {
		t.Errorf("in Dutch, computere finds %v: %v", found, err)
	}
}

// A last word that is itself a word keeps its rarity, however many documents have words that it is a prefix of, from rows and from postings: a
// document with it comes before those with such words, even if these are shorter.
func TestLastWordsThatBeginFrequentOnes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(10)
	s.create(t, "things", "artist name", "medium text")
	s.many(t, "things", 200, func(i int) string {
		switch i {
		case 7:
			return `{"artist":"Lygia Pape","medium":"Woodcut on paper, printed by the artist herself"}`
		case 8, 9:
			return `{"artist":"Lygia Clark","medium":"Paper"}`
		}
		return fmt.Sprintf(`{"artist":"Somebody %d","medium":"Ink on paper"}`, i)
	})
	check := func(when string) {
		t.Helper()
		written := s.search(t, "things", forWords("lygia pape "))
		for query, of := range map[string]int64{"lygia pape": 3, "pape": 200, "papers": 200} {
			found := s.search(t, "things", forWords(query))
			if found.Total != of {
				t.Errorf("%s: %q finds %d, want %d", when, query, found.Total, of)
			}
			if query == "papers" {
				continue
			}
			if first := found.Hits[0]; first.Document.ID != "000007" || query == "lygia pape" && first.Score != written.Hits[0].Score {
				t.Errorf("%s: %s is the first that %q finds, with %v; as a finished word it gives %v", when, first.Document.ID, query, first.Score, written.Hits[0].Score)
			}
		}
	}
	check("from rows")
	s.buildPostings(t)
	check("from postings")
}

// A misspelled word is also found if documents only have other forms of what is meant, unless they have the word itself in another form.
func TestMisspelledForms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "parts", "title sentence")
	s.put(t, "parts", "desk", `{"title":"Adjust the desk"}`, "keys", `{"title":"Wireless keyboards"}`, "many", `{"title":"Distribution of cables"}`, "goggle", `{"title":"Goggle strap"}`, "google", `{"title":"Google Pixel"}`,
		"form", `{"title":"Formation flight"}`)
	check := func() {
		t.Helper()
		for query, want := range map[string]string{
			"ajusts ": "desk", "ajusts": "desk", "adjsuting ": "desk", "keybord ": "keys", "ditributed ": "many", "ditributed cables ": "many",
			"ajust ": "desk",
			// Two errors; quoted; a word that documents have in another form; a wrong first letter.
			"ajuts ": "", `"ajusts"`: "", "goggles ": "goggle", "abjusts ": "desk", "xdjusts ": "", "fermations ": "form", "ajusts -desk ": "",
		} {
			if got := s.found(t, "parts", forWords(query)); got != want {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
	}
	check() // before the vocabulary has what was written
	if err := s.Settle(t.Context(), s.current(t, "parts")); err != nil {
		t.Fatal(err)
	}
	check()
	s.put(t, "parts", "own", `{"title":"Ajusted"}`)
	if got := s.found(t, "parts", forWords("ajusts ")); got != "own" {
		t.Errorf("where a document has the word itself in another form: %q", got)
	}
}
