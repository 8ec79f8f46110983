package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Korean is found while its syllables are being typed, and with particles other than in the query.
func TestKorean(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence", "name completion")
	s.put(t, "docs", "1", `{"title":"한글 배우기","name":"한글 박물관"}`, "2", `{"title":"서울의 밤"}`, "3", `{"title":"서울에서 살기"}`, "4", `{"title":"한국어","name":"국립 한글 박물관"}`,
		"5", `{"title":"고양이와 강아지"}`)
	ask := func(query, want string) {
		t.Helper()
		got := strings.Fields(s.found(t, "docs", forWords(query)))
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	settle := func(index string) {
		t.Helper()
		if err := s.Settle(t.Context(), s.current(t, index)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // before the vocabulary has what was written, and after
		ask("한그", "1 4")
		ask("한ㄱ", "1 4")
		ask("하", "1 4")
		ask("한긔", "")
		ask("서우", "2 3")
		ask("서울 ", "2 3")
		ask("서울?", "2 3")  // punctuation says no more than a space
		ask("서울 밤", "2 3") // with any of the words, because few documents have all
		ask("\"서울\" ", "")
		ask("서울에서는 ", "2 3")
		ask("서울까지", "2 3") // no document has 서울 alone
		ask("서울특별시 ", "")  // does not end in a particle
		ask("한글을 ", "1 4")
		ask("고양 ", "5")
		settle("docs")
	}
	if got := s.found(t, "docs", forWords("서울 밤")); !strings.HasPrefix(got, "2") {
		t.Errorf("in this order: %s", got)
	}
	for q, want := range map[string]string{"한그": "[한글 박물관 국립 한글 박물관]", "한ㄱ": "[한글 박물관]", "국립 한그": "[국립 한글 박물관 한글 박물관]", "바": "[]", "박무": "[국립 한글 박물관 한글 박물관]"} {
		if got := fmt.Sprint(s.search(t, "docs", forWords(q)).Autocomplete); got != want {
			t.Errorf("%s suggests %s, want %s", q, got, want)
		}
	}

	// A noun that ends like one with a particle is found by its own particles, and one of a single syllable by those that the index has.
	s.create(t, "nouns", "title sentence")
	s.put(t, "nouns", "cat", `{"title":"고양이를 키우기"}`, "town", `{"title":"고양시 지도"}`, "mike", `{"title":"마이크 추천"}`, "micro", `{"title":"마이크로 칩"}`,
		"book", `{"title":"책을 읽기"}`, "desk", `{"title":"책상 위"}`, "brand", `{"title":"LG는 전자"}`, "other", `{"title":"LGA 칩"}`)
	s.create(t, "apart", "title sentence", "name completion")
	s.put(t, "apart", "lg", `{"title":"LG전자의 역사","name":"LG전자 연구소"}`, "year", `{"title":"2024년에 나온 달력"}`, "virus", `{"title":"코로나19백신"}`, "chips", `{"title":"SK하이닉스는"}`,
		"many", `{"title":"10만 관객"}`, "other", `{"title":"LGA 소켓"}`)
	for range 2 {
		s.finds(t, "apart", map[string]string{"전자 ": "lg", "전자": "lg", "LG ": "lg", "lg": "lg other", "LG전자 ": "lg", "LG전": "lg", "LG 전자 ": "lg", "LG가 ": "lg", "LG전자에서는 ": "lg",
			"ＬＧ전자": "lg", "2024 달력": "year", "2024년 ": "year", "2024년의 ": "year", "2024년도 ": "year", "2024": "year", "코로나 ": "virus", "코로나19": "virus", "백신": "virus",
			"하이닉스": "chips", "SK하이닉스": "chips", "sk하이": "chips", "SK하이닉스를 ": "chips", "10만 ": "many", "\"LG가\" ": "", "-전자 LG ": ""})
		settle("apart")
	}
	for q, want := range map[string]string{"전자": "[LG전자 연구소]", "lg전": "[LG전자 연구소]", "연구": "[LG전자 연구소]"} {
		if got := fmt.Sprint(s.search(t, "apart", forWords(q)).Autocomplete); got != want {
			t.Errorf("%s suggests %s, want %s", q, got, want)
		}
	}

	for range 2 {
		s.finds(t, "nouns", map[string]string{"고양이 ": "cat", "고양이가 ": "cat", "고양 ": "cat town", "고양에 ": "cat town", "마이크로 ": "micro mike", "책 ": "book", "책 추천": "book mike",
			"LG가 ": "brand", "LG 추천 ": "brand mike", "\"LG\" 추천 ": "brand mike", "LG phone ": "brand", "\"고양이가\" ": "", "-고양이를 고양 ": "town"})
		settle("nouns")
	}
	if got := s.found(t, "nouns", forWords("마이크로 ")); got != "micro mike" {
		t.Errorf("in this order: %s", got)
	}

	// A compound is found by a noun within it, with any particle; a noun of two syllables must come after at least two others.
	s.create(t, "compounds", "title sentence")
	s.put(t, "compounds", "kimchi", `{"title":"김치냉장고를 샀다"}`, "fridge", `{"title":"냉장고"}`, "phones", `{"title":"무선이어폰"}`, "paper", `{"title":"신문지의 역사"}`, "door", `{"title":"대문지기"}`)
	for range 2 {
		for q, want := range map[string]string{"냉장고 ": "fridge kimchi", "냉장고": "fridge kimchi", "냉장고에 ": "fridge kimchi", "김치 냉장고 ": "kimchi fridge", "이어폰": "phones", "이어": "phones", "문지 ": "",
			"\"냉장고\" ": "fridge", "-냉장고 김치냉장고를 ": "kimchi"} {
			if got := s.found(t, "compounds", forWords(q)); got != want {
				t.Errorf("%q finds %q, want %q", q, got, want)
			}
		}
		settle("compounds")
	}

	// Also among more words than a prefix stands for.
	s.create(t, "many", "title sentence")
	s.many(t, "many", 200, func(i int) string { return fmt.Sprintf(`{"title":"한글%c"}`, '가'+rune(i)*28) })
	settle("many")
	if got := s.search(t, "many", forWords("한그")).Total; got != 200 {
		t.Errorf("%d of 200 are found", got)
	}
}

// Words as written come first, then nouns with other particles, then compounds.
func TestKoreanInOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence")
	s.put(t, "docs", "2", `{"title":"서울의"}`, "3", `{"title":"서울에서"}`, "brand", `{"title":"LG는"}`, "exact", `{"title":"LG가"}`,
		"month", `{"title":"12월에"}`, "written", `{"title":"12월의"}`, "compound", `{"title":"무선이어폰"}`, "noun", `{"title":"이어폰"}`)
	for range 2 {
		for query, want := range map[string]string{"서울에서 ": "3 2", "LG가 ": "exact brand", "12월의 ": "written month", "이어폰 ": "noun compound"} {
			got := s.search(t, "docs", forWords(query))
			if strings.Join(got.IDs, " ") != want || got.Hits[1].Score > 0.95*got.Hits[0].Score {
				t.Errorf("%q finds %v, want %q", query, got.Hits, want)
			}
		}
		if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
			t.Fatal(err)
		}
	}
}

// Only what a query means is found, or excluded.
func TestKoreanThatIsNotMeant(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence")
	s.put(t, "docs", "cat", `{"title":"고양이를 고양이"}`, "town", `{"title":"고양"}`, "province", `{"title":"경기고양시"}`, "stray", `{"title":"들길고양이"}`,
		"kimchi", `{"title":"김치냉장고"}`, "lg", `{"title":"LG전자의"}`, "year", `{"title":"1999년"}`, "summer", `{"title":"1999년도"}`)
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "docs", TypoTolerance: new(false)}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for query, want := range map[string]string{
			"고양이 ":       "cat stray", // the town is another noun
			"고양 ":        "cat province stray town",
			"-고양이가 고양 ":  "cat province stray town", // no document has that form
			"LG냉장고 냉장고 ": "",
			"LG-가 ":      "", // it is no particle there
			"1999년의 ":    "summer year",
			"1999년 ":     "summer year",
		} {
			if got := s.found(t, "docs", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
				t.Errorf("%q finds %q, want %q", query, got, want)
			}
		}
		if got := s.found(t, "strict", forWords("고양이가 ")); got != "" {
			t.Errorf("without tolerance: %s", got)
		}
		if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
			t.Fatal(err)
		}
	}
}

// A noun stands for the most frequent compounds with it.
func TestKoreanCompoundsOfManyWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence")
	s.many(t, "docs", 70, func(i int) string { return fmt.Sprintf(`{"title":"%c무냉장고"}`, '가'+rune(min(i, 68))*28) })
	if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
		t.Fatal(err)
	}
	if got := s.search(t, "docs", forWords("냉장고 ")).Total; got != 65 {
		t.Errorf("%d documents are found, want those of 63 words in one and of one word in two", got)
	}
}

// The words before a Korean one are stemmed where the text is.
func TestKoreanBehindOtherWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence", "maker name")
	s.put(t, "docs", "text", `{"title":"Runners전자의"}`, "name", `{"maker":"Runners전자의"}`, "other", `{"maker":"Runner전자의"}`,
		"stopped", `{"title":"The은하의"}`, "between", `{"title":"Radio the은하의"}`)
	for query, want := range map[string]string{"Runners전자는 ": "name text", "The은하는 ": "between stopped", "Radio-the은하는 ": "between"} {
		if got := s.found(t, "docs", forWords(query), matching(service.MatchAll), sortedBy("_id")); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
