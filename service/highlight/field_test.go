package highlight_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// english stands in for PostgreSQL: a few stop words, and a stemmer for the words of these tests.
func english(word string) []string {
	switch word {
	case "a", "and", "in", "is", "it", "of", "the", "to":
		return nil
	case "better": // a dictionary may give any lexemes
		return []string{"good", "better"}
	}
	for _, ending := range []string{"ing", "es", "s"} {
		if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) > 2 {
			return []string{stem}
		}
	}
	return []string{word}
}

// terms reads one term from each string: alternatives are separated by |, the lexemes of a phrase by spaces (in a
// lexeme _ is a space), * after a lexeme makes it a prefix, and ? is the place of a stop word.
func terms(texts ...string) *highlight.Matcher {
	var all []highlight.Term
	for _, text := range texts {
		var term highlight.Term
		for alternative := range strings.SplitSeq(text, "|") {
			var s highlight.Sequence
			for l := range strings.SplitSeq(alternative, " ") {
				lexeme, prefix := strings.CutSuffix(l, "*")
				if lexeme == "?" {
					lexeme = ""
				}
				s = append(s, highlight.Lexeme{Text: strings.ReplaceAll(lexeme, "_", " "), Prefix: prefix})
			}
			term = append(term, s)
		}
		all = append(all, term)
	}
	return highlight.NewMatcher(all)
}

func field(a mapping.Analysis, m *highlight.Matcher, values ...string) []string {
	separator := map[mapping.Analysis]string{mapping.Levels: " > ", mapping.PathSegments: "/"}[a]
	return highlight.FieldOf(values, highlight.Spec{Analysis: a, Separator: separator, Matcher: m}, english)
}

func TestFieldMarksWords(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		analysis mapping.Analysis
		terms    []string
		values   []string
		want     []string
	}{
		"a stem":                          {mapping.Stemmed, []string{"ship"}, []string{"Three ships, one SHIP."}, []string{"Three <b>ships</b>, one <b>SHIP</b>."}},
		"words as they are":               {mapping.Plain, []string{"ship"}, []string{"ships ship"}, []string{"ships <b>ship</b>"}},
		"stop words are words elsewhere":  {mapping.Plain, []string{"the"}, []string{"The The"}, []string{"<b>The</b> <b>The</b>"}},
		"several lexemes of a word":       {mapping.Stemmed, []string{"good"}, []string{"better"}, []string{"<b>better</b>"}},
		"alternatives":                    {mapping.Plain, []string{"tv|television"}, []string{"TV or Television"}, []string{"<b>TV</b> or <b>Television</b>"}},
		"only values that match":          {mapping.Plain, []string{"b"}, []string{"a", "b", "", "c b"}, []string{"<b>b</b>", "c <b>b</b>"}},
		"a phrase of words as they are":   {mapping.Plain, []string{"old ship"}, []string{"old ships", "old ship"}, []string{"<b>old</b> <b>ship</b>"}},
		"nothing matches":                 {mapping.Plain, []string{"x"}, []string{"a", "b"}, nil},
		"nothing is looked for":           {mapping.Plain, nil, []string{"a"}, nil},
		"an empty lexeme finds nothing":   {mapping.Plain, []string{"?", "? ?"}, []string{"a b"}, nil},
		"no values":                       {mapping.Plain, []string{"a"}, nil, nil},
		"not searched":                    {mapping.NotSearched, []string{"a"}, []string{"a"}, nil},
		"a prefix marks the whole word":   {mapping.Plain, []string{"lib*"}, []string{"Library of libs"}, []string{"<b>Library</b> of <b>libs</b>"}},
		"a prefix is no infix":            {mapping.Plain, []string{"rary*"}, []string{"library"}, nil},
		"a phrase":                        {mapping.Plain, []string{"dark blue"}, []string{"blue dark dark blue, dark"}, []string{"blue dark <b>dark</b> <b>blue</b>, dark"}},
		"a phrase of stems":               {mapping.Stemmed, []string{"dark ship"}, []string{"dark ships and dark green ships"}, []string{"<b>dark</b> <b>ships</b> and dark green ships"}},
		"a stop word in a phrase":         {mapping.Stemmed, []string{"ship ? fool"}, []string{"ship of fools; ship fools; ship full fools"}, []string{"<b>ship</b> of <b>fools</b>; ship fools; <b>ship</b> full <b>fools</b>"}},
		"stop words around a phrase":      {mapping.Stemmed, []string{"? dark ship ?"}, []string{"dark ship"}, []string{"<b>dark</b> <b>ship</b>"}},
		"a stop word is a position":       {mapping.Stemmed, []string{"ship fool"}, []string{"ship of fools"}, nil},
		"a phrase that ends in a prefix":  {mapping.Plain, []string{"dark bl*"}, []string{"dark blue, bluish dark"}, []string{"<b>dark</b> <b>blue</b>, bluish dark"}},
		"a phrase that begins with one":   {mapping.Plain, []string{"da* blue"}, []string{"darkest blue, blue dark"}, []string{"<b>darkest</b> <b>blue</b>, blue dark"}},
		"a phrase that overlaps itself":   {mapping.Plain, []string{"a b a"}, []string{"a b a b a c b a"}, []string{"<b>a</b> <b>b</b> <b>a</b> <b>b</b> <b>a</b> c b a"}},
		"a phrase beyond the end":         {mapping.Plain, []string{"a b"}, []string{"b a"}, nil},
		"no phrase across values":         {mapping.Plain, []string{"a b"}, []string{"a", "b"}, nil},
		"a word and a phrase with it":     {mapping.Plain, []string{"a b", "a"}, []string{"a c a b"}, []string{"<b>a</b> c <b>a</b> <b>b</b>"}},
		"escaping":                        {mapping.Plain, []string{"b"}, []string{`<b>b & "c" 'd'</b>`}, []string{`&lt;<b>b</b>&gt;<b>b</b> &amp; &#34;c&#34; &#39;d&#39;&lt;/<b>b</b>&gt;`}},
		"entities are text":               {mapping.Plain, []string{"amp"}, []string{"&amp;"}, []string{"&amp;<b>amp</b>;"}},
		"emoji":                           {mapping.Plain, []string{"ship"}, []string{"🚢ship👩‍👩‍👧 🇩🇪"}, []string{"🚢<b>ship</b>👩‍👩‍👧 🇩🇪"}},
		"accents":                         {mapping.Plain, []string{"cafe", "naive"}, []string{"Café, NAÏVE"}, []string{"<b>Café</b>, <b>NAÏVE</b>"}},
		"combining marks stay":            {mapping.Plain, []string{"cafe"}, []string{"cafe\u0301 au lait"}, []string{"<b>cafe\u0301</b> au lait"}},
		"from right to left":              {mapping.Plain, []string{"שלום"}, []string{"עולם, שלום!"}, []string{"עולם, <b>שלום</b>!"}},
		"Arabic":                          {mapping.Plain, []string{"كتاب"}, []string{"هذا كتاب جديد"}, []string{"هذا <b>كتاب</b> جديد"}},
		"pairs of letters become one":     {mapping.Plain, []string{"東京 京大 大学"}, []string{"私は東京大学の学生"}, []string{"私は<b>東京大学</b>の学生"}},
		"a pair":                          {mapping.Plain, []string{"京大"}, []string{"東京大学"}, []string{"東<b>京大</b>学"}},
		"of pairs, only the letter":       {mapping.Plain, []string{"猫|猫の|い猫"}, []string{"黒い猫の写真", "猫の", "猫"}, []string{"黒い<b>猫</b>の写真", "<b>猫</b>の", "<b>猫</b>"}},
		"a letter that begins pairs":      {mapping.Plain, []string{"猫|猫*"}, []string{"猫猫の犬"}, []string{"<b>猫猫</b>の犬"}},
		"a letter and pairs":              {mapping.Plain, []string{"猫|い猫|猫の", "の写", "写真"}, []string{"黒い猫の写真"}, []string{"黒い<b>猫の写真</b>"}},
		"a pair for another word":         {mapping.Plain, []string{"猫|猫の", "猫の"}, []string{"猫の"}, []string{"<b>猫の</b>"}},
		"a letter for a pair":             {mapping.Plain, []string{"子犬|犬"}, []string{"子犬、犬、犬の"}, []string{"<b>子犬</b>、<b>犬</b>、犬の"}},
		"a letter of two characters":      {mapping.Plain, []string{"が|がっ|はが"}, []string{"はか\u3099っ ｶﾞｯ"}, []string{"は<b>か\u3099</b>っ ｶﾞｯ"}},
		"letters and pairs":               {mapping.Plain, []string{"go", "言語"}, []string{"Go言語"}, []string{"<b>Go言語</b>"}},
		"markup goes":                     {mapping.StemmedHTML, []string{"ship"}, []string{"<p title='ship'>Two <i>ships</i></p>\n\n<p>sail &amp; sink &lt;b&gt;</p>"}, []string{"Two <b>ships</b> sail &amp; sink &lt;b&gt;"}},
		"scripts go":                      {mapping.StemmedHTML, []string{"ship"}, []string{"<script>ship()</script>sunk"}, nil},
		"entities are letters":            {mapping.StemmedHTML, []string{"cafe"}, []string{"Caf&eacute;"}, []string{"<b>Café</b>"}},
		"formatting does not end a word":  {mapping.StemmedHTML, []string{"ship"}, []string{"s<b>hip</b>s"}, []string{"<b>ships</b>"}},
		"white space of HTML collapses":   {mapping.StemmedHTML, []string{"a\u00a0b", "x"}, []string{"  x\t\n\u00a0 y "}, []string{"<b>x</b> \u00a0 y"}},
		"elsewhere it stays as it stands": {mapping.Plain, []string{"x"}, []string{"  x\t\n y "}, []string{"  <b>x</b>\t\n y "}},
		"control characters":              {mapping.Plain, []string{"b"}, []string{"a\x01b\x02"}, []string{"a\x01<b>b</b>\x02"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, field(test.analysis, terms(test.terms...), test.values...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFieldAsksOnlyForStems(t *testing.T) {
	t.Parallel()
	for a := mapping.NotSearched; a <= mapping.Digits; a++ {
		asked := false
		highlight.FieldOf([]string{"word"}, highlight.Spec{Analysis: a, Matcher: terms("x")}, func(string) []string {
			asked = true
			return nil
		})
		if asked != a.Stems() {
			t.Errorf("analysis %d: asked for lexemes: %v", a, asked)
		}
	}
}

func TestTermsBeyond64AreMarked(t *testing.T) {
	t.Parallel()
	var texts []string
	for range 70 {
		texts = append(texts, "x")
	}
	got := field(mapping.Plain, terms(append(texts, "last")...), "the last")
	if diff := cmp.Diff([]string{"the <b>last</b>"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestNeededWords(t *testing.T) {
	t.Parallel()
	fields := []*highlight.FieldValues{
		{Values: []string{"The Ships", "ships sail"}, Analysis: mapping.Stemmed},
		{Values: []string{"not asked for"}, Analysis: mapping.Plain},
		{Values: []string{"<p>Étage <b>sail</b></p>"}, Analysis: mapping.StemmedHTML},
		{Values: []string{"Audio > Cables"}, Analysis: mapping.Levels},
		{Values: []string{"dark blue"}, Analysis: mapping.TagWords},
	}
	want := []string{"the", "ships", "ships", "sail", "etage", "sail", "audio", "cables", "dark", "blue"}
	if diff := cmp.Diff(want, highlight.NeededWords(fields, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestWordsBeyondTheLimitAreNotNeeded(t *testing.T) {
	t.Parallel()
	values := []string{strings.Repeat("some words, 東京大学 ", 12_000), "never reached"}
	for _, a := range []mapping.Analysis{mapping.Stemmed, mapping.StemmedHTML, mapping.Levels, mapping.TagWords} {
		needed := map[string]bool{}
		for _, w := range highlight.NeededWords([]*highlight.FieldValues{{Values: values, Analysis: a}}, nil) {
			needed[w] = true
		}
		if needed["never"] || !needed["words"] || !needed["東京"] {
			t.Errorf("analysis %d: got %v", a, needed)
		}
	}
}

func TestWordsThatNobodyAskedForAreStopWords(t *testing.T) {
	t.Parallel()
	values := &highlight.FieldValues{Values: []string{"a word"}, Analysis: mapping.Stemmed}
	if got := highlight.Field(values, highlight.Spec{Analysis: mapping.Stemmed, Matcher: terms("word")}); got != nil {
		t.Errorf("got %q", got)
	}
}

// The lexemes of words are not asked for if they cannot be among those that are looked for. A word with unknown
// lexemes is no part of a phrase, even at the end of a text.
func TestWordsThatAreNotAskedFor(t *testing.T) {
	t.Parallel()
	values := &highlight.FieldValues{Values: []string{"Old ships, old", "old ships"}, Analysis: mapping.Stemmed}
	fields := []*highlight.FieldValues{values}
	words := highlight.NeededWords(fields, func(word string) bool { return word == "old" })
	if diff := cmp.Diff([]string{"old", "old", "old"}, words); diff != "" {
		t.Fatal(diff)
	}
	highlight.Know(fields, [][]string{{"old"}, {"old"}, {"old"}})
	for query, want := range map[string][]string{"old": {"<b>Old</b> ships, <b>old</b>", "<b>old</b> ships"}, "old ship": nil, "old ? old": {"<b>Old</b> ships, <b>old</b>"}} {
		got := highlight.Field(values, highlight.Spec{Analysis: mapping.Stemmed, Matcher: terms(query)})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}
