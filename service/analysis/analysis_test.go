package analysis_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/storetest"
)

func words(text string) []string {
	list := []string{}
	for _, t := range analysis.Words(text) {
		list = append(list, t.Text)
	}
	return list
}

func TestWords(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"":                           {},
		"Hello, World!":              {"hello", "world"},
		"user_name x-ray":            {"user", "name", "x", "ray"},
		"C++ c# F#, g++; A+++":       {"cplusplus", "csharp", "fsharp", "gplusplus", "aplusplus"},
		"c++11 C#8 C++Builder":       {"cplusplus", "11", "csharp", "8", "cplusplus", "builder"},
		"c/c++ c,c++ C#/.NET (C++)":  {"c", "cplusplus", "c", "cplusplus", "csharp", "net", "cplusplus"},
		"#go a#b page#c a+b 1+1 C+":  {"go", "a", "b", "page", "c", "a", "b", "1", "1", "c"},
		"PoE++ Notepad++ x1# 3# PO#": {"poe", "notepad", "x1", "3", "po"},
		"使用C++开发 Ｃ＋＋ Ｃ＃の C#은":         {"使用", "cplusplus", "开发", "cplusplus", "csharp", "の", "csharp", "은"},
		"c\u00ad++ C⁺⁺ C#\u00ada é++": {"cplusplus", "cplusplus", "c", "a", "eplusplus"},
		"C#\u11ab C＃\u11ab":           {"csharp", "\u11ab", "csharp", "\u11ab"},
		"https://a.b/c?d=1":           {"https", "a", "b", "c", "d", "1"},
		"3.5 1e5x 007 9abc":           {"3", "5", "1e5", "x", "007", "9abc"},
		"Café Ångström naïve":         {"cafe", "angstrom", "naive"},
		"cafe\u0301":                  {"cafe"},
		"straße Æther Øre Łódź":       {"strasse", "aether", "ore", "lodz"},
		"й и":                         {"й", "и"},
		"日本語":                         {"日本", "本語"},
		"東":                           {"東"},
		"Go言語 入門":                     {"go", "言語", "入門"},
		"한국어 검색":                      {"한국어", "검색"},
		"LG전자 코로나19백신 2024년에 C#은 3D프린터":       {"lg", "전자", "코로나", "19", "백신", "2024", "년에", "csharp", "은", "3d", "프린터"},
		"한é글 ＬＧ전자 ①번 ㉠x a\u11ab 대C++ 1e5는 ж가": {"한", "e", "글", "lg", "전자", "1", "번", "\u1100", "x", "a", "\u11ab", "대", "cplusplus", "1e5", "는", "ж", "가"},
		norm.NFD.String("부산 바다"):              {"부산", "바다"},
		"ㄱㅏ 1e5\u0308x":                       {"가", "1e5", "x"},
		"ｶﾞﾗｽ ﾊﾟﾝ":                            {"ガラ", "ラス", "パン"},
		"ＦＵＬＬ ﬁne m²":                         {"full", "fine", "m2"},
		"don’t “quote” soft\u00adhyphen":      {"don", "t", "quote", "softhyphen"},
		"😀 a":                                 {"a"},
		"ΑΘΉΝΑΣ Αθήνας ᾳ":                     {"αθηνασ", "αθηνασ", "α"},
		"Ёлка за́мок й Їжак":                  {"елка", "замок", "й", "їжак"},
		"שָׁלוֹם שלום":                        {"שלום", "שלום"},
		"أَحْمَد احمد إســلام ؤ":              {"احمد", "احمد", "اسلام", "ؤ"},
		"کتاب كتاب علی على":                   {"كتاب", "كتاب", "علي", "علي"},
		"٢٠٢٤ ۲۰۲۴ २०२४":                      {"2024", "2024", "2024"},
		"ราคา๒๕๐บาท":                          {"รา", "าค", "คา", "250", "บา", "าท"},
		"हिन्दी हिंदी मुम्बई गङ्गा पञ्जाब ठण्डा": {"हिंदी", "हिंदी", "मुंबई", "गंगा", "पंजाब", "ठंडा"},
		"ज़िन्दगी चाँद सफ़र अन्न जन्म":           {"जिंदगी", "चांद", "सफर", "अन्न", "जन्म"},
		"मु\u200dम\u094d\u200dफ़":   {"मुंफ"},
		"мʼята м’ята":               {"м", "ята", "м", "ята"},
		"a\u200eb c\u2060d \ufeffe": {"ab", "cd", "e"},
		"کتاب\u200cها ab\u200bcd":   {"كتاب", "ها", "ab", "cd"},
	}
	for text, want := range tests {
		if diff := cmp.Diff(want, words(text)); diff != "" {
			t.Errorf("Words(%q) (-want +got):\n%s", text, diff)
		}
	}
}

// TestWordsEnd has words end behind a joiner, which is part of them as marks are.
func TestWordsEnd(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"അവന്\u200d", "क्\u200d", "co\u00ad"} {
		if got := analysis.Words(word + " x")[0]; got.Start != 0 || got.End != len(word) {
			t.Errorf("the word of %+q is at %d–%d", word, got.Start, got.End)
		}
	}
}

func TestWordsPlaces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		last := 0
		for _, w := range analysis.Words(text) {
			if w.Start < 0 || w.End > len(text) || w.Start >= w.End {
				t.Fatalf("%q at %d–%d is outside of %q", w.Text, w.Start, w.End, text)
			}
			if w.Start < last {
				t.Fatalf("%q begins before the word before it in %q", w.Text, text)
			}
			last = w.Start
		}
	})
}

// pieces are what texts are made of: many scripts, marks, punctuation that PostgreSQL's parser has a meaning for.
var pieces = []string{
	"a", "Bc", "wing", "ß", "É", "e\u0301", "ñ", "ø", "Æ", "и", "й", "И\u0306", "λ", "ς", "Σ", "日", "本", "語", "か", "\u3099", "カ", "タ", "ー",
	"ไ", "ท", "ย", "กำ", "한", "국", "\u1112\u1161", "\u11ab", "ㄱ", "ㅏ", "ｶ", "ﾊ", "ﾞ", "ﾟ", "ع", "أ", "\u0627", "\u064e", "\u0654", "ى", "ک", "ٱ", "\u0640", "٣", "ר", "\u05b8", "ё", "е", "\u0308", "ά", "ʼ", "हि", "३", "न्", "द", "म", "\u094d", "\u093c", "ँ", "ब", "ङ", "ग", "फ़", "ऩ", "0", "12", "3", "e", "E5", "x", ".", ",", "-", "/", "@", ":", "&", "<", ">", "+", "~", "_", "++", "C", "＋", "＃", "⁺", "+\u0301",
	"'", "\"", "=", "?", "#", "%", "(", ")", "[", "]", "{", "}", "|", "\\", "*", "!", ";", "$", "^", "`", " ", "  ", "\n", "\t", "’", "“", "–", "—",
	"\u00a0", "\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\ufeff", "²", "½", "ﬁ", "Ａ", "😀", "www.", "http://", ".com", "<b>", "&amp;", "&eacute;", "&#150;", "&#x41;", "<i>", "</i>", "<p a='>'>", "<a b=\"c=\">", "<i b=", "<script>", "</script>", "<!--", "-->", "…", "№", "™",
}

func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(t, "pieces"), "")
	})
}

// TestAgainstDatabase holds this package and the functions of the database together.
func TestAgainstDatabase(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		var fold, whole, html string
		var value, lexemes []string
		err := db.Pool.QueryRow(ctx, `SELECT rowan.fold($1), rowan.whole($1), tsvector_to_array(rowan.tsv_whole(to_jsonb($1))), rowan.plain_html($1), coalesce((SELECT array_agg(u.lexeme ORDER BY p)
			FROM unnest(to_tsvector('simple', rowan.words($1))) AS u, unnest(u.positions) AS p), '{}')`, text).Scan(&fold, &whole, &value, &html, &lexemes)
		if err != nil {
			t.Fatal(err)
		}
		if got := analysis.Fold(text); got != fold {
			t.Errorf("Fold(%q) = %q, the database has %q", text, got, fold)
		}
		if got := analysis.Whole(text); got != whole {
			t.Errorf("Whole(%q) = %q, the database has %q", text, got, whole)
		}
		if diff := cmp.Diff(value, wholes(text)); diff != "" {
			t.Errorf("%q as a value of a keyword: %s", text, diff)
		}
		if got := analysis.PlainHTML(text); got != html {
			t.Errorf("PlainHTML(%q) = %q, the database has %q", text, got, html)
		}
		if diff := cmp.Diff(lexemes, words(text)); diff != "" {
			t.Errorf("Words(%q) (-database +Go):\n%s", text, diff)
		}
	})
}

// TestClasses tells when a character class was changed on one side only: each stands in the functions of the database in
// full, between the same brackets. TestEveryCharacter does not get as far as the characters beyond \uffff.
func TestClasses(t *testing.T) {
	t.Parallel()
	var sql []byte
	for _, name := range []string{"00028_words_beyond_ascii.sql", "00030_korean.sql"} {
		file, err := os.ReadFile("../../migrations/" + name)
		if err != nil {
			t.Fatal(err)
		}
		sql = append(sql, file...)
	}
	// Literals on lines that follow each other are one.
	joined := regexp.MustCompile(`'\n *'`).ReplaceAllString(string(sql), "")
	for name, literal := range map[string]string{
		"wordClass":  `'[^\x01-\x7f` + analysis.WordClass + `]'`,
		"bigramBase": `'[` + analysis.BigramBase + `]'`,
		"bigramMark": `'[` + analysis.BigramMark + `]*'`,
		"hangul":     `'[` + analysis.Hangul + `]'`,
	} {
		if !strings.Contains(joined, literal) {
			t.Errorf("%s is not what the database has", name)
		}
	}
}
