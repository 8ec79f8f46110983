package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
)

// TestLanguages checks that, in each of the 28 languages, a document is found by other forms of its word, with and without the accents that it is
// written with, and that the word is marked. In a name, the form that it contains is found.
func TestLanguages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, one := range []struct{ language, word, forms string }{
		{"arabic", "الكتاب", "كتاب كِتَاب"},
		{"armenian", "ագենտների", "ագենտ ԱԳԵՆՏՆԵՐ"},
		{"basque", "etxeak", "etxeari"},
		{"catalan", "informacions", "informació informacio"},
		{"catalan", "notícies", "notícia noticia"},
		{"catalan", "turístics", "turístic turística turistiques"},
		{"danish", "husene", "huset huse"},
		{"dutch", "boeken", "boek"},
		{"english", "cities", "city"},
		{"finnish", "taloissa", "talossa"},
		{"french", "publiées", "publiée publier publiees"},
		{"french", "donnèrent", "donner donnerent"},
		{"french", "différents", "différent different différente"},
		{"french", "cohérente", "cohérent coherents"},
		{"german", "Häuser", "Haus hauser"},
		{"greek", "Αθήνας", "ΑΘΗΝΑΣ Αθηνας Αθήνα"},
		{"hindi", "किताबें", "किताब"},
		{"hindi", "हिन्दी", "हिंदी हिन्\u200dदी"},
		{"hindi", "ज़िन्दगी", "जिंदगी ज़िंदगी जिन्दगी"},
		{"hindi", "लड़कियाँ", "लड़की लडकियां"},
		{"hungarian", "könyvekről", "könyvek konyvekrol könyveknél konyveknel"},
		{"hungarian", "embert", "ember emberek emberért"},
		{"hungarian", "módszert", "módszer modszerek"},
		{"indonesian", "membaca", "baca"},
		{"irish", "eolaíochta", "eolaíocht eolaiocht"},
		{"italian", "libri", "libro"},
		{"lithuanian", "visuomenėje", "visuomenės visuomeneje"},
		{"lithuanian", "geriems", "geras geri gerus"},
		{"lithuanian", "laikraščiams", "laikraščiai laikrastis laikraščio"},
		{"lithuanian", "procese", "procesas procesai"},
		{"nepali", "किताबहरू", "किताब"},
		{"norwegian", "husene", "huset"},
		{"portuguese", "informações", "informação informacao informacoes"},
		{"portuguese", "nação", "nacao NAÇÃO"},
		{"romanian", "informaţii", "informaţie informatie informației"},
		{"romanian", "situaţiilor", "situaţii situaţie situația situatiile"},
		{"romanian", "universităţii", "universitate universitatea universități"},
		{"romanian", "picturi", "pictura picturii"},
		{"russian", "ёлка", "елка ЁЛКИ ёлки"},
		{"serbian", "књиге", "knjiga KNJIGE књига"},
		{"serbian", "ћирилицом", "ćirilica cirilica"},
		{"spanish", "informaciones", "información informacion"},
		{"spanish", "estudiarían", "estudiar estudiarian"},
		{"spanish", "abrirán", "abrirá abrir"},
		{"spanish", "miran", "mirar mira"},
		{"spanish", "permitirán", "permitir permitiran"},
		{"swedish", "husen", "hus"},
		{"tamil", "புத்தகங்கள்", "புத்தகம்"},
		{"turkish", "kuşları", "kuş kuslari KUŞLARI"},
		{"turkish", "okuldaki", "okul okulda"},
		{"turkish", "örneğe", "örnek örneği ornegi"},
		{"turkish", "gözlerini", "göz gözler gözlerin gozlerini"},
		{"turkish", "kızlar", "kız kızların kizlar"},
		{"turkish", "misafirler", "misafir misafirlerin"},
		{"turkish", "arkadaşın", "arkadaş arkadaşlar arkadasin"},
		{"yiddish", "לערנען", "לערנט"},
	} {
		index := fmt.Sprintf("%s-%x", one.language, one.word[:4])
		s.create(t, index, "title text", "name name", "list text")
		settings := fmt.Sprintf(`{"language":%q}`, one.language)
		if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", index, []byte(settings), true); err != nil {
			t.Fatal(err)
		}
		s.put(t, index, "1", fmt.Sprintf(`{"title":"1234 %s, 5678","name":%[1]q,"list":["%[1]s","%[1]s"]}`, one.word))
		for _, form := range strings.Fields(one.word + " " + one.forms) {
			response := s.search(t, index, forWords(form+" "))
			if response.Total != 1 {
				t.Errorf("%s: %s does not find %s", one.language, form, one.word)
				continue
			}
			if marked := fmt.Sprint(response.Hits[0].Highlight["title"]); !strings.Contains(marked, "<b>"+one.word+"</b>") {
				t.Errorf("%s: %s marks %s", one.language, form, marked)
			}
		}
		var accents bool
		err := s.db.Pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT EXISTS (SELECT FROM unnest(title_tsv) WHERE lexeme <> rowan.fold(lexeme)) OR length(list_tsv) <> 1
			FROM app_demo.%q`, index)).Scan(&accents)
		if err != nil || accents {
			t.Errorf("%s: a lexeme of %s has an accent, or the list has not one lexeme (%v)", one.language, one.word, err)
		}
		if total := s.search(t, index, forWords(analysis.Fold(one.word)+" "), withFacets("name"), filtered(fmt.Sprintf("name = %q", analysis.Fold(one.word)))).Total; total != 1 {
			t.Errorf("%s: the name is not %s", one.language, analysis.Fold(one.word))
		}
	}
}

// A configuration of a DBA may have a name that needs quotes.
func TestLanguageWithAQuotedName(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.exec(t, `CREATE TEXT SEARCH CONFIGURATION public."My English" (COPY = english)`)
	s.create(t, "things", "title sentence")
	for language, want := range map[string]service.Code{`"My English"`: "", `My English`: service.CodeInvalidRequest} {
		settings := fmt.Sprintf(`{"language":%q}`, language)
		if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "things", []byte(settings), true); service.ErrorCode(err) != want {
			t.Errorf("%s: %v", settings, err)
		}
	}
	s.put(t, "things", "1", `{"title":"rivers"}`)
	s.finds(t, "things", map[string]string{"river ": "1", "rivrs ": "1"})
}

// The spelling of a Turkish word without its accents takes the same time per letter, however long the word is.
func TestLongTurkishWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	conn := s.forSeconds(t)
	var letters int
	if err := conn.QueryRow(t.Context(), "SELECT sum(length(rowan.spelled('turkish', repeat(w, 120000 / length(w))))) FROM unnest('{i,o,u,misti}'::text[]) w").Scan(&letters); err != nil || letters < 480000 {
		t.Errorf("%d letters, %v", letters, err)
	}
}

// The spelling of a text takes the same time per word, however many words have an ending that is spelled by the letters before it.
func TestTextsOfManySpelledWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	conn := s.forSeconds(t)
	for language, words := range map[string][]string{"hungarian": {"errol ", "azokert "}, "romanian": {"natia "}, "turkish": {"gelmis "}} {
		for _, word := range words {
			var letters int
			err := conn.QueryRow(t.Context(), "SELECT length(rowan.spelled(('pg_catalog.' || $1)::regconfig, $2))", language, strings.Repeat(word, 30000)).Scan(&letters)
			if err != nil || letters < 30000*len(word) {
				t.Errorf("%s %s: %d letters, %v", language, word, letters, err)
			}
		}
	}
}
