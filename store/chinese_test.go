package store_test

import (
	"fmt"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Simplified and traditional Chinese find each other; documents written as in the query come first.
func TestChinese(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "docs", "title sentence", "name completion")
	s.put(t, "docs", "simple", `{"title":"电脑维修","name":"台湾电脑"}`, "full", `{"title":"電腦維修","name":"臺灣電腦"}`, "mixed", `{"title":"台灣旅遊"}`, "hair", `{"title":"頭髮"}`,
		"found", `{"title":"發現"}`, "country", `{"title":"國"}`, "within", `{"title":"中國菜"}`, "japanese", `{"title":"日本国"}`)
	for range 2 { // before the vocabulary has what was written, and after
		s.finds(t, "docs", map[string]string{"电脑 ": "full simple", "電腦 ": "full simple", "電脑维修 ": "full simple", "臺湾 ": "full mixed simple", "头发 ": "hair", "发现": "found", "\"電脑維修\" ": "full simple",
			"\"頭发\" ": "hair", "国 ": "country japanese within", "国": "country japanese within", "國 ": "country japanese within", "-电脑 維修": "full", "電腦 -電腦 ": "simple", "头": "hair", "旅游 OR 头发": "hair mixed"})
		if err := s.Settle(t.Context(), s.current(t, "docs")); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]string{"电脑维修 ": "simple full", "電腦維修 ": "full simple"} {
		if got := s.found(t, "docs", forWords(query)); got != want {
			t.Errorf("%q finds %q, want it in the order %q", query, got, want)
		}
	}
	if got := s.found(t, "docs", forWords(`"國" 国 `), matching(service.MatchAll)); got != "country" {
		t.Errorf("a character in quotes beside its other form finds %q", got)
	}
	// The other spelling gives less, not only where all else is equal.
	s.create(t, "equal", "title sentence")
	s.put(t, "equal", "simple", `{"title":"日本国"}`, "full", `{"title":"日本國"}`)
	for _, query := range []string{"国 ", "日本国 "} {
		if hits := s.search(t, "equal", forWords(query)).Hits; len(hits) != 2 || hits[0].Document.ID != "simple" || hits[1].Score > 0.95*hits[0].Score {
			t.Errorf("%s finds %v", query, hits)
		}
	}
	for query, want := range map[string]string{"台湾": "[台湾电脑 臺灣電腦]", "臺灣電": "[臺灣電腦 台湾电脑]", "电脑": "[台湾电脑 臺灣電腦]"} {
		if got := fmt.Sprint(s.search(t, "docs", forWords(query)).Autocomplete); got != want {
			t.Errorf("%s suggests %s, want %s", query, got, want)
		}
	}
	if _, err := s.svc.PutSearch(t.Context(), "demo", service.SearchDefinition{Name: "strict", Index: "docs", TypoTolerance: new(false)}); err != nil {
		t.Fatal(err)
	}
	if got := s.found(t, "strict", forWords("电脑 ")); got != "simple" {
		t.Errorf("without tolerance: %s", got)
	}
}
