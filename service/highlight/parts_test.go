package highlight_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

func TestFieldMarksParts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		analysis mapping.Analysis
		terms    []string
		value    string
		want     string // empty: no match
	}{
		"keyword, whole":                 {mapping.Whole, []string{"dark_blue"}, "Dark  Blue", "<b>Dark  Blue</b>"},
		"keyword, a word of it":          {mapping.Whole, []string{"dark"}, "Dark Blue", ""},
		"keyword, its beginning":         {mapping.Whole, []string{"dar*"}, "Dark Blue", "<b>Dark Blue</b>"},
		"keyword, escaped":               {mapping.Whole, []string{"<b>"}, "<B>", "<b>&lt;B&gt;</b>"},
		"keyword, accents":               {mapping.Whole, []string{"cafe"}, "Café", "<b>Café</b>"},
		"keyword, spaces around":         {mapping.Whole, []string{"a"}, "  A ", "  <b>A</b> "},
		"exact keyword":                  {mapping.WholeExact, []string{"Blue"}, "Blue", "<b>Blue</b>"},
		"exact keyword, other case":      {mapping.WholeExact, []string{"blue"}, "Blue", ""},
		"tag, a word":                    {mapping.TagWords, []string{"ship"}, "dark ships", "dark <b>ships</b>"},
		"tag, whole":                     {mapping.TagWords, []string{"dark_ships"}, "Dark Ships", "<b>Dark Ships</b>"},
		"tag, a word and whole":          {mapping.TagWords, []string{"ship", "dark_ships"}, "Dark Ships", "<b>Dark Ships</b>"},
		"tag, a beginning of both":       {mapping.TagWords, []string{"dar*"}, "Dark ships", "<b>Dark</b> ships"},
		"tag, a beginning of the whole":  {mapping.TagWords, []string{"dark_sh*"}, "Dark ships", "<b>Dark ships</b>"},
		"tag, only punctuation":          {mapping.TagWords, []string{"!!!"}, "!!!", "<b>!!!</b>"},
		"levels, a word":                 {mapping.Levels, []string{"cabl"}, "Audio > Long Cables", "Audio &gt; Long <b>Cables</b>"},
		"levels, one":                    {mapping.Levels, []string{"long_cables"}, "Audio > Long Cables > Red", "Audio &gt; <b>Long Cables</b> &gt; Red"},
		"levels, with all above":         {mapping.Levels, []string{"audio_>_long_cables"}, "Audio > Long Cables > Red", "<b>Audio &gt; Long Cables</b> &gt; Red"},
		"levels, all":                    {mapping.Levels, []string{"a_>_b"}, "A > B", "<b>A &gt; B</b>"},
		"levels, a beginning":            {mapping.Levels, []string{"au*"}, "Audio Hi > Cables", "<b>Audio</b> Hi &gt; Cables"},
		"levels, a beginning of two":     {mapping.Levels, []string{"audio_>_ca*"}, "Audio > Cables > Red", "<b>Audio &gt; Cables</b> &gt; Red"},
		"levels, a beginning and behind": {mapping.Levels, []string{"red", "audio_>_ca*"}, "Audio > Cables > Red", "<b>Audio &gt; Cables</b> &gt; <b>Red</b>"},
		"levels, tabs":                   {mapping.Levels, []string{"a_>_b"}, "A\t>\tB", "<b>A\t&gt;\tB</b>"},
		"identifier, whole":              {mapping.IdentifierParts, []string{"ab-1234/x"}, "AB-1234/x", "<b>AB-1234/x</b>"},
		"identifier, squeezed":           {mapping.IdentifierParts, []string{"ab1234x"}, "AB-1234/x", "<b>AB-1234/x</b>"},
		"identifier, a part":             {mapping.IdentifierParts, []string{"1234"}, "AB-1234/x", "AB-<b>1234</b>/x"},
		"identifier, parts in a row":     {mapping.IdentifierParts, []string{"ab 1234"}, "AB-1234/x", "<b>AB</b>-<b>1234</b>/x"},
		"identifier, a beginning":        {mapping.IdentifierParts, []string{"ab12*"}, "AB-1234/x", "<b>AB-1234/x</b>"},
		"identifier, of a part":          {mapping.IdentifierParts, []string{"a*"}, "AB-1234/x", "<b>AB</b>-1234/x"},
		"email, whole":                   {mapping.EmailParts, []string{"jo.doe@mail.example.com"}, "Jo.Doe@mail.example.com", "<b>Jo.Doe@mail.example.com</b>"},
		"email, local part":              {mapping.EmailParts, []string{"jo.doe"}, "Jo.Doe@mail.example.com", "<b>Jo.Doe</b>@mail.example.com"},
		"email, half of it":              {mapping.EmailParts, []string{"doe"}, "Jo.Doe@mail.example.com", ""},
		"email, domain":                  {mapping.EmailParts, []string{"mail.example.com"}, "Jo.Doe@mail.example.com", "Jo.Doe@<b>mail.example.com</b>"},
		"email, labels":                  {mapping.EmailParts, []string{"example", "com"}, "Jo.Doe@mail.example.com", "Jo.Doe@mail.<b>example</b>.<b>com</b>"},
		"email, a beginning":             {mapping.EmailParts, []string{"ma*"}, "Jo.Doe@mail.example.com", "Jo.Doe@<b>mail</b>.example.com"},
		"email, a beginning of a domain": {mapping.EmailParts, []string{"mail.ex*"}, "Jo.Doe@mail.example.com", "Jo.Doe@<b>mail.example.com</b>"},
		"email, none":                    {mapping.EmailParts, []string{"jo"}, "Jo", "<b>Jo</b>"},
		"path, whole":                    {mapping.PathSegments, []string{"/a/b"}, "/A/b/", "<b>/A/b</b>/"},
		"path, a segment":                {mapping.PathSegments, []string{"guide"}, "/docs/Guide/x", "/docs/<b>Guide</b>/x"},
		"path, a beginning":              {mapping.PathSegments, []string{"/docs/gu*"}, "/docs/guide/x", "<b>/docs/guide/x</b>"},
		"path, only slashes":             {mapping.PathSegments, []string{"//"}, "//", "<b>//</b>"},
		"path, wide slash":               {mapping.PathSegments, []string{"b"}, "a／b", "<b>a／b</b>"},
		"number":                         {mapping.Digits, []string{"1250"}, "-12.50", "<b>-12.50</b>"},
		"number, its beginning":          {mapping.Digits, []string{"12*"}, "12.50", "<b>12.50</b>"},
		"number, another":                {mapping.Digits, []string{"12"}, "12.50", ""},
		"number, without zeros":          {mapping.Digits, []string{"125"}, "12.50", "<b>12.50</b>"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []string
			if test.want != "" {
				want = []string{test.want}
			}
			if diff := cmp.Diff(want, field(test.analysis, terms(test.terms...), test.value)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestManyPartsAreFound(t *testing.T) {
	t.Parallel()
	path := strings.Repeat("/ab", 30_000) + "/needle"
	got := field(mapping.PathSegments, terms("needle", "a*"), path)
	if len(got) != 3 || !strings.HasSuffix(got[0], "/<b>ab</b>/<b>needle</b>") {
		t.Errorf("got %q", got)
	}
}

// Of the levels of a category, the index has the first hundred.
func TestManyLevels(t *testing.T) {
	t.Parallel()
	var levels []string
	for i := range 150 {
		levels = append(levels, fmt.Sprintf("l%d", i))
	}
	values := &highlight.FieldValues{Values: []string{strings.Join(levels, " > ")}, Analysis: mapping.Levels}
	for level, found := range map[string]int{"l99": 1, "l100": 0, strings.Join(levels[:100], "_>_"): 1, strings.Join(levels[:101], "_>_"): 0} {
		got := highlight.Field(values, highlight.Spec{Analysis: mapping.Levels, Separator: " > ", Matcher: highlight.NewMatcher(nil), Wholes: terms(level)})
		if (len(got) > 0) != (found > 0) {
			t.Errorf("%.20s…: %q", level, got)
		}
	}
}

// Whole values that are looked for are found even if no word is looked for, and are not mistaken for words.
func TestWholesOfTheirOwn(t *testing.T) {
	t.Parallel()
	wholes := terms("ship", "dark_ships")
	for value, want := range map[string][]string{"Dark Ships": {"<b>Dark Ships</b>"}, "Ship": {"<b>Ship</b>"}, "Tall ships": nil} {
		values := &highlight.FieldValues{Values: []string{value}, Analysis: mapping.TagWords}
		fields := []*highlight.FieldValues{values}
		highlight.Know(fields, make([][]string, len(highlight.NeededWords(fields, nil))))
		got := highlight.Field(values, highlight.Spec{Analysis: mapping.TagWords, Matcher: highlight.NewMatcher(nil), Wholes: wholes})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}
