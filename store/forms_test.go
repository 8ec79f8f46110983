package store_test

import (
	"fmt"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Names are also found by the stem of a word, whatever else the word may mean and however many of the words are enough; but not by a stem that is a
// stop word, because the word is then not a form of it: it may be misspelled.
func TestStemsInNames(t *testing.T) {
	t.Parallel()
	for query, c := range map[string]struct {
		titles []string
		want   string
	}{
		"running ":        {[]string{"Run Lola", "Running Man", "Runner"}, "1 0"},
		"painting ":       {[]string{"Paint Box", "Ing River"}, "0"}, // paint and ing are also words that documents have
		"willing ":        {[]string{"Will Smith", "Good Will"}, ""},
		"moring ":         {[]string{"More light", "Morning light", "Mo Farah", "Gold ring"}, "1"},
		"\"running man\"": {[]string{"Run Man", "Running Man"}, "1"},
		"\"running\"":     {[]string{"Run Man", "Running Man"}, "1"},
		"man -running":    {[]string{"Run Man", "Running Man"}, "0"},
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.create(t, "things", "title name")
			for i, title := range c.titles {
				s.put(t, "things", fmt.Sprint(i), fmt.Sprintf(`{"title":%q}`, title))
			}
			for _, match := range []service.Match{service.MatchAll, service.MatchAuto, service.MatchAny} {
				if got := s.found(t, "things", forWords(query), matching(match)); got != c.want {
					t.Errorf("match %s: found %q, want %q", match, got, c.want)
				}
			}
		})
	}
}

// A quoted word finds the same however many words are enough, even if names have its stem and postings tell so.
func TestStemsOfQuotedWordsInNames(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(10)
	s.create(t, "things", "title completion", "text text")
	s.many(t, "things", 150, func(i int) string {
		return fmt.Sprintf(`{"title":"%s %d","text":"%s"}`, []string{"Rock", "Rocks", "Sand"}[i%3], i, []string{"sea", "rock", "rocks", "moor", "hill"}[i%5])
	})
	check := func(when string) {
		t.Helper()
		for query, want := range map[string]int64{`"rocks"`: 90, `"rocks" OR "moors"`: 110} {
			for _, match := range []service.Match{service.MatchAll, service.MatchAuto, service.MatchAny} {
				found := s.search(t, "things", forWords(query), matching(match))
				if found.Total != want {
					t.Errorf("%s, match %s: %q finds %d, want %d", when, match, query, found.Total, want)
				}
				if last := found.Hits[len(found.Hits)-1]; last.Score == 0 || len(last.Highlight) == 0 {
					t.Errorf("%s, match %s: %q finds %s with the score %v, marked %v", when, match, query, last.ID, last.Score, last.Highlight)
				}
			}
		}
	}
	check("from rows")
	s.buildPostings(t)
	check("from postings")
}

// A misspelled word whose stem is a stop word finds what it is meant for, even if many documents have the stop word.
func TestMisspelledFormsOfStopWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(10)
	s.create(t, "things", "title completion")
	s.many(t, "things", 120, func(i int) string {
		return fmt.Sprintf(`{"title":"%s item %d"}`, []string{"More", "Morning", "Other"}[i%3], i)
	})
	check := func(when string) {
		t.Helper()
		for _, match := range []service.Match{service.MatchAll, service.MatchAuto, service.MatchAny} {
			if got := s.search(t, "things", forWords("moring"), matching(match)); got.Total != 40 {
				t.Errorf("%s, match %s: %d are found, want the 40 with morning", when, match, got.Total)
			}
		}
	}
	check("from rows")
	s.buildPostings(t)
	check("from postings")
}
