package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// In German, a word finds the compounds that it is the last part of, before the worker has seen them and after.
func TestCompounds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence", "name name")
	s.language(t, "docs", "german")
	s.put(t, "docs", "wardrobe", `{"title":"Kleiderschrank Eiche"}`, "wardrobes", `{"title":"Zwei Kleiderschränke"}`, "cupboard", `{"title":"Schrank weiß"}`, "fridge", `{"title":"Kühlschrank"}`, "dress", `{"title":"Kleid"}`,
		"cool", `{"title":"ein kühles Bier"}`, "pig", `{"title":"Wildschwein im Wald"}`, "wild", `{"title":"wild"}`, "red", `{"title":"Rotwein rot"}`, "wine", `{"title":"Weine"}`, "contract", `{"title":"Vertrag"}`,
		"bag", `{"title":"Handtasche"}`, "hand", `{"title":"Hand"}`, "bandage", `{"title":"Bandage"}`, "bracelet", `{"title":"Armband am Arm"}`, "redbeer", `{"title":"Rotbier"}`, "coaster", `{"title":"Bierdeckel"}`, "oven", `{"name":"Backofen"}`, "bake", `{"name":"backen"}`)
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "docs", TypoTolerance: new(false)}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "names", Index: "docs", Fields: map[string]float64{"name": 1}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.finds(t, "docs", map[string]string{
			"Schrank": "cupboard fridge wardrobe wardrobes", "schränke ": "cupboard fridge wardrobe wardrobes", "Schrank Eiche": "cupboard fridge wardrobe wardrobes",
			"Wein ": "red wine", "wein": "red wine", "Tasche ": "bag", "tasche": "bag", "Asche ": "", "Trag ": "", "Ofen ": "oven",
			`"Schrank" `: "cupboard", "Schrank -Kleiderschrank": "cupboard fridge", "bier -Schrank": "cool redbeer", "bier": "coaster cool redbeer", "schran": "cupboard",
			"band": "bandage", "Band ": "bracelet", "Band banda": "bandage bracelet", "haft ": "", // what is being typed may go on
			"Wein Schrank ": "cupboard fridge red wardrobe wardrobes wine", "Schrank -Schrank ": "fridge wardrobe wardrobes",
			"aaa bbb ccc ddd eee fff ggg Schrank ": "cupboard fridge wardrobe wardrobes", "aaa bbb ccc ddd eee fff ggg hhh Schrank ": "cupboard", // the first eight words
		})
		if got := s.found(t, "docs", forWords("Schrank")); !strings.HasPrefix(got, "cupboard ") {
			t.Errorf("in this order: %s", got)
		}
		if got := s.found(t, "strict", forWords("Schrank ")); got != "cupboard" {
			t.Errorf("as it is written: %s", got)
		}
		if got := s.found(t, "names", forWords("Ofen ")); got != "oven" {
			t.Errorf("in names: %s", got)
		}
		if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
			t.Fatal(err)
		}
	}

	// What is remembered of a word holds only as long as nothing changes.
	for n, title := range []string{"Bierschrank", "Waldschrank", "Handschrank"} {
		for _, q := range []string{"Schrank ", "Schrank und "} {
			if got := s.search(t, "docs", forWords(q)).Total; int(got) != 4+n {
				t.Errorf("%q finds %d, want %d", q, got, 4+n)
			}
		}
		s.put(t, "docs", title, fmt.Sprintf(`{"title":%q}`, title))
		if got := s.search(t, "docs", forWords("Schrank ")).Total; int(got) != 5+n {
			t.Errorf("%d found after %s was written, want %d", got, title, 5+n)
		}
		if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
			t.Fatal(err)
		}
	}

	// What is in the log counts with the rest: more documents have Rotwein than rot, which has three letters.
	s.put(t, "docs", "red2", `{"title":"Rotwein"}`)
	if got := s.found(t, "docs", forWords("Wein ")); got != "wine" {
		t.Errorf("beside a part in fewer documents: %s", got)
	}

	// A part of three letters in fewer documents than the compound is none, nor is a longer one in fewer than a twentieth.
	s.many(t, "docs", 21, func(i int) string { return fmt.Sprintf(`{"title":"britisch und Gartentisch %d"}`, i) })
	s.put(t, "docs", "table", `{"title":"Tisch"}`, "bri", `{"title":"bri"}`, "bri2", `{"title":"bri"}`, "garden", `{"title":"Garten"}`)
	for n, want := range []int{1, 22} {
		if got := s.search(t, "docs", forWords("Tisch ")).Total; int(got) != want {
			t.Errorf("%d found, want %d", got, want)
		}
		s.put(t, "docs", fmt.Sprint("garden", n), `{"title":"Gärten im Garten"}`)
	}

	// English has no such compounds, and a change of the language is all that it takes.
	s.language(t, "docs", "english")
	if got := s.found(t, "docs", forWords("Schrank ")); got != "cupboard" {
		t.Errorf("in English: %s", got)
	}
	s.language(t, "docs", "dutch")
	if got := s.found(t, "docs", forWords("Schrank ")); got != "cupboard Bierschrank Handschrank Waldschrank wardrobe wardrobes" {
		t.Errorf("in Dutch: %s", got)
	}
}

// A head also has the forms that its stemmer does not bring together.
func TestCompoundsInOtherForms(t *testing.T) {
	t.Parallel()
	for language, test := range map[string]struct{ title, part, heads string }{
		"dutch":   {"Wijnglazen", "wijn", "glas glazen"},
		"swedish": {"Kylskåp", "kyl", "skåp skåpet"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.create(t, "docs", "title sentence")
			s.language(t, "docs", language)
			s.put(t, "docs", "compound", fmt.Sprintf(`{"title":%q}`, test.title), "part", fmt.Sprintf(`{"title":%q}`, test.part))
			for range 2 {
				for head := range strings.FieldsSeq(test.heads) {
					if got := s.found(t, "docs", forWords(head+" ")); got != "compound" {
						t.Errorf("%s finds %q, want the compound", head, got)
					}
				}
				if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// The compounds of a word are the 64 in the most documents.
func TestCompoundsInTheMostDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence")
	s.language(t, "docs", "german")
	var firsts []string
	for i := range 140 {
		firsts = append(firsts, fmt.Sprintf("kasten%c%c", 'a'+i/26, 'a'+i%26))
	}
	s.put(t, "docs", "firsts", fmt.Sprintf(`{"title":%q}`, strings.Join(firsts, " ")))
	s.many(t, "docs", 150, func(i int) string { return fmt.Sprintf(`{"title":"%sschrank"}`, firsts[i%140]) })
	for range 2 {
		if got := s.search(t, "docs", forWords("Schrank "), matching(service.MatchAll)); got.Total != 64+10 {
			t.Errorf("%d found, want the 10 compounds in two documents and 54 others", got.Total)
		}
		if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
			t.Fatal(err)
		}
	}
}

// language sets the language of an index.
func (s *site) language(t *testing.T, index, language string) {
	t.Helper()
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", index, fmt.Appendf(nil, `{"language":%q}`, language), true); err != nil {
		t.Fatal(err)
	}
}

// A compound that no document has finds its parts, which need not be next to each other.
func TestSplitCompounds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence")
	s.language(t, "docs", "german")
	s.put(t, "docs", "food", `{"title":"Futter für große Hunde"}`, "dog", `{"title":"Hund"}`, "desk", `{"title":"Tisch für die Arbeit"}`, "cat", `{"title":"Katzenstreu"}`, "wash", `{"title":"Das Waschbecken"}`,
		"coat", `{"title":"Regenmantel"}`, "rain", `{"title":"Regen"}`, "coats", `{"title":"Mäntel"}`, "umbrella", `{"title":"Regenschirm"}`, "umbrellas", `{"title":"Schirme"}`, "almond", `{"title":"Mandel"}`,
		"handy", `{"title":"Handtisch"}`, "lamp", `{"title":"Arbeitstischlampe"}`)
	for range 2 {
		for q, want := range map[string]string{
			"Hundefutter": "food dog", "Hundefutter ": "food dog", "Arbeitstische ": "desk", "Hundetisch ": "desk dog food",
			"Regenmäntel ": "coat", "Regenmantels ": "coat", "Katzenfutter ": "", "Hundefutter Arbeit ": "desk dog food", "-Hundefutter Hund ": "dog food", "Hundefutter OR Arbeit ": "desk", `"Hundefutter"`: "",
			"Regenschirmen ": "umbrella", "Regenmandel ": "coat", // other forms and misspellings of what documents have
			"Arbeitstisch": "lamp", "Arbeitstisch ": "desk", "Hundetisch Katz": "cat desk dog food", // what is being typed may go on
		} {
			got := strings.Fields(s.found(t, "docs", forWords(q)))
			if !strings.HasPrefix(want, "food") {
				slices.Sort(got)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q finds %q, want %q", q, got, want)
			}
		}
		if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
			t.Fatal(err)
		}
	}
	// So does a Korean word, unless documents have longer words that begin with it.
	s.create(t, "korean", "title sentence")
	s.put(t, "korean", "set", `{"title":"이어폰 무선 세트"}`, "seoul", `{"title":"서울특별시의 공원"}`, "city", `{"title":"특별시 안내"}`, "capital", `{"title":"서울 여행"}`, "charger", `{"title":"무선 충전기"}`, "strap", `{"title":"줄 무선"}`,
		"college", `{"title":"서울대학 병원"}`, "university", `{"title":"서울의 대학교"}`)
	for range 2 {
		for q, want := range map[string]string{"무선이어폰 ": "set", "무선이어폰": "set", "무선이어폰을 ": "set", "무선세트 ": "set", "무선줄 ": "charger set strap", "서울대학교 ": "university"} {
			if got := s.found(t, "korean", forWords(q), matching(service.MatchAll), sortedBy("_id")); got != want {
				t.Errorf("with all parts, %q finds %q, want %q", q, got, want)
			}
		}
		for q, want := range map[string]string{"무선이어폰 ": "set charger strap", "서울특별시 ": "seoul capital", "서울특별시에서 ": "seoul", `"무선이어폰" `: ""} {
			if got := s.found(t, "korean", forWords(q)); got != want {
				t.Errorf("%q finds %q, want %q", q, got, want)
			}
		}
		if err := s.Settle(t.Context(), s.current(t, "korean")); err != nil {
			t.Fatal(err)
		}
	}

	// As soon as a document has it, that is found; a walk that has begun goes on as it began.
	first := s.search(t, "docs", forWords("Hundefutter "), func(r *service.SearchRequest) { r.PerPage = new(1) })
	s.put(t, "docs", "new", `{"title":"Hundefutter"}`)
	if got := s.found(t, "docs", forWords("Hundefutter ")); got != "new" {
		t.Errorf("found after it was written: %s", got)
	}
	// Whatever somebody has written into a cursor is a word.
	for _, part := range []string{"", "\x00", "a b", `"a -b`, "OR", "\xff"} {
		cursor := forged(t, first.Cursor, func(c *service.Cursor) { c.Split = map[string][2]string{"hundefutter": {part, part}} })
		if _, err := s.svc.Search(t.Context(), demo, "docs", ask(forWords("Hundefutter "), func(r *service.SearchRequest) { r.Cursor = cursor })); err != nil && service.ErrorCode(err) != service.CodeInvalidRequest {
			t.Errorf("a cursor with the part %q: %v", part, err)
		}
	}
	if got := s.found(t, "docs", forWords("Hundefutter "), func(r *service.SearchRequest) { r.PerPage, r.Cursor = new(1), first.Cursor }); got != "dog" {
		t.Errorf("on the next page: %s", got)
	}
	if err := s.svc.DeleteDocument(t.Context(), "demo", "docs", "new"); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "docs", forWords("Hundefutter ")); got != "food dog" {
		t.Errorf("found after it was deleted: %s", got)
	}
	// The vocabulary still knows a compound that was there for longer.
	s.put(t, "docs", "old", `{"title":"Hundefutter"}`)
	if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
		t.Fatal(err)
	}
	if err := s.svc.DeleteDocument(t.Context(), "demo", "docs", "old"); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "docs", forWords("Hundefutter ")); got != "food dog" {
		t.Errorf("found after it was deleted, later: %s", got)
	}
	// A compound that documents have is not split, even if none has it with the other words.
	s.put(t, "docs", "walk", `{"title":"Mantel für Regen und Hund"}`)
	if got := s.found(t, "docs", forWords("Regenmantel Hund "), func(r *service.SearchRequest) { r.Match = service.MatchAll }); got != "" {
		t.Errorf("together: %s", got)
	}
}

// A compound is also split in the spelling with umlauts, unless the index has it.
func TestSplitCompoundsWithoutUmlauts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence")
	s.language(t, "docs", "german")
	s.put(t, "docs", "brush", `{"title":"Bürste für Hunde"}`, "guide", `{"title":"Reiseführer"}`, "trip", `{"title":"Reise mit Fuehrer"}`, "book", `{"title":"Bücher"}`, "shelf", `{"title":"Regal"}`)
	for range 2 {
		s.finds(t, "docs", map[string]string{
			"Hundebürste ": "brush", "Hundebuerste ": "brush", "hundebuersten": "brush", "Reisefuehrer ": "guide", "Reiseführer ": "guide", "Buecherregal ": "book shelf", "Buecherwurm ": "",
		})
		if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
			t.Fatal(err)
		}
	}
}

// Keywords, identifiers and e-mail addresses are found as they are written, though the vocabulary has none of their words, and by no part of a compound.
func TestSplitCompoundsAsWritten(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence", "maker name", "kind keyword", "code identifier", "mail email")
	s.language(t, "docs", "german")
	s.put(t, "docs", "food", `{"title":"Futter für Hunde, Katzen und Vögel"}`, "beer", `{"title":"Bier"}`, "kind", `{"kind":"Hundefutter"}`, "code", `{"code":"Katzenfutter"}`, "mail", `{"mail":"vogelfutter@example.com"}`,
		"part", `{"code":"Futter"}`, "maker", `{"maker":"Striegel für Pferde"}`)
	s.finds(t, "docs", map[string]string{
		"Hundefutter Bier ": "beer food kind", "Katzenfutter ": "code food", "Katzenfutter": "code food", "Bier Katzenfutter ": "beer code food", "Vogelfutter ": "food mail", "Futter ": "food part", "Pferdestriegel ": "maker",
	})

	// A compound with synonyms is not split: they say what it means.
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "docs", []byte(`{"synonyms":[["hundefutter","bier"]]}`), true); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"Hundefutter ", "Tee OR Wein Hundefutter "} {
		if got := s.found(t, "docs", forWords(q), func(r *service.SearchRequest) { r.Match = service.MatchAny }); got != "beer kind" {
			t.Errorf("%q with a synonym: %s", q, got)
		}
	}

	// Nor a stop word of the index.
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "docs", []byte(`{"stop_words":["hundefutter"],"synonyms":[]}`), true); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "docs", forWords("Hundefutter Bier ")); got != "beer" {
		t.Errorf("with a stop word: %s", got)
	}
}

// A walk goes on with the words that it began with, whatever is written in the meantime: other parts that are more frequent by then, or the first
// document with a part.
func TestSplitCompoundsOfAWalk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence")
	s.language(t, "docs", "german")
	s.put(t, "docs", "house", `{"title":"Haus"}`, "lock", `{"title":"Türschlüssel"}`, "door1", `{"title":"Haustür 1"}`, "door2", `{"title":"Haustür 2"}`, "key1", `{"title":"Schlüssel 1"}`, "key2", `{"title":"Schlüssel 2"}`,
		"cheap", `{"title":"Leine günstig"}`, "dog1", `{"title":"Hunde günstig, Hunde günstig"}`, "dog2", `{"title":"Hunde günstig, günstig, sehr günstig"}`, "dog3", `{"title":"Hunde günstig"}`)
	for q, write := range map[string]string{"Haustürschlüssel ": `{"title":"Haus mit Türschlüssel"}`, "Hundefutter günstig ": `{"title":"Futter"}`} {
		want := s.search(t, "docs", forWords(q)).IDs
		page := s.search(t, "docs", forWords(q), func(r *service.SearchRequest) { r.PerPage = new(1) })
		s.many(t, "docs", 20, func(int) string { return write })
		got := page.IDs
		for range len(want) {
			page = s.search(t, "docs", forWords(q), func(r *service.SearchRequest) { r.PerPage, r.Cursor = new(1), page.Cursor })
			if got = append(got, page.IDs...); page.Cursor == "" {
				break
			}
		}
		if !slices.Equal(got[:min(len(got), len(want))], want) {
			t.Errorf("%q: a walk finds %v, want %v", q, got, want)
		}
	}
}
