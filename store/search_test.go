package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// newFilms returns a small index with fields of several kinds.
func newFilms(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	s.create(t, "films", "title name", "plot text", "genre keyword", "year int")
	s.put(t, "films",
		"alien", `{"title":"Alien","plot":"A crew meets a creature in space","genre":"Horror","year":1979}`,
		"aliens", `{"title":"Aliens","plot":"Marines meet many creatures on a moon","genre":"Action","year":1986}`,
		"gravity", `{"title":"Gravity","plot":"Two astronauts are lost in space after an accident in space","genre":"Drama","year":2013}`,
		"solaris", `{"title":"Solaris","plot":"A planet makes memories real for the crew of a station","genre":"Drama","year":1972}`,
		"tube", `{"title":"The Tube","plot":"A television salesman loses his memory","genre":"Comedy","year":1990,"note":"Lost treasure"}`,
		"who", `{"title":"The Who","plot":"A band","genre":"Science Fiction","year":1975}`)
	return s
}

func TestQueries(t *testing.T) {
	t.Parallel()
	s := newFilms(t)
	for _, test := range []struct {
		query string
		match service.Match
		want  string // by id
	}{
		{"", "", "alien aliens gravity solaris tube who"},
		{"space ", "all", "alien gravity"},
		{"space crew ", "all", "alien"},
		{"space crew ", "any", "alien gravity solaris"},
		{"SPACE creature ", "all", "alien"},
		{`"lost in space"`, "all", "gravity"},
		{`"space in lost"`, "all", ""},
		{"space -crew ", "all", "gravity"},
		{`space -"lost in space"`, "all", "alien"},
		{"-space", "all", "aliens solaris tube who"},
		{"marines OR astronauts", "all", "aliens gravity"},
		{"marines OR crew space ", "all", "alien"},
		{"science fiction", "all", "who"},
		{`"science fiction"`, "all", "who"},
		{"drama", "all", "gravity solaris"},
		{"astro", "all", "gravity"},
		{"astro ", "all", ""},
		{"gravty ", "all", "gravity"},
		{`"gravty"`, "all", ""},
		{"treasure", "all", "tube"},
		{"the who", "all", "who"},
		{"the ", "all", "tube who"},
		{"zzzz space ", "all", ""},
		{"zzzz space ", "any", "alien gravity"},
		{"!!! ", "all", ""},
		{"\x01😀", "all", ""},
	} {
		if got := s.found(t, "films", forWords(test.query), matching(test.match), sortedBy("_id")); got != test.want {
			t.Errorf("%q (%s) finds %q, not %q", test.query, test.match, got, test.want)
		}
	}
	resp := s.search(t, "films", forWords("space crew "), matching(service.MatchAny))
	if resp.TotalAllWords != 1 || resp.Params.Match != service.MatchAny || resp.IDs[0] != "alien" {
		t.Errorf("%d with all words, params %+v, hits %q", resp.TotalAllWords, resp.Params, resp.IDs)
	}
	if resp = s.search(t, "films", forWords("space ")); resp.Params.Match != service.MatchAll {
		t.Errorf("one word was searched as %s", resp.Params.Match)
	}
	// Longer than any lexeme, as a whole and in its words.
	for _, long := range []string{strings.Repeat("space crew ", 3000), "space " + strings.Repeat("x", 3000)} {
		if got := s.found(t, "films", forWords(long), matching(service.MatchAny), filtered("_id = alien")); got != "alien" {
			t.Errorf("a long query finds %q", got)
		}
	}
}

func TestSynonymsAndStopWords(t *testing.T) {
	t.Parallel()
	s := newFilms(t)
	set := func(body string) {
		t.Helper()
		if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "films", []byte(body), false); err != nil {
			t.Fatal(err)
		}
	}
	check := func(query, want string) {
		t.Helper()
		if got := s.found(t, "films", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%q finds %q, not %q", query, got, want)
		}
	}
	set(`{"synonyms":[["crew","band"],{"from":["tv"],"to":["television"]},{"from":["outer world"],"to":["space"]}],"stop_words":["creature"]}`)
	check("crew ", "alien solaris who")
	check("band ", "alien solaris who")
	check("tv ", "tube")
	check("television ", "tube")
	check("outer world ", "alien gravity")
	check("creature space ", "alien gravity")
	check("space -creature ", "gravity") // an excluded word is never left out as a stop word
	check(`space -"creature" `, "gravity")
	// The words are stemmed in the language of the index.
	check(`"astronaut"`, "gravity")
	set(`{"language":"simple"}`)
	check(`"astronaut"`, "")
	check("astronauts ", "gravity")
	check("crew ", "alien solaris")
}

// A synonym is also a whole value, as written in the settings.
func TestSynonymsOfWholeValues(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "parts", "brand keyword", "code case_sensitive_keyword")
	s.put(t, "parts", "brand", `{"brand":"big blue"}`, "code", `{"code":"Big Blue"}`, "other", `{"code":"big blue"}`)
	s.synonyms(t, "parts", [][]string{{"ibm", "Big Blue"}})
	if got := s.found(t, "parts", forWords("ibm "), sortedBy("_id")); got != "brand code" {
		t.Errorf("ibm finds %q, want brand and code", got)
	}
}

// A word that a query repeats is found by whatever any of its occurrences is found by.
func TestRepeatedWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "parts", "title text", "code case_sensitive_keyword")
	s.put(t, "parts", "capitals", `{"code":"ACME"}`, "small", `{"code":"Acme"}`, "other", `{"code":"acme"}`,
		"city", `{"title":"nyc orleans"}`, "south", `{"title":"nola york"}`, "neither", `{"title":"york orleans"}`)
	s.synonyms(t, "parts", [][]string{{"new york", "nyc", "gotham"}, {"new orleans", "nola"}})
	for query, want := range map[string]string{
		"ACME Acme ":             "capitals small",
		"Acme ACME ":             "capitals small",
		"new york new orleans ":  "city south",
		"new orleans, new york ": "city south",
	} {
		if got := s.found(t, "parts", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// synonyms sets the synonyms of an index.
func (s *site) synonyms(t *testing.T, index string, list [][]string) {
	t.Helper()
	settings, err := json.Marshal(map[string]any{"synonyms": list})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", index, settings, false); err != nil {
		t.Fatal(err)
	}
}

// An index may have more words in its synonyms than one query to the dictionaries takes.
func TestVeryManySynonyms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "cars", "title sentence")
	s.put(t, "cars", "1", `{"title":"Trucks"}`)
	var synonyms [][]string
	for i := range 1100 {
		entry := make([]string, 50)
		for j := range entry {
			entry[j] = fmt.Sprintf("word%dof%d", j, i)
		}
		synonyms = append(synonyms, entry)
	}
	s.synonyms(t, "cars", append(synonyms, []string{"lorries", "truck"}))
	if got := s.found(t, "cars", forWords("lorries ")); got != "1" {
		t.Errorf("lorries finds %q", got)
	}
}

// The synonyms of a word are limited, in the order of the settings, so that a search for it ends.
func TestAWordOfVeryManySynonyms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "cars", "title sentence")
	s.put(t, "cars", "first", `{"title":"Other 0"}`)
	s.put(t, "cars", "last", `{"title":"Other 199"}`)
	s.put(t, "cars", "beyond", `{"title":"Other 200"}`)
	var synonyms [][]string
	for i := range 5000 {
		synonyms = append(synonyms, []string{"car", fmt.Sprint("other ", i)})
	}
	s.synonyms(t, "cars", synonyms)
	if got := s.found(t, "cars", forWords("car ")); got != "first last" {
		t.Errorf("car finds %q", got)
	}
}

// If everything else is equal, adjacent words come first, then words as written.
func TestTies(t *testing.T) {
	t.Parallel()
	s := newFilms(t)
	if err := s.svc.CreateIndex(t.Context(), "demo", "notes", []mapping.Mapping{{Name: "text", Type: mapping.Text}}); err != nil {
		t.Fatal(err)
	}
	for id, text := range map[string]string{
		"a": "york city is new", "b": "a city new york", "c": "york town is new", "d": "walked along rivers", "e": "walking along rivers", "f": "walks along a river",
	} {
		s.put(t, "notes", id, `{"text":"`+text+`"}`)
	}
	for query, want := range map[string]string{
		"new york ": "b a c", "walking river ": "e f d", "walked rivers ": "d e f", "walks rivers ": "d e f",
	} {
		if got := s.found(t, "notes", forWords(query), matching(service.MatchAll)); got != want {
			t.Errorf("%q finds %q, not %q", query, got, want)
		}
	}
	hits := s.search(t, "notes", forWords("new york "), explained).Hits
	if len(hits) != 3 || !hits[0].Explanation.Adjacent || hits[1].Explanation.Adjacent {
		t.Errorf("%+v", hits)
	}
}

func TestScores(t *testing.T) {
	t.Parallel()
	s := newFilms(t)
	s.put(t, "films", "boosted", `{"title":"Space","plot":"space crew","boost":2.5}`)
	for _, query := range []string{"space crew ", "alien", "lost space space", `"lost in space" accident`} {
		resp := s.search(t, "films", forWords(query), matching(service.MatchAny), explained)
		if len(resp.Hits) == 0 {
			t.Errorf("%q finds nothing", query)
		}
		for _, hit := range resp.Hits {
			sum := 0.0
			for _, w := range hit.Explanation.Words {
				sum += w.Score
			}
			if hit.Explanation.Adjacent {
				sum *= 1 + service.AdjacentShare
			}
			if sum *= hit.Explanation.Boost; math.Abs(sum-hit.Score) > 1e-9*math.Abs(sum) || hit.Score <= 0 {
				t.Errorf("%q: the words of %s add up to %v, its score is %v", query, hit.ID, sum, hit.Score)
			}
		}
	}
	before := s.search(t, "films", forWords("space ")).Hits
	s.put(t, "films", "boosted", `{"title":"Space","plot":"space crew","boost":5}`)
	after := s.search(t, "films", forWords("space ")).Hits
	if before[0].ID != "boosted" || after[0].ID != "boosted" || math.Abs(after[0].Score-2*before[0].Score) > 1e-9 {
		t.Errorf("boost: %v, %v", before[0].Score, after[0].Score)
	}
	if got := s.found(t, "films"); got != "boosted alien aliens gravity solaris tube who" {
		t.Errorf("without words: %q", got)
	}
}

func TestDisjunctiveFacets(t *testing.T) {
	t.Parallel()
	s := newFilms(t)
	resp := s.search(t, "films", filtered("genre = Drama AND year < 2000"), withFacets("genre year"),
		func(r *service.SearchRequest) { r.Disjunctive = []string{"genre"} })
	if got := strings.Join(resp.IDs, " "); got != "solaris" || resp.Total != 1 {
		t.Errorf("hits %q, total %d", got, resp.Total)
	}
	if got := facet(t, resp, "genre"); got != `"Action"=1 "Comedy"=1 "Drama"=1 "Horror"=1 "Science Fiction"=1` {
		t.Errorf("genre: %s", got)
	}
	if got := facet(t, resp, "year"); got != `1972=1` {
		t.Errorf("year: %s", got)
	}
	resp = s.search(t, "films", filtered("year > 1972 AND genre != Comedy AND year 1900 TO 2000"), withFacets("genre year"),
		func(r *service.SearchRequest) { r.Disjunctive = []string{"year"} })
	if got := strings.Join(resp.IDs, " "); got != "alien aliens who" || resp.Total != 3 {
		t.Errorf("two conditions on one facet: hits %q, total %d", got, resp.Total)
	}
	if got := facet(t, resp, "genre"); got != `"Action"=1 "Horror"=1 "Science Fiction"=1` {
		t.Errorf("two conditions on one facet: genre: %s", got)
	}
	if got := facet(t, resp, "year"); got != `1972=1 1975=1 1979=1 1986=1 2013=1` {
		t.Errorf("two conditions on one facet: year: %s", got)
	}
	// With a condition on two fields, neither facet is exempt from it.
	resp = s.search(t, "films", filtered("genre = Drama OR year > 2000"), withFacets("genre year"),
		func(r *service.SearchRequest) { r.Disjunctive = []string{"genre", "year"} })
	if got := facet(t, resp, "genre"); got != `"Drama"=2` {
		t.Errorf("a condition on two fields: genre: %s", got)
	}
	if got := facet(t, resp, "year"); got != `1972=1 2013=1` {
		t.Errorf("a condition on two fields: year: %s", got)
	}
	_, err := s.svc.Search(t.Context(), demo, "films", ask(withFacets("genre"), func(r *service.SearchRequest) { r.Disjunctive = []string{"genre", "year"} }))
	if e, ok := errors.AsType[*service.Error](err); !ok || e.Code != service.CodeInvalidFacets || len(e.Fields) != 1 || e.Fields[0].Location != "body.disjunctive[1]" || e.Fields[0].Value != "year" {
		t.Errorf("a disjunctive field that is no facet: %v", err)
	}
	for _, nothing := range []string{"genre IN [] AND year < 2000", "NOT (genre EXISTS OR genre NOT IN []) AND year < 2000"} {
		resp := s.search(t, "films", filtered(nothing), withFacets("genre year"), func(r *service.SearchRequest) { r.Disjunctive = []string{"genre"} })
		if got := facet(t, resp, "genre"); got != `"Action"=1 "Comedy"=1 "Drama"=1 "Horror"=1 "Science Fiction"=1` || resp.Total != 0 || len(resp.Facets["year"]) != 0 {
			t.Errorf("%s: genre %s, total %d, year %v", nothing, got, resp.Total, resp.Facets["year"])
		}
	}
}

// Whether all words are required is decided without the conditions of disjunctive facets: if a choice of values changed that, all facets would
// suddenly count other documents.
func TestMatchOfDisjunctiveFacets(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "shoes", "title sentence", "brand keyword")
	var documents []string
	for i := range 40 {
		title, brand := []string{"red shoe", "red sock", "red shoe", "blue shoe"}[i%4], "acme"
		if i < 10 {
			brand = "nova"
		}
		documents = append(documents, fmt.Sprint(i), fmt.Sprintf(`{"title":%q,"brand":%q}`, title, brand))
	}
	s.put(t, "shoes", documents...)
	for _, explain := range []bool{false, true} {
		for disjunctive, want := range map[string]string{"brand": "all 5 of 20", "": "any 10 of 10"} {
			resp := s.search(t, "shoes", forWords("red shoe "), filtered("brand = nova"), withFacets("brand"), func(r *service.SearchRequest) {
				if r.Explain = explain; disjunctive != "" {
					r.Disjunctive = []string{disjunctive}
				}
			})
			counted := int64(0)
			for _, value := range resp.Facets["brand"] {
				counted += value.Count
			}
			if got := fmt.Sprintf("%s %d of %d", resp.Params.Match, resp.Total, counted); got != want {
				t.Errorf("disjunctive %q, explain %t: %s, want %s", disjunctive, explain, got, want)
			}
		}
	}
}

func TestDefinedSearch(t *testing.T) {
	t.Parallel()
	s := newFilms(t)
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "plots", Index: "films", PerPage: new(3), Fields: map[string]float64{"plot": 1},
		Facets: []string{"genre"}, Filter: json.RawMessage(`"year > 1972"`), Sort: "-year", Match: service.MatchAll, TypoTolerance: new(false)}); err != nil {
		t.Fatal(err)
	}
	resp, err := s.svc.Search(t.Context(), demo, "plots", service.SearchRequest{})
	if err != nil || strings.Join(resp.IDs, " ") != "gravity tube aliens" || resp.Total != 5 || len(resp.Facets["genre"]) != 5 {
		t.Errorf("%+v, %v", resp, err)
	}
	for query, want := range map[string]string{"alien ": "", "crew ": "alien", "spaec ": "", "space crew ": "alien", "treasure ": ""} {
		if got := s.found(t, "plots", forWords(query), sortedBy("_id")); got != want {
			t.Errorf("%q finds %q, not %q", query, got, want)
		}
	}
	key := service.Principal{Application: "demo", Type: service.SearchKey, Indices: []string{"plots"}, Filter: "genre = Drama"}
	resp, err = s.svc.Search(t.Context(), key, "plots", service.SearchRequest{})
	if err != nil || strings.Join(resp.IDs, " ") != "gravity" {
		t.Errorf("with the filter of a key: %+v, %v", resp, err)
	}
	if _, err := s.svc.Search(t.Context(), key, "films", service.SearchRequest{}); service.ErrorCode(err) != service.CodeKeyNotAllowed {
		t.Errorf("another index: %v", err)
	}
}

// Without a query, worst first means the smallest boost first, and has no effect before other keys.
func TestWorstFirstWithoutAQuery(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "n int")
	for id, body := range map[string]string{"a": `{"n":1,"boost":2}`, "b": `{"n":1,"boost":0.5}`, "c": `{"n":2}`, "d": `{"n":1}`} {
		s.put(t, "docs", id, body)
	}
	for sort, want := range map[string][]string{
		"-_score": {"b", "c", "d", "a"}, "_score asc": {"b", "c", "d", "a"}, "n, -_score": {"b", "d", "a", "c"}, "-_score, n": {"a", "d", "b", "c"},
	} {
		if ids := s.search(t, "docs", sortedBy(sort)).IDs; !slices.Equal(ids, want) {
			t.Errorf("by %q: %q, not %q", sort, ids, want)
		}
	}
}

// Pages contain every hit once; with a cursor, even while documents are written.
func TestPagesAndCursors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title name", "n int", "at date", "f float", "c category")
	body := func(i int) string {
		if i%5 == 0 {
			return `{"title":"red"}`
		}
		return fmt.Sprintf(`{"title":"red %s","n":%d,"at":"2024-05-01T00:00:00.12345%dZ","f":%g,"c":["A > %d","B"],"free":%d,"boost":%d}`,
			strings.Repeat("red ", i%3)+strings.Repeat("other ", i%4), i%4, i%7, 0.1*float64(i%3), i%3, i%6, 1+i%2)
	}
	const documents = 60
	s.many(t, "docs", documents, body)
	for _, query := range []string{"", "red other "} {
		for _, sort := range []string{"", "n", "-n, at", "at desc, f", "-f", "c", "-c", "title", "free", "-free", "-_score", "_id desc", "n, _score"} {
			want := s.search(t, "docs", forWords(query), sortedBy(sort), matching(service.MatchAny)).IDs
			var pages, cursors []string
			for page := 1; page <= 6; page++ {
				resp, err := s.svc.Search(t.Context(), demo, "docs", service.SearchRequest{Query: query, Sort: &sort, Match: service.MatchAny, Page: &page, PerPage: new(13)})
				if err != nil {
					t.Fatal(err)
				}
				pages = append(pages, resp.IDs...)
			}
			if !slices.Equal(pages, want) {
				t.Errorf("%q by %q: pages hold %q, not %q", query, sort, pages, want)
			}
			for cursor, first := "", true; first || cursor != ""; first = false {
				resp, err := s.svc.Search(t.Context(), demo, "docs", service.SearchRequest{Query: query, Sort: &sort, Match: service.MatchAny, Cursor: cursor, PerPage: new(13)})
				if err != nil {
					t.Fatal(err)
				}
				cursors = append(cursors, resp.IDs...)
				cursor = resp.Cursor
				// A document that nobody finds changes what scores depend on.
				s.put(t, "docs", "unrelated", `{"title":"red red red red red red red red"}`)
				s.batch(t, "docs", []map[string]any{{"action": "delete", "_id": "unrelated"}})
			}
			if !slices.Equal(cursors, want) {
				t.Errorf("%q by %q: cursors lead to %q, not %q", query, sort, cursors, want)
			}
		}
	}
}

// A field with several values is a key in both directions: by the smallest value, or by the largest.
func TestSortsBothWays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "n int", "c category")
	s.put(t, "docs",
		"1", `{"n":[1,5],"c":["A","A > M"],"free":["a",5]}`,
		"2", `{"n":[1,9],"c":["A","A > Z"],"free":["a",9]}`,
		"3", `{"n":[9,2],"c":"B","free":["b",9]}`,
		"4", `{}`)
	for by, want := range map[string]string{
		"n, -n":       "2 1 3 4",
		"-n, n":       "2 3 1 4",
		"-n, n, -n":   "2 3 1 4",
		"c, -c":       "2 1 3 4",
		"-c, c":       "3 2 1 4",
		"-free, free": "3 2 1 4",
	} {
		if got := s.found(t, "docs", sortedBy(by)); got != want {
			t.Errorf("by %q: %s, not %s", by, got, want)
		}
		var ids []string
		for cursor, first := "", true; first || cursor != ""; first = false {
			resp := s.search(t, "docs", sortedBy(by), func(r *service.SearchRequest) { r.PerPage, r.Cursor = new(1), cursor })
			ids, cursor = append(ids, resp.IDs...), resp.Cursor
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("by %q the cursors lead to %s, not %s", by, got, want)
		}
	}
}

// A field that a definition names twice counts once: such definitions are no longer accepted, but may have been stored before.
func TestFacetsNamedTwice(t *testing.T) {
	t.Parallel()
	s := newFilms(t)
	twice := service.SearchDefinition{Name: "twice", Index: "films", Facets: []string{"genre", "year", "genre"}}
	if _, err := s.svc.PutSearch(t.Context(), "demo", twice); service.ErrorCode(err) != service.CodeInvalidRequest {
		t.Errorf("defined: %v", err)
	}
	if _, err := s.Store.PutSearch(t.Context(), "demo", twice); err != nil {
		t.Fatal(err)
	}
	resp := s.search(t, "twice", filtered("genre = Drama"))
	if got := facet(t, resp, "genre"); got != `"Drama"=2` {
		t.Errorf("genre: %s", got)
	}
	if got := facet(t, resp, "year"); got != `1972=1 2013=1` {
		t.Errorf("year: %s", got)
	}
}

// A definition may name fields that do not exist, or not yet; nothing is found in them.
func TestDefinedSearchWithoutFields(t *testing.T) {
	t.Parallel()
	s := newFilms(t)
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "ghosts", Index: "films", Fields: map[string]float64{"ghost": 1}}); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"space ", "space crew", `"lost in space"`, "marines OR crew", "space -crew"} {
		for _, match := range []service.Match{service.MatchAll, service.MatchAny, service.MatchAuto} {
			if got := s.found(t, "ghosts", forWords(query), matching(match)); got != "" {
				t.Errorf("%q (%s) finds %q", query, match, got)
			}
		}
	}
	if got := s.found(t, "ghosts"); got != "alien aliens gravity solaris tube who" {
		t.Errorf("without words: %q", got)
	}
}

// Words that are left out of texts are left out of queries, unless nothing else remains.
func TestWordsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	index := func(name, settings string, fields []string, documents ...string) {
		t.Helper()
		s.create(t, name, fields...)
		if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", name, []byte(settings), false); err != nil {
			t.Fatal(err)
		}
		s.put(t, name, documents...)
	}
	index("plays", `{}`, []string{"text text"}, "hamlet", `{"text":"to be or not to be, Hamlet"}`, "lear", `{"text":"King Lear"}`)
	index("songs", `{}`, []string{"title name", "tags tags"}, "both", `{"title":"Rock & Roll","tags":["music"]}`, "rock", `{"title":"Rock","tags":["music"]}`)
	index("films", `{"stop_words":["creature"]}`, []string{"title name", "plot text"},
		"creature", `{"title":"Creature","plot":"a monster"}`, "alien", `{"title":"Alien","plot":"a creature in space"}`)
	index("shops", `{"synonyms":[{"from":["tv"],"to":["television"]}]}`, []string{"text text"},
		"tv", `{"text":"a tv"}`, "television", `{"text":"a television"}`, "radio", `{"text":"a radio"}`, "book", `{"text":"a book"}`)
	index("weine", `{"language":"german"}`, []string{"text text"}, "wein", `{"text":"Wein"}`, "über", `{"text":"Über uns"}`)
	index("colours", `{}`, []string{"title name"}, "red", `{"title":"red"}`, "phrase", `{"title":"red or white"}`)
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "titles", Index: "songs", Fields: map[string]float64{"title": 1}}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ index, query, want string }{
		// Fields that are stemmed have no stop words.
		{"plays", `"to be"`, ""},
		{"plays", "to be ", ""},
		{"plays", `"to be" hamlet `, "hamlet"},
		// An ampersand is not a word.
		{"songs", "rock & roll", "both"},
		{"songs", "rock & roll ", "both"},
		{"songs", "rock & ", "both rock"},
		{"titles", "rock & roll ", "both"},
		{"titles", "rock & ", "both rock"},
		// Names keep the stop words of the settings.
		{"films", "creature ", "creature"},
		{"films", "alien creature ", "alien"},
		{"shops", "tv ", "television tv"},
		{"shops", "tv OR radio ", "radio television tv"},
		{"shops", "radio OR tv ", "radio television tv"},
		// Dictionaries see words without accents, and do not recognize these as stop words.
		{"weine", "über ", "über"},
		{"weine", "für wein ", "wein"},
		{"weine", "für ", ""},
		// The phrase is not another spelling of the preceding words.
		{"colours", `red OR white "red or white"`, "phrase"},
		{"colours", "red OR white ", "phrase red"},
	} {
		if got := s.found(t, test.index, forWords(test.query), matching(service.MatchAll), sortedBy("_id")); got != test.want {
			t.Errorf("%s: %q finds %q, not %q", test.index, test.query, got, test.want)
		}
	}
	// Nor is everything found, however small a part of the query is enough.
	for _, query := range []string{`"to be"`, `"to be `, "to be ", "to OR be ", `"to be" OR "not to be"`, "&"} {
		for _, match := range []service.Match{service.MatchAll, service.MatchAny, service.MatchAuto} {
			if got := s.found(t, "plays", forWords(query), matching(match)); got != "" {
				t.Errorf("plays: %q (%s) finds %q", query, match, got)
			}
		}
	}
}
