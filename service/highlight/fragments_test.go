package highlight_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// filler returns n words, none of which is looked for, with a space after each.
func filler(n int) string { return strings.Repeat("lorem ", n) }

func TestValuesOfUpTo200CharactersAreWhole(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"x", "é", "🚢"} {
		value := "ship " + strings.Repeat(letter, 195)
		want := []string{"<b>ship</b> " + strings.Repeat(letter, 195)}
		if diff := cmp.Diff(want, field(mapping.Plain, terms("ship"), value)); diff != "" {
			t.Error(diff)
		}
		longer := value + " end of it, with more words after the end"
		got := field(mapping.Plain, terms("ship"), longer)
		if len(got) != 1 || !strings.HasSuffix(got[0], "…") {
			t.Errorf("got %q", got)
		}
	}
}

func TestFragments(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		terms []string
		value string
		want  []string
	}{
		"in the middle": {
			[]string{"ship"}, filler(50) + "ship, " + filler(50),
			[]string{"…" + filler(16) + "<b>ship</b>, " + strings.TrimSpace(filler(16)) + "…"},
		},
		"at the beginning": {
			[]string{"ship"}, "(ship) " + filler(50),
			[]string{"(<b>ship</b>) " + strings.TrimSpace(filler(32)) + "…"},
		},
		"at the end": {
			[]string{"ship"}, filler(50) + "ship.",
			[]string{"…" + filler(32) + "<b>ship</b>."},
		},
		"most terms first, then most marks, then in order": {
			[]string{"a", "b"},
			filler(50) + "a one " + filler(50) + "a two " + filler(50) + "a b three " + filler(50) + "b b b four " + filler(50),
			[]string{
				"…" + filler(16) + "<b>a</b> <b>b</b> three " + strings.TrimSpace(filler(15)) + "…",
				"…" + filler(16) + "<b>b</b> <b>b</b> <b>b</b> four " + strings.TrimSpace(filler(15)) + "…",
				"…" + filler(16) + "<b>a</b> one " + strings.TrimSpace(filler(16)) + "…",
			},
		},
		"alternatives are one term": {
			[]string{"tv|television", "set"},
			filler(50) + "tv television tv " + filler(50) + "tv set " + filler(50),
			[]string{
				"…" + filler(16) + "<b>tv</b> <b>set</b> " + strings.TrimSpace(filler(16)) + "…",
				"…" + filler(15) + "<b>tv</b> <b>television</b> <b>tv</b> " + strings.TrimSpace(filler(15)) + "…",
			},
		},
		"no overlap": {
			[]string{"a", "b"}, filler(30) + "a " + filler(28) + "b " + filler(5) + "a b " + filler(50),
			[]string{
				"…" + filler(13) + "<b>b</b> " + filler(5) + "<b>a</b> <b>b</b> " + strings.TrimSpace(filler(13)) + "…",
				"…" + filler(18) + "<b>a</b> " + strings.TrimSpace(filler(15)) + "…",
			},
		},
		"no overlap with one before": {
			[]string{"a", "b"}, "a b " + filler(34) + "a " + filler(50),
			[]string{
				"<b>a</b> <b>b</b> " + strings.TrimSpace(filler(32)) + "…",
				"…" + filler(2) + "<b>a</b> " + strings.TrimSpace(filler(31)) + "…",
			},
		},
		"what is left of the beginning is shown": {
			[]string{"ship"}, "* * * * * " + filler(16) + "ship " + filler(50),
			[]string{"* * * * * " + filler(16) + "<b>ship</b> " + strings.TrimSpace(filler(16)) + "…"},
		},
		"so is what is left of the end": {
			[]string{"ship"}, filler(50) + "ship " + filler(16) + "* * * * *",
			[]string{"…" + filler(16) + "<b>ship</b> " + filler(16) + "* * * * *"},
		},
		"but not much of it": {
			[]string{"ship"}, strings.Repeat("* ", 15) + filler(16) + "ship " + filler(16) + strings.Repeat("* ", 15),
			[]string{"…" + filler(16) + "<b>ship</b> " + strings.TrimSpace(filler(16)) + "…"},
		},
		"terms of another place do not count": {
			[]string{"a", "b", "c"}, filler(50) + "c c c one " + filler(50) + "a b two " + filler(50) + "c c c three " + filler(50),
			[]string{
				"…" + filler(16) + "<b>a</b> <b>b</b> two " + strings.TrimSpace(filler(15)) + "…",
				"…" + filler(16) + "<b>c</b> <b>c</b> <b>c</b> one " + strings.TrimSpace(filler(15)) + "…",
				"…" + filler(16) + "<b>c</b> <b>c</b> <b>c</b> three " + strings.TrimSpace(filler(15)) + "…",
			},
		},
		"200 characters from one to the other": {
			[]string{"a", "b"}, filler(50) + "a " + filler(32) + "lore b " + filler(50),
			[]string{"…<b>a</b> " + filler(32) + "lore <b>b</b>…"},
		},
		"201 are too many": {
			[]string{"a", "b"}, filler(50) + "a " + filler(32) + "lorem b " + filler(50),
			[]string{
				"…" + filler(16) + "<b>a</b> " + strings.TrimSpace(filler(16)) + "…",
				"…" + filler(16) + "<b>b</b> " + strings.TrimSpace(filler(16)) + "…",
			},
		},
		"a very long word is cut": {
			[]string{"x*"}, filler(10) + strings.Repeat("x", 900) + " " + filler(50),
			[]string{"…<b>" + strings.Repeat("x", 200) + "</b>…"},
		},
		"a very long word beside is left out": {
			[]string{"ship"}, strings.Repeat("x", 900) + " ship " + filler(50),
			[]string{"…<b>ship</b> " + strings.TrimSpace(filler(16)) + "…"},
		},
		"marks of emoji are not parted": {
			[]string{"ship"}, strings.Repeat("🚢 ", 500) + "ship " + strings.Repeat("🚢 ", 5),
			[]string{"…<b>ship</b> " + strings.Repeat("🚢 ", 5)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, field(mapping.Plain, terms(test.terms...), test.value)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFragmentsOfScriptsWithoutSpaces(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("学生", 300) + "東京大学" + strings.Repeat("学生", 300)
	got := field(mapping.Plain, terms("東京 京大 大学"), value)
	want := []string{"…" + strings.Repeat("学生", 49) + "<b>東京大学</b>" + strings.Repeat("学生", 49) + "…"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, fragment := range field(mapping.Plain, terms("学生"), value) {
		if n := utf8.RuneCountInString(fragment); n > 220 {
			t.Errorf("%d characters: %s", n, fragment)
		}
	}
}

func TestLongWholesAreCut(t *testing.T) {
	t.Parallel()
	value := strings.TrimSpace(filler(100))
	got := field(mapping.Whole, terms(strings.ReplaceAll(value, " ", "_")), value)
	want := []string{"<b>" + strings.TrimSpace(filler(33)) + "</b>…"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// A family of emoji is one character to the reader. The 200th is within one of them.
	family := "👩\u200d👩\u200d👧"
	got = field(mapping.Whole, terms("👩*"), "👩👩👩👩"+strings.Repeat(family, 60))
	want = []string{"<b>👩👩👩👩" + strings.Repeat(family, 39) + "</b>…"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFragmentsWithoutWords(t *testing.T) {
	t.Parallel()
	boats := strings.Repeat("🚤", 300)
	for value, want := range map[string]string{
		"🚢 > " + boats: "<b>🚢</b> &gt; " + strings.Repeat("🚤", 196) + "…",
		boats + " > 🚢": "…" + strings.Repeat("🚤", 196) + " &gt; <b>🚢</b>",
	} {
		if diff := cmp.Diff([]string{want}, field(mapping.Levels, terms("🚢"), value)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestOnlyTheBeginningOfLargeFieldsIsLookedAt(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		analysis mapping.Analysis
		values   []string
		want     []string
	}{
		"a match near the limit": {
			mapping.Plain, []string{strings.Repeat("x ", highlight.MaxBytes/2-10) + "ship" + strings.Repeat(" x", 1000)},
			[]string{"…" + strings.Repeat("x ", 90) + "<b>ship</b> x x x x x x x…"},
		},
		"a match after it": {mapping.Plain, []string{strings.Repeat("x ", highlight.MaxBytes/2) + "ship"}, nil},
		"a word across it": {mapping.Plain, []string{strings.Repeat("x ", highlight.MaxBytes/2-2) + "shipshape"}, nil},
		"in a later value": {mapping.Plain, []string{strings.Repeat("x ", highlight.MaxBytes/2), "ship"}, nil},
		"many values":      {mapping.Plain, []string{strings.Repeat("x ", 50_000), "ship"}, []string{"<b>ship</b>"}},
		"half a tag":       {mapping.StemmedHTML, []string{"ship <i>" + strings.Repeat("<br>", highlight.MaxMarkup/4-3) + "<p ship='ship'>"}, []string{"<b>ship</b>…"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, field(test.analysis, terms("ship"), test.values...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What follows the part of a value that is looked at is not shown, but an ellipsis says that there is more. The
// part ends between characters, and between words.
func TestLongValuesEndWithAnEllipsis(t *testing.T) {
	t.Parallel()
	for _, shift := range []string{"", "x", "xx"} {
		value := shift + strings.Repeat("é ", highlight.MaxBytes/3-20) + "ship " + strings.Repeat("é ", 40)
		got := field(mapping.Plain, terms("ship"), value)
		if len(got) != 1 || !utf8.ValidString(got[0]) || !strings.HasSuffix(got[0], " é…") || !strings.Contains(got[0], "é <b>ship</b> é") {
			t.Errorf("%q: %q", shift, got)
		}
	}
	value := strings.Repeat("x ", highlight.MaxBytes/2-20) + "大" + strings.Repeat("学", 100) // pairs of letters have no spaces between them
	if got := field(mapping.Plain, terms("大学"), value); len(got) != 1 || !strings.Contains(got[0], "<b>大学</b>") || !strings.HasSuffix(got[0], "学…") {
		t.Errorf("%q", got)
	}
}
