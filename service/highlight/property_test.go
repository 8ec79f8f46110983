package highlight_test

import (
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// checkHighlights fails unless every string is part of what a reader sees of one of the values, with marks
// that are closed, not empty and not nested; is not much longer than a fragment; and stands in the order of
// the values.
func checkHighlights(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, a mapping.Analysis, values, highlighted []string) {
	t.Helper()
	if len(highlighted) > 3*len(values) {
		t.Fatalf("%d fragments of %d values", len(highlighted), len(values))
	}
	next := 0
	for _, h := range highlighted {
		var plain strings.Builder
		rest := h
		for {
			before, after, marked := strings.Cut(rest, "<b>")
			plain.WriteString(before)
			if !marked {
				break
			}
			inside, after, closed := strings.Cut(after, "</b>")
			if !closed || inside == "" || strings.Contains(inside, "<") {
				t.Fatalf("bad mark in %q", h)
			}
			plain.WriteString(inside)
			rest = after
		}
		if strings.ContainsAny(plain.String(), `<>"'`) {
			t.Fatalf("not escaped: %q", h)
		}
		if !strings.Contains(h, "<b>") {
			t.Fatalf("nothing is marked in %q", h)
		}
		text := html.UnescapeString(plain.String())
		if n := utf8.RuneCountInString(text); n > 244 { // a fragment, twice the slack, two ellipses, a mark
			t.Fatalf("%d characters: %q", n, h)
		}
		for ; next < len(values) && !shows(a, values[next], text); next++ {
		}
		if next == len(values) {
			t.Fatalf("%q is no part of %q", text, values)
		}
	}
}

// shows reports whether text is value, or a piece of it with an ellipsis where it is cut.
func shows(a mapping.Analysis, value, text string) bool {
	if a == mapping.StemmedHTML {
		value = strings.Join(strings.FieldsFunc(analysis.PlainHTML(value), func(r rune) bool { return strings.ContainsRune(" \t\r\n\f", r) }), " ")
	}
	if text == value {
		return true
	}
	beginning, endCut := strings.CutSuffix(text, "…")
	end, startCut := strings.CutPrefix(text, "…")
	middle, bothCut := strings.CutPrefix(beginning, "…")
	return endCut && strings.HasPrefix(value, beginning) || startCut && strings.HasSuffix(value, end) ||
		endCut && bothCut && strings.Contains(value, middle)
}

var analyses = []mapping.Analysis{
	mapping.Stemmed, mapping.StemmedHTML, mapping.Plain, mapping.IdentifierParts, mapping.Levels, mapping.TagWords, mapping.Whole,
	mapping.WholeExact, mapping.EmailParts, mapping.PathSegments, mapping.Digits,
}

// pieces are the parts of random texts, with everything that is special to some analysis.
var pieces = rapid.SampledFrom([]string{
	"ship", "ships", "Café", "cafe\u0301", "a", "the", "東京大学", "学生", "ไทย", "が", "🚢", "👩\u200d👧", "שלום", "1250", "12.50", "１２", "ß", "ﬁsh",
	"\u00ad", "\u200d", "\u0301", "’", "&", "<", ">", `"`, "'", "&amp;", "<b>", "</b>", "<script>", "<p title='x>y'>", "<!--",
	" ", " ", " ", " > ", "/", "／", "@", ".", "-", "\t", "\n", "\x01", "\u00a0", "…", "İ", "Σ", strings.Repeat("x", 250), filler(40),
})

var words = rapid.SampledFrom([]string{"ship", "a", "cafe", "東京", "京大", "学生", "が", "1250", "125", "x", "lorem", "שלום", "ss", "fish", "12", ">", "", "b"})

func TestHighlightsArePartsOfTheirValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(analyses).Draw(t, "analysis")
		lexeme := rapid.Custom(func(t *rapid.T) highlight.Lexeme {
			return highlight.Lexeme{Text: words.Draw(t, "lexeme"), Prefix: rapid.Bool().Draw(t, "prefix")}
		})
		sequence := rapid.Map(rapid.SliceOfN(lexeme, 0, 3), func(s []highlight.Lexeme) highlight.Sequence { return s })
		term := rapid.Map(rapid.SliceOfN(sequence, 1, 2), func(s []highlight.Sequence) highlight.Term { return s })
		value := rapid.Map(rapid.SliceOfN(pieces, 0, 30), func(p []string) string { return strings.Join(p, "") })
		matcher := highlight.NewMatcher(rapid.SliceOfN(term, 0, 4).Draw(t, "terms"))
		values := rapid.SliceOfN(value, 0, 3).Draw(t, "values")
		checkHighlights(t, a, values, field(a, matcher, values...))
	})
}

// A value that has only words is highlighted exactly if one of the words is looked for, wherever it stands.
func TestEveryWordIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[a-e]{1,3}`), 1, 300).Draw(t, "words")
		sought := rapid.StringMatching(`[a-e]{1,3}`).Draw(t, "sought")
		got := field(mapping.Plain, terms(sought), strings.Join(texts, " "))
		found := false
		for _, w := range texts {
			found = found || w == sought
		}
		if found != (len(got) > 0) {
			t.Fatalf("found: %v, got %q", found, got)
		}
		for _, h := range got {
			for i, part := range strings.Split(h, "<b>") {
				if i > 0 && !strings.HasPrefix(part, sought+"</b>") {
					t.Fatalf("another word than %s is marked in %q", sought, h)
				}
			}
		}
	})
}
