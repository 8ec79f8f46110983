package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// While somebody types the name of one of few documents, its words are found from their first letter on, even if very many words begin with it.
func TestRareBeginningsBesideRareWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "people", "name name", "work sentence", "life long_text")
	s.ManyBegun(100)
	s.many(t, "people", 900, func(i int) string {
		common := []string{"Harbor", "House", "Often"}[i%3]
		return fmt.Sprintf(`{"name":"%s Number%d","work":"%s"}`, common, i, []string{"cooks", "cooks", "none"}[i%3])
	})
	s.put(t, "people", "band", `{"name":"The Bandits"}`, "life", `{"life":"Matt saw hobbits"}`, "harbor", `{"name":"Matt Harbor"}`, "hale", `{"name":"Matt Hale"}`, "smith", `{"name":"Matt Smith"}`, "hawks", `{"name":"Matthew", "work":"Matt paints hawks"}`,
		"often", `{"name":"Often Hyde","work":"cooks"}`)
	if err := s.Settle(t.Context(), s.current(t, "people")); err != nil {
		t.Fatal(err)
	}
	expect := func(query, want string, options ...func(*service.SearchRequest)) {
		t.Helper()
		if got := s.found(t, "people", append(options, forWords(query))...); got != want {
			t.Errorf("%s: found %q, not %q", query, got, want)
		}
	}
	all := matching(service.MatchAll)
	for range 2 { // the second time, what the words stand for is remembered
		expect("matt h", "hale harbor hawks", all)
		expect("h matt", "", all) // h is a whole word there
		expect("matt hawk", "hawks", all)
		expect("Matt ha", "hale harbor hawks", all)
	}
	expect(`"matt" h`, "hale harbor hawks", all)
	expect("painting h", "hawks", all)             // beside another form of a word
	expect("the matt h", "hale harbor hawks", all) // no document needs "the"
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "people", TypoTolerance: new(false)}); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "strict", all, forWords("matt h")); got != "hale harbor hawks" {
		t.Errorf("without typos: found %q", got)
	}
	expect("often h", "", all)            // too many documents to read
	expect("often cooks h", "often", all) // few have both
	expect("matt hous", "", all)

	s.create(t, "texts", "life long_text") // nothing but long texts
	s.many(t, "texts", 101, func(int) string { return `{"life":"a house"}` })
	s.put(t, "texts", "hale", `{"life":"Matt met Hale at a house"}`)
	if got := s.found(t, "texts", all, forWords("matt h")); got != "hale" {
		t.Errorf("in long texts: found %q", got)
	}

	s.put(t, "people", "hume", `{"name":"Matt Hume"}`)
	expect("matt h", "hale harbor hume hawks", all)
	if resp := s.search(t, "people", forWords("matt h")); resp.Total != 606 || resp.IDs[0] != "hale" || resp.TotalAllWords != 4 {
		t.Errorf("with any word: %d found, %d with all, first %s", resp.Total, resp.TotalAllWords, resp.IDs[0])
	}
	s.put(t, "people", "hyphen", `{"name":"Matt-Levi Hudson"}`)
	expect("matt-levi h", "hyphen", all)
	s.put(t, "people", "new", `{"name":"Bronwyn Hunt"}`)
	expect("bronwyn h", "new", all)
}

// What a prefix stands for may be remembered when the vocabulary, which tells how rare the words beside it are, has just been dropped.
func TestWordsBesideOfADroppedVocabulary(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "people", "name name")
	s.ManyBegun(100)
	s.many(t, "people", 300, func(i int) string { return fmt.Sprintf(`{"name":"House Number%d"}`, i) })
	s.put(t, "people", "hale", `{"name":"Matt Hale"}`, "house", `{"name":"Mary House"}`)
	if err := s.Settle(t.Context(), s.current(t, "people")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "people", TypoTolerance: new(false)}); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "strict", matching(service.MatchAll), forWords("matt h")); got != "hale" {
		t.Errorf("found %q", got)
	}
	s.exec(t, "DROP TABLE app_demo_derived.people_words")
	if got := s.found(t, "strict", matching(service.MatchAll), forWords("mary h")); got != "house" {
		t.Errorf("without the vocabulary: found %q", got)
	}
}

// The number of rare words is limited, because searches examine each document that has one. More frequent words do not count towards that limit:
// "house" comes after the most frequent words with h, and after the rare ones.
func TestFrequentWordsBesideManyRareOnes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "name name")
	s.ManyBegun(100)
	word := func(i int) string { return fmt.Sprintf("%c%c", 'a'+i/26, 'a'+i%26) }
	const rare, frequent = 62 * 18, 70 * 60
	s.many(t, "things", rare+frequent+55, func(i int) string {
		switch {
		case i < rare:
			return `{"name":"Rare Ha` + word(i%62) + `"}`
		case i < rare+frequent:
			return `{"name":"Frequent Hu` + word(i%70) + `"}`
		}
		return `{"name":"Small House"}`
	})
	for i := range 62 {
		s.put(t, "things", "matt"+word(i), `{"name":"Matt Ha`+word(i)+`"}`)
	}
	s.put(t, "things", "house", `{"name":"Matt House"}`)
	if err := s.Settle(t.Context(), s.current(t, "things")); err != nil {
		t.Fatal(err)
	}
	s.buildPostings(t)
	resp := s.search(t, "things", forWords("matt h"), matching(service.MatchAll), func(r *service.SearchRequest) { r.PerPage = new(100) })
	if resp.Total < 2 || resp.Total > 61 || !slices.Contains(resp.IDs, "house") {
		t.Errorf("found %d: %v", resp.Total, resp.IDs)
	}
}

// The titles and names of a document may have more lexemes together than fit into one vector.
func TestWordsBesideInVeryLongTitles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "people", "name name", "work sentence")
	s.ManyBegun(100)
	s.many(t, "people", 200, func(i int) string { return fmt.Sprintf(`{"name":"House Number%d"}`, i) })
	long := func(prefix string) string {
		var words strings.Builder
		for i := range 50000 {
			fmt.Fprintf(&words, "%s%dabcdef ", prefix, i)
		}
		return words.String()
	}
	s.put(t, "people", "hale", fmt.Sprintf(`{"name":"Matt Hale %s","work":"%s"}`, long("x"), long("y")))
	if err := s.Settle(t.Context(), s.current(t, "people")); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "people", matching(service.MatchAll), forWords("matt h")); got != "hale" {
		t.Errorf("found %q", got)
	}
}
