package analysis_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service/analysis"
)

func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, text, want string }{
		{"german", "Müller", "mueller"},
		{"german", "Mu\u0308ller", "mueller"},
		{"german", "MUELLER", "muller"},
		{"german", "Schloesser und Übungen", "schloesser und uebungen|schlosser und ubungen"},
		{"german", "neue Bauer Quelle aktuell", "neue bauer quelle aktull"}, // which no document has
		{"german", "Haus", ""},
		{"german", "Hauptstraße", "hauptstr"},
		{"english", "Carl-Schurz-Str.", "carl-schurz-strasse."},
		{"english", "Lange Strasse", "lange str"},
		{"german", "Straßenbahn", ""},
		{"english", "Str.", "strasse."},
		{"english", "str", ""},
		{"german", "Straße", ""},
		{"english", "stripes", ""},
		{"danish", "Århus", "aarhus"},
		{"danish", "Aabenraa", "abenra"},
		{"swedish", "Göteborg", "goeteborg"},
		{"finnish", "maa", ""}, // a long vowel
		{"english", "Poet", ""},
		{"english", "Dont stop, youre mine", "don't stop, you're mine"},
		{"english", "don't", ""},
		{"english", "well, ill and were", ""}, // words of their own
		{"german", "dont", ""},
		{"english", "Schrödinger in Ålborg", "schroedinger in aalborg"},
		{"simple", "Ko\u0308ln", "koeln"},
		{"finnish", "päivää", ""},
		{"arabic", "مكة", "مكه|المكة|والمكة|فالمكة|المكه"},
		{"arabic", "القاهره", "القاهرة|قاهره|والقاهره|فالقاهره|قاهرة"},
		{"arabic", "والكتاب", "كتاب|الكتاب|فالكتاب"},
		{"arabic", "الكتاب المقدس", "كتاب مقدس|والكتاب المقدس|فالكتاب المقدس"},
		{"arabic", "والد", "الوالد|والوالد|فالوالد"}, // a father, not and the …
		{"arabic", "الد", ""},
		{"arabic", "في", ""},
		{"english", "ラーメン", "らーめん"},
		{"english", "β-decay", "beta-decay"},
		{"english", "Beta-decay of \\gamma", "β-decay of \\γ"},
		{"english", "ΛCDM, TNFα, Aβ42, 0νββ", "lambda cdm, tnf alpha, a beta 42, 0 nu beta beta|λ cdm, tnf α, a β 42, 0 ν β β"},
		{"german", "100 µm π", "100 mu m pi|100 μ m π"},
		{"english", "λόγος", ""}, // a word
		{"english", "betas", ""},
		{"english", "IL-1beta", "il-1β"},
		{"english", "TNF-alpha", "tnf-α|tnfα"},
		{"greek", "β beta", ""},
		{"simple", "हिन्", "हिं"},
		{"simple", "हिन्दी क्", ""},
		{"simple", "らー ﾗｰ", "らー らー|ラー ラー"},
	} {
		if got := strings.Join(analysis.Spellings(test.language, test.text), "|"); got != test.want {
			t.Errorf("%s: %s is also spelled %q, want %q", test.language, test.text, got, test.want)
		}
	}
}

func TestOtherNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, word, want string }{
		{"english", "mice", "mouse"}, {"english", "shelf", "shelves"}, {"english", "house", ""}, {"english", "data", ""},
		{"english", "sheaf", "sheaves"}, {"english", "lemmata", "lemma"}, {"english", "equilibria", "equilibrium"}, {"english", "submatrices", "submatrix"}, {"english", "bookshelf", "bookshelves"},
		{"english", "pseudospectrum", "pseudospectra"}, {"english", "housewife", "housewives"}, {"english", "raman", ""}, {"english", "human", ""}, {"english", "axes", ""}, {"german", "man", ""},
		{"english", "lenses", "lens"}, {"english", "tvs", "tv"}, {"english", "tv", "tvs"}, {"english", "gpus", "gpu"}, {"english", "fpga", "fpgas"}, {"english", "bra", "bras"}, {"english", "llm", "llms"},
		{"english", "gps", ""}, {"english", "gp", ""}, {"english", "mr", ""}, {"english", "x", ""}, {"english", "xs", ""}, {"english", "css", ""}, {"english", "cs", ""}, {"english", "pen", ""}, {"english", "gas", "gases"},
		{"english", "sea", ""}, {"english", "h2s", ""}, {"german", "tvs", ""},
	} {
		if got := analysis.OtherNumber(test.language, test.word); got != test.want {
			t.Errorf("%s: the other number of %s is %q, want %q", test.language, test.word, got, test.want)
		}
	}
}

// The endings of its language give a word a few other forms, each once, and never the word itself. Most of them are no words.
func TestOtherForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, word, want string }{
		{"dutch", "huis", "huizen"}, {"dutch", "huizen", "huis"}, {"dutch", "kaas", "kazen"}, {"dutch", "pannen", "pan"}, {"dutch", "loopt", "lopen"},
		{"german", "gekocht", "kochen"}, {"german", "kochen", "gekocht kocht kochte"}, {"german", "geht", "gehen"}, {"danish", "stort", "stor"}, {"danish", "store", "stort"}, {"danish", "hus", ""}, {"danish", "far", "faedre"}, {"danish", "barn", "born"},
		{"swedish", "vaskan", "vaska vaskor vaskorna"}, {"swedish", "handbocker", "handbok"}, {"swedish", "bockerna", "bok"}, {"norwegian", "hendene", "hand"}, {"danish", "bornene", "barn"}, {"swedish", "nycklar", "nyckel nyckeln"}, {"norwegian", "sjomenn", "sjomann"}, {"norwegian", "sykler", "sykkel"},
		{"dutch", "kinderen", "kind"}, {"dutch", "musea", "museum"}, {"dutch", "oog", "ogen"}, {"german", "lehrerinnen", "lehrerin lehrer"}, {"german", "studentin", "student"}, {"catalan", "amics", "amiga"}, {"swedish", "ny", "nytt nya"}, {"swedish", "rott", "rod roda"}, {"danish", "byen", "by byer"}, {"norwegian", "ore", "orer"}, {"russian", "палец", "пальцы"}, {"dutch", "vriendin", "vriend"}, {"german", "autos", "auto"}, {"german", "autor", "autorin"}, {"german", "museen", "museum"},
		{"french", "photos", "photo"}, {"french", "blanche", "blanc blancs"}, {"spanish", "uvas", "uva"}, {"catalan", "cases", "casa"}, {"hungarian", "macskak", "macska macskaja"}, {"hungarian", "lovak", "lo"}, {"hungarian", "tukor", "tukrok tukre"}, {"hungarian", "gyere", "gyerek"}, {"finnish", "rakennukset", "rakennus"}, {"finnish", "takit", "takki"}, {"french", "as", ""}, {"french", "vendeuse", "vendeur"}, {"french", "actrices", "acteur"}, {"french", "mariee", "marie"}, {"spanish", "actriz", "actor actores"}, {"portuguese", "europeia", "europeu"}, {"italian", "alta", "alto"}, {"italian", "attrice", "attore"}, {"italian", "contessa", "contesse"}, {"italian", "laghi", "lago"}, {"italian", "anno", "anni"}, {"russian", "подарки", "подарок"}, {"romanian", "locuri", "loc locul"},
		{"portuguese", "animais", "animal"}, {"portuguese", "coracao", "coracoes"}, {"spanish", "luces", "luz"}, {"spanish", "lineas", "linea"}, {"romanian", "ceasuri", "ceas"}, {"romanian", "femeile", "femeie"}, {"romanian", "zilele", "zi"}, {"romanian", "ei", ""},
		{"swedish", "bordet", "bord"}, {"swedish", "is", ""}, {"turkish", "ay", ""}, {"turkish", "urunler", "urun"}, {"turkish", "ayakkabilar", "ayakkabisi"}, {"turkish", "cantalari", "cantasi"}, {"turkish", "resimler", "resmi"}, {"turkish", "renginde", "renk"}, {"turkish", "park", "parki parklar"},
		{"finnish", "hinnat", "hinta"}, {"finnish", "katu", "kadun kadut"}, {"finnish", "punaiset", "punainen punaista punaisia"}, {"finnish", "koirat", "koiria koirien"}, {"finnish", "kengat", "kenka kenkaa kenkia"}, {"finnish", "vetta", "vesi veden"}, {"finnish", "tyot", "toita"},
		{"serbian", "gradom", "grad gradovi"}, {"serbian", "knjiga", "knjizi"}, {"serbian", "књизи", "књига"}, {"serbian", "lonac", "lonci"}, {"serbian", "oci", "oko"}, {"arabic", "السيارات", "سيارة"}, {"arabic", "المدن", "مدينة"}, {"arabic", "ال", ""}, {"irish", "bh", ""}, {"german", "", ""}, {"armenian", "ընկերներ", "ընկեր ընկերի"}, {"basque", "etxearen", "etxe etxeak"}, {"nepali", "किताबबाट", "किताब"}, {"lithuanian", "medis", "medziai"}, {"irish", "mbroga", "brog"}, {"irish", "chait", "cat cait"}, {"irish", "fhear", "fir"}, {"indonesian", "menulis", "tulis"}, {"indonesian", "kirim", "mengirim pengiriman"}, {"indonesian", "pemain", "main"}, {"indonesian", "buku", ""}, {"english", "mice", ""}, {"simple", "huis", ""},
	} {
		got := analysis.OtherForms(test.language, test.word)
		for _, form := range strings.Fields(test.want) {
			if !slices.Contains(got, form) {
				t.Errorf("%s: the other forms of %q are %q, without %q", test.language, test.word, got, form)
			}
		}
		if test.want == "" && len(got) > 0 || len(got) > 32 || slices.Contains(got, test.word) {
			t.Errorf("%s: the other forms of %q are %q", test.language, test.word, got)
		}
		slices.Sort(got)
		if n := len(got); len(slices.Compact(got)) != n {
			t.Errorf("%s: other forms of %q are there twice: %q", test.language, test.word, got)
		}
	}
}
