package analysis_test

import (
	"slices"
	"testing"

	"github.com/rowansearch/rowan/service/analysis"
)

func TestBegins(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		word, prefix string
		want         bool
	}{
		{"한글", "한그", true},
		{"한글", "하", true},
		{"한글", "한ᄀ", true}, // what ㄱ folds to
		{"한까", "한ᄀ", false},
		{"한글", "한긔", false},
		{"한글", "한극", false},
		{"하나", "한", false},
		{"가", "ᄀ", true},
		{"힣", "ᄒ", true},
		{"힣", "히", true},
		{"한글", "한글", true},
		{"red", "re", true},
		{"re", "red", false},
		{"日本", "日", true},
	} {
		if got := analysis.Begins(test.word, test.prefix); got != test.want {
			t.Errorf("%s begins as %s: %v", test.word, test.prefix, got)
		}
		if prefixes := analysis.Prefixes(test.prefix); len(prefixes) > 0 {
			has := slices.ContainsFunc(prefixes, func(p string) bool { return len(p) <= len(test.word) && test.word[:len(p)] == p })
			if has != test.want {
				t.Errorf("%s has one of the prefixes of %s: %v", test.word, test.prefix, has)
			}
		}
	}
}
