package store_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Words that are spelled in two ways find each other, and a word is found without what is elided before it.
func TestSpellings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, one := range []struct {
		language  string
		documents []string // the title and the name of each
		queries   map[string]string
	}{
		{"german", []string{"Öl|Jürgen Müller", "Mueller kommt|Zürich", "Pot|Poet"}, map[string]string{
			"Oel ": "0", "\"Jürgen Mueller\"": "0", "Müller ": "0 1", "Mueller ": "0 1", "zue": "1", "Poet ": "2", "-Mueller kommt OR Poet ": "2",
			"Juergn ": "0", "Muellr ": "0 1", "Zuerch ": "1", "Poat ": "2",
		}},
		{"danish", []string{"Ål|Aage", "ægget|Østerbro"}, map[string]string{"Aal ": "0", "Åge ": "0", "oest": "1"}},
		{"arabic", []string{"مكة المكرمة|فاطمة", "سيارات مستعملة|القاهرة", "كتاب|قلم", "الكتاب|القلم", "والكتاب|والقلم", "فالكتاب|فالقلم"}, map[string]string{
			"مكه ": "0", "فاطمه ": "0", "السيارات ": "1", "قاهره ": "1",
			"كتاب ": "2 3 4 5", "الكتاب ": "2 3 4 5", "والكتاب ": "2 3 4 5", "فالكتاب ": "2 3 4 5", "كتا": "2 3 4 5",
			"قلم ": "2 3 4 5", "القلم ": "2 3 4 5", "والقلم ": "2 3 4 5", "فالقلم ": "2 3 4 5",
		}},
		{"simple", []string{"ラーメン二郎|x", "らーめん横丁|ナイキ"}, map[string]string{"らーめん ": "0 1", "ラーメン ": "0 1", "らーめ": "0 1", "ないき": "1"}},
		{"hindi", []string{"हिन्दी|x", "किताब|मुम्बई"}, map[string]string{"हिन्": "0", "मुम्": "1", "मुंब": "1"}},
		{"italian", []string{"bottiglia d'acqua|Orléans", "mistero dell'acqua|Aquila"}, map[string]string{
			"d'acqua ": "0 1", "nell'acqua ": "0 1", "d’acq": "0 1", "dell'a": "0 1", "l'Aquila ": "1", "\"d'acqua\"": "0",
		}},
		{"english", []string{"Brien|x", "O'Brien|y", "Schroedinger's cat|z", "mouse|Foot", "mice|Feet", "matrices|Man", "manuals|z",
			"TNF-α inhibitors|β-Carotene", "TNFα|beta carotene", "TNF-alpha|λόγος"}, map[string]string{
			"O'Brien ": "1", "schrödinger ": "2", "schröd": "2",
			"mice ": "3 4", "mouse ": "3 4", "foot": "3 4", "matrix ": "5", "men": "5", "\"mice\"": "4", "-mice foot ": "3",
			"TNF-alpha ": "7 8 9", "TNF-α ": "7 8 9", "TNFα ": "7 8 9", "β-caro": "7 8", "beta carotene ": "7 8", "-beta TNFα ": "7 9", "λόγος ": "9",
		}},
	} {
		s.create(t, one.language, "title text", "name completion")
		if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", one.language, []byte(`{"language":"`+one.language+`"}`), true); err != nil {
			t.Fatal(err)
		}
		for i, document := range one.documents {
			title, name, _ := strings.Cut(document, "|")
			s.put(t, one.language, fmt.Sprint(i), fmt.Sprintf(`{"title":%q,"name":%q}`, title, name))
		}
		for query, want := range one.queries {
			got := strings.Fields(s.found(t, one.language, forWords(query)))
			slices.Sort(got)
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %q finds %q, want %q", one.language, query, got, want)
			}
		}
	}

	// Documents with the spelling of the query come first.
	if got := s.found(t, "simple", forWords("らーめん ")); got != "1 0" {
		t.Errorf("in this order: %s", got)
	}
	// The other spelling is not a misspelling although it is one letter off.
	if got := s.found(t, "german", forWords("Mueller ueber Oel "), matching(service.MatchAll)); got != "0" {
		t.Errorf("with a stop word in its other spelling: %q", got)
	}
	// The other spelling is not a misspelling although it is one letter off, too. From PostgreSQL 18 on, the German stemmer knows ue for ü, so that the
	// words are searched for in another field; if they are not in it, their frequency is 0 up to the rounding of a constant.
	if got, whole := s.search(t, "german", forWords("Zuerich ")).Hits, s.search(t, "german", forWords("Zürich ")).Hits; math.Abs(got[0].Score-0.9*whole[0].Score) > 1e-5 {
		t.Errorf("Zuerich gives Zürich %v, as it is written it gives %v", got[0].Score, whole[0].Score)
	}
	if got := fmt.Sprint(s.search(t, "german", forWords("Mueller "), sortedBy("_id")).Hits[0].Highlight["name"]); got != "[Jürgen <b>Müller</b>]" {
		t.Errorf("marked is %s", got)
	}
	for index, suggestion := range map[string][2]string{"german": {"muell", "Jürgen Müller"}, "hindi": {"मुम्", "मुम्बई"}, "danish": {"oest", "Østerbro"}, "simple": {"ないき", "ナイキ"}} {
		if got := s.search(t, index, forWords(suggestion[0])).Autocomplete; !slices.Equal(got, []string{suggestion[1]}) {
			t.Errorf("%s: %s suggests %q", index, suggestion[0], got)
		}
	}
	strict := false
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "german", TypoTolerance: &strict}); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "strict", forWords("Mueller ")); got != "1" {
		t.Errorf("as it is written: %s", got)
	}
}

// Plurals of short English words and of initials, which the stemmer leaves as they are, find the singular, and are found by it. They are no misspellings.
func TestPluralsOfShortWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence", "maker name")
	s.put(t, "things", "tv", `{"title":"TV stand"}`, "tvs", `{"title":"TVs wall"}`, "lens", `{"title":"camera lens"}`, "lenses", `{"maker":"Lenses and more"}`,
		"gpu", `{"title":"GPU"}`, "gps", `{"title":"GPS"}`, "menus", `{"title":"menus"}`, "gp", `{"title":"GP"}`, "bus", `{"title":"bus stop"}`, "buys", `{"title":"best buys"}`)
	for query, want := range map[string]string{
		"tv ": "tv tvs", "tvs ": "tvs tv", "lens ": "lens lenses", "lenses ": "lenses lens", "gpus ": "gpu", "gps ": "gps", "gp ": "gp", "menu ": "menus", "buses ": "bus",
		`"tvs" `: "tvs", "-tvs stand ": "tv", "camera lenses ": "lens",
	} {
		if got := s.found(t, "things", forWords(query), matching(service.MatchAll)); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}

	// The stem of vertices is that of vertical, too.
	s.put(t, "things", "vertex", `{"title":"vertex cover"}`, "vertices", `{"title":"vertices covered"}`, "vertical", `{"title":"vertical cover"}`, "subvertex", `{"title":"subvertex"}`, "subvertices", `{"title":"subvertices"}`)
	if got := s.found(t, "things", forWords("subvertices ")); got != "subvertices subvertex" {
		t.Errorf("a compound finds %q", got)
	}
	if hits := s.search(t, "things", forWords("vertex ")).Hits; len(hits) != 3 || math.Abs(hits[1].Score-0.5*hits[0].Score) > 1e-5 {
		t.Errorf("vertex finds %v", hits)
	}
}

// English contractions are found without their apostrophe. Those of stop words need not be found, as little as with it, and misspell no other word.
func TestContractionsWithoutApostrophe(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "songs", "title name", "story sentence")
	s.put(t, "songs", "panic", `{"title":"Don’t Panic"}`, "panicking", `{"title":"Panic"}`, "stop", `{"story":"I can't stop"}`, "stopping", `{"story":"stop at the cant"}`,
		"yours", `{"title":"I'm Yours"}`, "metres", `{"title":"Metres","story":"5 m"}`, "done", `{"story":"done with a want"}`)
	for query, want := range map[string]string{
		"dont panic ":  "panic panicking", // with the word first
		"dont panic":   "panic panicking",
		"cant stop ":   "stop stopping",
		"cant ":        "stopping",
		"dont ":        "panic",
		"im ":          "yours", // texts would have m only
		`"dont panic"`: "panic",
	} {
		got := strings.Fields(s.found(t, "songs", forWords(query), matching(service.MatchAll)))
		if strings.HasPrefix(query, "cant") {
			slices.Sort(got)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	if got := s.found(t, "songs", forWords("dont stop "), matching(service.MatchAll), sortedBy("_id")); got != "stop stopping" {
		t.Errorf("a contraction that no document has keeps others from being found: %q", got)
	}
	// It is as frequent as the stop words: it does not decide which comes first.
	words := s.search(t, "songs", forWords("cant stop "), func(r *service.SearchRequest) { r.Explain = true }).Hits[0].Explanation.Words
	if cant, stop := words[0].Rarity, words[1].Rarity; cant > math.Log(2) || stop < cant {
		t.Errorf("cant counts %v, stop %v", cant, stop)
	}
}
