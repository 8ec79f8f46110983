package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// A single letter of a script without spaces is found wherever it occurs, alone, before and after others: as soon as the document is written, from
// the vocabulary, and from postings.
func TestLettersAreFoundInPairs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(10)
	s.create(t, "things", "title sentence", "name name")
	for i, title := range []string{"猫", "猫の写真", "黒い猫", "可愛い黒猫 日本", "犬の写真", "Cat 犬", "子猫と犬", "แมวดำ"} {
		s.put(t, "things", fmt.Sprint(i+1), fmt.Sprintf(`{"title":%q}`, title))
	}
	s.put(t, "things", "9", `{"name":"招き猫"}`)
	for i := range 20 {
		s.put(t, "things", fmt.Sprint("x", i), `{"title":"nothing"}`)
	}
	expect := func(when string) {
		t.Helper()
		for query, want := range map[string]string{
			"猫":      "1,2,3,4,7,9",
			"猫 ":     "1,2,3,4,7,9",
			"猫。":     "1,2,3,4,7,9",
			"(猫)":    "1,2,3,4,7,9",
			"猫 写真":   "2",
			"猫 写真 ":  "2",
			"犬 猫 ":   "7",
			"犬 猫":    "7",
			"日 ":     "4",
			"本 ":     "4",
			"cat 犬 ": "6",
			`"猫" `:   "1",
			"ม ":     "8",
			"狐 ":     "",
			"狐 写真 ":  "",
			"猫 OR 犬": "1,2,3,4,5,6,7,9",
		} {
			found := s.search(t, "things", forWords(query), matching(service.MatchAll))
			if got := strings.Join(slices.Sorted(slices.Values(found.IDs)), ","); got != want {
				t.Errorf("%s: %q finds %s, not %s", when, query, got, want)
			}
		}
	}
	expect("just written")
	if err := s.Settle(t.Context(), s.current(t, "things")); err != nil {
		t.Fatal(err)
	}
	expect("with the vocabulary")
	s.buildPostings(t)
	expect("with postings")
	s.put(t, "things", "2", `{"title":"鳥"}`)
	if got := strings.Join(slices.Sorted(slices.Values(s.search(t, "things", forWords("猫 ")).IDs)), ","); got != "1,3,4,7,9" {
		t.Errorf("after a change %s are found", got)
	}
}

// In what it finds, a letter is marked without its neighbours, and hits that have it alone come first.
func TestLettersInPairsAreMarked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence")
	s.put(t, "things", "1", `{"title":"黒い猫の写真"}`)
	s.put(t, "things", "2", `{"title":"猫"}`)
	found := s.search(t, "things", forWords("猫 "))
	if got := strings.Join(found.IDs, ","); got != "2,1" {
		t.Errorf("found %s", got)
	}
	for _, h := range found.Hits {
		if want := map[string]string{"1": "黒い<b>猫</b>の写真", "2": "<b>猫</b>"}[h.Document.ID]; h.Highlight["title"][0] != want {
			t.Errorf("%s is marked %q, not %q", h.Document.ID, h.Highlight["title"], want)
		}
	}
}

// A letter inside a text is in two pairs, but occurs once: the shorter text comes first even if it begins with the letter.
func TestLettersInPairsCountOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence")
	s.put(t, "things", "1", `{"title":"黒い猫の写真"}`)
	s.put(t, "things", "2", `{"title":"猫の写真"}`)
	for _, query := range []string{"猫 ", "猫"} {
		if got := strings.Join(s.search(t, "things", forWords(query)).IDs, ","); got != "2,1" {
			t.Errorf("%q found %s", query, got)
		}
	}
}
