package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Forms of one word that a stemmer takes for two words find each other if the index has them; what only looks like a form is another word.
func TestOtherForms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, one := range []struct {
		language  string
		documents []string
		queries   map[string]string
	}{
		{"dutch", []string{"groot huis", "grote huizen", "nieuwe fiets", "nieuwe fietsen", "koekenpan", "koekenpannen"}, map[string]string{
			"huis ": "0 1", "huizen ": "0 1", "fiets ": "2 3", "fietsen ": "2 3", "koekenpan ": "4 5", "fietsen -huizen ": "2 3",
		}},
		{"portuguese", []string{"meu coração", "corações partidos", "seis casas", "um selo", "selos", "animal", "português", "portuguesa"}, map[string]string{
			"coração ": "0 1", "coracoes ": "0 1", "seis ": "2", "animais ": "5", "portuguesas ": "6 7", "português ": "6 7",
		}},
		{"spanish", []string{"lápiz rojo", "lápices de colores", "una joven", "los jóvenes"}, map[string]string{"lápices ": "0 1", "lapiz ": "0 1", "joven ": "2 3", "jóvenes ": "2 3"}},
		{"turkish", []string{"yeni ürün", "yeni ürünler", "salon takımı", "salonlar", "koşu ayakkabısı", "resim", "çocuk resmi", "göz rengi", "renk", "kısa film", "filmi", "el çantası", "çantaları"}, map[string]string{
			"resim ": "5 6", "resmi ": "5 6", "renk ": "7 8", "rengi ": "7 8", "film ": "10 9", "filmi ": "10 9", "çantası ": "11 12", "cantalari ": "11 12",
			"ürün ": "0 1", "ürünler ": "0 1", "salon ": "2 3", "salonlar ": "2 3", "ayakkabı ": "4", "ayakkabılar ": "4",
		}},
		{"hungarian", []string{"fehér ló", "lovak", "tükör", "tükrök", "kutyák", "a kutyája", "ablakok", "ablaka"}, map[string]string{
			"ló ": "0 1", "lovak ": "0 1", "tükör ": "2 3", "tukrok ": "2 3", "kutyák ": "4 5", "ablaka ": "6 7",
		}},
		{"finnish", []string{"punainen talo", "punaiset talot", "halpa hinta", "halvat hinnat", "kengät", "kenkiä", "uusi puhelin", "uusia puhelimia", "puun", "puita"}, map[string]string{
			"punainen ": "0 1", "punaiset ": "0 1", "hinta ": "2 3", "hinnat ": "2 3", "kengät ": "4 5", "kenkia ": "4 5", "puhelin ": "6 7", "uusia ": "6 7", "puu ": "8 9", "puita ": "8 9",
		}},
		{"swedish", []string{"ett bord", "bordet", "väskan", "väskor", "nyckel", "nycklar", "böcker", "bok", "röd", "rött", "bröd", "brott"}, map[string]string{
			"röd ": "8 9", "rött ": "8 9", "bröd ": "10", "brott ": "11",
			"bord ": "0 1", "bordet ": "0 1", "väskor ": "2 3", "väskan ": "2 3", "nycklar ": "4 5", "bok ": "6 7", "böcker ": "6 7", "bocker ": "6 7",
		}},
		{"danish", []string{"et barn", "børn", "hånd", "hænder"}, map[string]string{"barn ": "0 1", "børn ": "0 1", "hænderne ": "2 3"}},
		{"russian", []string{"подарок", "подарки", "день", "дни"}, map[string]string{"подарок ": "0 1", "подарков ": "0 1", "дни ": "2 3"}},
		{"italian", []string{"un lago", "i laghi", "mare", "marea", "uomo", "uomini"}, map[string]string{"lago ": "0 1", "laghi ": "0 1", "mare ": "2", "uomini ": "4 5"}},
		{"french", []string{"rocher", "rochers", "actif", "actives", "une photo", "photos", "vendeur", "vendeuses"}, map[string]string{
			"vendeuse ": "6 7", "vendeurs ": "6 7",
			"rocher ": "0 1", "rochers ": "0 1", "active ": "2 3", "actif ": "2 3", "photo ": "4 5", "photos ": "4 5",
		}},
		{"german", []string{"Problem", "Probleme", "Eier kochen", "kocht", "gekochte Eier", "gekocht", "Auto", "Autos", "Lehrerin", "Lehrerinnen", "Museum", "Museen"}, map[string]string{
			"Problem ": "0 1", "Probleme ": "0 1", "kochen ": "2 3 4 5", "Auto ": "6 7", "Autos ": "6 7", "Lehrerinnen ": "8 9", "Lehrer ": "8 9", "Museum ": "10 11",
		}},
		{"norwegian", []string{"stor by", "stort hus", "fars hus", "fart"}, map[string]string{"stor ": "0 1", "stort ": "0 1", "far ": "2"}},
		{"basque", []string{"liburu", "liburua", "liburuak", "liburuarekin"}, map[string]string{"liburu ": "0 1 2 3", "liburua ": "0 1 2 3", "liburuak ": "0 1 2 3", "liburuarekin ": "0 1 2 3"}},
		{"armenian", []string{"մեքենա", "ընկեր", "ընկերները"}, map[string]string{"ընկեր ": "1 2", "ընկերները ": "1 2"}},
		{"nepali", []string{"किताब", "किताबबाट"}, map[string]string{"किताब ": "0 1", "किताबबाट ": "0 1"}},
		{"lithuanian", []string{"medis", "medžiai"}, map[string]string{"medis ": "0 1", "medžiai ": "0 1"}},
		{"catalan", []string{"cançó", "cançons", "llibre", "llibres"}, map[string]string{"canço ": "0 1", "cançons ": "0 1", "llibre ": "2 3", "llibres ": "2 3"}},
		{"greek", []string{"βιβλίο", "βιβλία"}, map[string]string{"βιβλίο ": "0 1", "βιβλία ": "0 1"}},
		{"arabic", []string{"سيارة", "سيارات", "كتاب", "الكتب"}, map[string]string{"سيارة ": "0 1", "سيارات ": "0 1", "السيارة ": "0 1", "كتاب ": "2 3", "كتب ": "2 3"}},
		{"serbian", []string{"grad", "gradovi", "књига", "radnik", "radnici", "рука", "руци", "gradova"}, map[string]string{
			"gradovi ": "0 1 7", "gradu ": "0 1 7", "град ": "0", "radnici ": "3 4", "radnik ": "3 4", "рука ": "5 6", "руци ": "5 6",
		}},
		{"tamil", []string{"பாடல்", "பாடல்கள்", "மரம்", "மரங்கள்"}, map[string]string{"பாடல் ": "0 1", "பாடல்கள் ": "0 1", "மரம் ": "2 3", "மரங்கள் ": "2 3"}},
		{"irish", []string{"bróg", "bróga", "leabhar", "leabhair", "an fear", "na fir"}, map[string]string{"bróg ": "0 1", "bróga ": "0 1", "leabhar ": "2 3", "leabhair ": "2 3", "fir ": "4 5", "bhfear ": "4 5"}},
		{"indonesian", []string{"buku", "buku-buku", "kupu-kupu", "kirim uang", "pengirim"}, map[string]string{"buku ": "0 1", "buku-buku ": "0 1", "\"buku-buku\"": "1", "mengirim ": "3 4", "kirim ": "3 4"}},
		{"english", []string{"den", "dense"}, map[string]string{"dens ": "0", "dense ": "1"}},
	} {
		t.Run(one.language, func(t *testing.T) {
			s.create(t, one.language, "title text")
			if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", one.language, []byte(`{"language":"`+one.language+`"}`), true); err != nil {
				t.Fatal(err)
			}
			// What is searched for before the index has it is found once it has.
			for query := range one.queries {
				if got := s.found(t, one.language, forWords(query), matching(service.MatchAny)); got != "" {
					t.Errorf("%q finds %s in nothing", query, got)
				}
			}
			for i, title := range one.documents {
				s.put(t, one.language, fmt.Sprint(i), fmt.Sprintf(`{"title":%q}`, title))
			}
			for _, settled := range []bool{false, true} {
				for query, want := range one.queries {
					for _, match := range []service.Match{service.MatchAll, service.MatchAny} {
						got := strings.Fields(s.found(t, one.language, forWords(query), matching(match)))
						if slices.Sort(got); strings.Join(got, " ") != want {
							t.Errorf("settled %t, match %s: %q finds %q, want %q", settled, match, query, got, want)
						}
					}
				}
				if err := s.Settle(t.Context(), s.current(t, one.language)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}

	// Later versions of PostgreSQL know more forms, for which this test shows nothing.
	apart := func(words ...string) bool {
		lexemes, err := s.Lexemes(t.Context(), "dutch", words)
		if err != nil {
			t.Fatal(err)
		}
		return lexemes[0][0] != lexemes[1][0]
	}
	if apart("huis", "huizen") {
		found := s.search(t, "dutch", forWords("huizen ")).Hits
		if found[0].ID != "1" || found[1].Score > 0.81*found[0].Score || fmt.Sprint(found[1].Highlight["title"]) != "[groot <b>huis</b>]" {
			t.Errorf("huizen finds %s (%v), then %s (%v), marked %v", found[0].ID, found[0].Score, found[1].ID, found[1].Score, found[1].Highlight)
		}
		strict := false
		if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "dutch", TypoTolerance: &strict}); err != nil {
			t.Fatal(err)
		}
		for _, as := range [][3]string{{"dutch", `"huizen"`, "1"}, {"dutch", "groot -huizen", "0"}, {"strict", "huizen ", "1"}} {
			if got := s.found(t, as[0], forWords(as[1])); got != as[2] {
				t.Errorf("%s: %s finds %q, want %q", as[0], as[1], got, as[2])
			}
		}
	}
	// A word that is the stem of others may be a different word.
	if found := s.search(t, "dutch", forWords("fietsen ")).Hits; apart("fiets", "fietsen") && (found[0].ID != "3" || found[1].Score > 0.51*found[0].Score) {
		t.Errorf("fietsen finds %s (%v), then %s (%v)", found[0].ID, found[0].Score, found[1].ID, found[1].Score)
	}
}

// The same holds if postings tell which documents have them.
func TestOtherFormsOfCommonWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(10)
	s.create(t, "things", "title text")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "things", []byte(`{"language":"turkish"}`), true); err != nil {
		t.Fatal(err)
	}
	s.many(t, "things", 200, func(i int) string {
		return fmt.Sprintf(`{"title":"%s %d"}`, []string{"salon", "salonlar", "ürün", "ürünler", "masa"}[i%5], i)
	})
	s.put(t, "things", "rare", `{"title":"masaları masası"}`)
	check := func(when string, masalar int64) {
		t.Helper()
		for query, want := range map[string]int64{"salon ": 80, "salonlar ": 80, "ürün ": 80, "ürünler ": 80, "masası ": masalar} {
			for _, match := range []service.Match{service.MatchAll, service.MatchAuto, service.MatchAny} {
				if got := s.search(t, "things", forWords(query), matching(match)); got.Total != want {
					t.Errorf("%s, match %s: %q finds %d, want %d", when, match, query, got.Total, want)
				}
			}
		}
	}
	check("before", 41)
	if err := s.Settle(t.Context(), s.current(t, "things")); err != nil {
		t.Fatal(err)
	}
	check("settled", 41)
	s.buildPostings(t)
	check("with postings", 41)
}

// A document that has got the other form by a change is found by the next search, too.
func TestOtherFormsOfChangedDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title text")
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "things", []byte(`{"language":"dutch"}`), true); err != nil {
		t.Fatal(err)
	}
	s.put(t, "things", "house", `{"title":"oude molen"}`)
	if err := s.Settle(t.Context(), s.current(t, "things")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // what the word means is remembered
		if got := s.found(t, "things", forWords("huizen ")); got != "" {
			t.Errorf("found %s", got)
		}
	}
	s.put(t, "things", "house", `{"title":"oud huis"}`)
	if got := s.found(t, "things", forWords("huizen ")); got != "house" {
		t.Errorf("after the change: found %q", got)
	}
}
