package store_test

import "testing"

// What was stored before Korean was separated from other letters is then found like what is written afterwards, and no other document is written.
func TestKoreanOfWhatIsStored(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 29)
	s.create(t, "docs", "title completion", "text html", "code identifier", "tags tags")
	s.put(t, "docs", "plain", `{"title":"LG전자"}`, "wide", `{"rest":"ＬＧ전자"}`, "entity", `{"text":"LG&#51204;자 &#xC804;"}`, "tag", `{"text":"<b>LG</b>전자"}`, "mark", `{"rest":"é전자"}`,
		"nfd", `{"rest":"1저\u11ab자"}`, "code", `{"code":"x전자"}`, "tags", `{"tags":["5전자"]}`, "apart", `{"title":"한글 LG, 전지. 2024/한","text":"&#39;LG&amp;"}`)
	s.exec(t, `INSERT INTO app_demo_derived.docs_suggestions VALUES ('새 lg전자', '새 LG전자', 1), ('새 책', '새 책', 1)`)
	version := func(id string) (xmin string) {
		t.Helper()
		if err := s.db.Pool.QueryRow(t.Context(), "SELECT xmin::text FROM app_demo.docs WHERE _id = $1", id).Scan(&xmin); err != nil {
			t.Fatal(err)
		}
		return xmin
	}
	before := version("apart")
	s.migrateAround(t, "docs")
	if version("apart") != before {
		t.Error("a document without such words was written")
	}
	if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"전자 ": "code entity mark nfd plain tag tags wide", "전자": "code entity mark nfd plain tag tags wide", "lg ": "apart entity plain tag wide"} {
		if got := s.found(t, "docs", forWords(query), sortedBy("_id")); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	if got := s.search(t, "docs", forWords("전자")).Autocomplete; len(got) != 2 {
		t.Errorf("suggested by a word inside: %q", got)
	}
}
