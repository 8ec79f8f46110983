package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

// stoppedWord is a stop word of the indices in which ways to search are compared: stemmed fields contain it, but are not searched for it.
const stoppedWord = "cloud"

// stopWord makes it a stop word of an index.
func stopWord(t *testing.T, svc *service.Service, index string) {
	t.Helper()
	settings := fmt.Sprintf(`{"stop_words":[%q]}`, stoppedWord)
	if _, err := svc.UpdateIndexSettings(t.Context(), "demo", index, json.RawMessage(settings), true); err != nil {
		t.Fatal(err)
	}
}

var matches = []service.Match{service.MatchAll, service.MatchAny, service.MatchAuto}

// A stop word in a stemmed field does not find a document, nor does another word's stem that equals it. A word's stem is found in fields without
// stemming.
func TestLexemesOfOtherFields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "text sentence", "name name", "tags tags")
	stopWord(t, s.svc, "docs")
	s.put(t, "docs",
		"but", `{"text":"no ifs and no buts"}`,
		"named", `{"text":"tree","name":"Cloud"}`,
		"stem", `{"name":"Walk"}`,
		"stemmed", `{"text":"walking"}`,
		"stopped", `{"text":"cloud house"}`,
		"tagged", `{"tags":["cloud house"],"rest":"cloud"}`)
	id := "_id"
	for query, want := range map[string]string{
		"cloud ":          "named",
		`"cloud"`:         "named",
		"-cloud":          "but stem stemmed", // an excluded word is never left out as a stop word
		"cloud OR tree ":  "named",
		"cloud OR house ": "named stopped tagged",
		"house cloud ":    "stopped tagged",
		"walk ":           "stem stemmed",
		"walking ":        "stem stemmed",
		"-walking":        "but named stem stopped tagged",
		"but ":            "",
		"-but":            "but named stem stemmed stopped tagged",
	} {
		for _, match := range matches {
			if query == "house cloud " && match != service.MatchAll {
				continue // an optional word is one of any
			}
			byID := func(r *service.SearchRequest) { r.Sort = &id }
			if got := s.found(t, "docs", forWords(query), matching(match), byID); got != want {
				t.Errorf("%q (%s) finds %q, not %q", query, match, got, want)
			}
		}
	}
}

// Values in lists of objects are marked separately, and once each.
func TestHighlightsOfObjectsInLists(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "books", "authors.name name", "title sentence")
	s.put(t, "books", "a", `{"title":"x","authors":[{"name":"Ann Smith"},{"age":3},{"name":["Bob Smith","Cy"],"note":"a smith"}]}`)
	want := map[string][]string{"authors.name": {"Ann <b>Smith</b>", "Bob <b>Smith</b>"}, "authors": {"a <b>smith</b>"}}
	if diff := cmp.Diff(want, s.search(t, "books", forWords("smith ")).Hits[0].Highlight); diff != "" {
		t.Error(diff)
	}
}

// In tags and levels, a stop word is only looked for as a whole value: it is not marked within others. The same holds for a word with a different
// stem.
func TestWordsAreNotMarkedForWholes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence", "kind category", "tags tags")
	stopWord(t, s.svc, "docs")
	s.put(t, "docs", "a", `{"title":"cloud house","kind":"Cloud house > Cloud","tags":["cloud","cloud house"]}`)
	want := map[string][]string{
		"title": {"cloud <b>house</b>"},
		"kind":  {"Cloud <b>house</b> &gt; <b>Cloud</b>"},
		"tags":  {"<b>cloud</b>", "cloud <b>house</b>"},
	}
	if diff := cmp.Diff(want, s.search(t, "docs", forWords("cloud houses ")).Hits[0].Highlight); diff != "" {
		t.Error(diff)
	}
}

// Postings and vectors find what the statement does when stemmed fields have a stop word, and for queries of one word, where matching all words is the same
// as matching any.
func TestWaysAgreeOnLexemesOfOtherFields(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, postings, svc := newAccelerated(t)
	// River is in nearly all documents: some documents with the stop word in a name must lack it, whatever the others are.
	clear := `[{"action":"upsert","_id":"clear","body":{"author":"Cloud Smith","title":"stone"}},{"action":"upsert","_id":"dry","body":{"author":"Cloud","text":"train train"}}]`
	if _, err := svc.WriteBatch(ctx, "demo", "things", []byte(clear)); err != nil {
		t.Fatal(err)
	}
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	vectors := &rankedBothWays{Store: st, t: t}
	queries := []string{"cloud ", `"cloud"`, "cloud OR walking ", "houses OR cloud OR rivers ", "cloud -walking ", "cloud -rivers ", "river -cloud ", `cloud OR "stone bridge" `, "clouds OR cloud "}
	for _, svc := range []*service.Service{svc, service.New(vectors, service.Config{})} {
		for _, query := range queries {
			var totals []int64
			for _, match := range matches {
				resp, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: query, Match: match})
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(resp.Hits, func(h service.Hit) bool { return h.Score == 0 || len(h.Highlight) == 0 }) {
					t.Errorf("%q (%s) finds what does not have it", query, match)
				}
				totals = append(totals, resp.Total)
			}
			if totals[0] == 0 || totals[0] != totals[1] || totals[0] != totals[2] {
				t.Errorf("%q finds %d of all, any and auto, want one number", query, totals)
			}
		}
	}
	if n, few := postings.accelerated.Load(), vectors.few.Load(); n < 15 || few < 10 {
		t.Errorf("%d searches were answered from postings, %d from vectors, want more", n, few)
	}
}

// Weights are such that PostgreSQL can compute with them; smaller weights stored before there was a bound count as the minimum.
func TestWeightsOfSearches(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence", "body text")
	s.put(t, "docs", "a", `{"title":"alpha beta"}`, "b", `{"body":"alpha beta"}`)
	def := service.SearchDefinition{Name: "weighed", Index: "docs"}
	for i, weight := range []float64{0.001, 1, 1000, 0, -1, 5e-324, 0.0009, 1001, math.NaN(), math.Inf(1)} {
		want := i < 3
		def.Fields = map[string]float64{"title": weight, "body": 1}
		if _, err := s.svc.PutSearch(t.Context(), "demo", def); (err == nil) != want || err != nil && service.ErrorCode(err) != service.CodeInvalidRequest {
			t.Errorf("weight %g: %v", weight, err)
		}
		if got := s.search(t, "weighed", forWords("alpha beta ")).Total; got != 2 {
			t.Errorf("after weight %g: %d documents", weight, got)
		}
	}
	if _, err := s.db.Pool.Exec(t.Context(), "WITH of AS (UPDATE rowan.search_fields SET weight = 5e-324 WHERE field = 'title') UPDATE rowan.applications SET version = version + 1"); err != nil {
		t.Fatal(err)
	}
	if got := s.search(t, "weighed", forWords("alpha beta ")).Total; got != 2 {
		t.Errorf("with a weight of next to nothing: %d documents", got)
	}
}

// If no document has any of the other words, a phrase of stop words is found where it is one.
func TestStoppedPhraseAmongUnknownWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "text sentence", "name name")
	s.put(t, "things", "phrase", `{"name":"On at last"}`, "apart", `{"name":"Two on the splitting dynamics at rest"}`, "across", `{"name":"on","text":"at"}`)
	want := "phrase"
	for range 2 { // with names looked at one by one, and with postings
		for _, match := range []service.Match{service.MatchAny, service.MatchAuto} {
			any := func(r *service.SearchRequest) { r.Match = match }
			for _, words := range []string{"qwxyzzqw vbnmmvbn on/at ", "qwxyzzqw vbnmmvbn  on/at "} {
				if got := s.found(t, "things", forWords(words), any, func(r *service.SearchRequest) { r.PerPage = new(5) }); got != want {
					t.Errorf("%s %q: found %q, want %q", match, words, got, want)
				}
				if got := s.found(t, "things", forWords(words), any, filtered("nothing IS NULL")); got != want {
					t.Errorf("%s %q, filtered: found %q, want %q", match, words, got, want)
				}
			}
		}
		s.many(t, "things", 1000, func(i int) string { return `{"name":"on a path at night"}` })
		s.buildPostings(t)
	}
}

// A word is found, and counts, in a field with the minimum weight, however large the weight of another field without it.
func TestWordsInFieldsOfTheLeastWeight(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title sentence", "body text", "more text")
	s.put(t, "things", "title", `{"title":"alpha beta"}`, "once", `{"title":"alpha"}`, "body", `{"body":"alpha beta"}`)
	s.many(t, "things", 150, func(i int) string { return fmt.Sprintf(`{"title":"alpha number","body":"common %d"}`, i) })
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "weighed", Index: "things", Fields: map[string]float64{"title": 0.001, "body": 1000, "more": 1000}}); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"without postings", "with postings"} {
		for query, want := range map[string]string{"beta ": "body title", "beta alpha ": "body title once", "\"alpha beta\" ": "body title", "bet": "body title"} {
			if got := s.found(t, "weighed", forWords(query), matching(service.MatchAny), filtered(`_id IN ["title","once","body"]`)); got != want {
				t.Errorf("%s, %q finds %q, want %q", when, query, got, want)
			}
		}
		if got := s.search(t, "weighed", forWords("alpha "), matching(service.MatchAny)).Total; got != 153 {
			t.Errorf("%s, %d documents of 153", when, got)
		}
		s.buildPostings(t)
	}
}
