package query

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/analysis"
)

// show formats a query for readable tests: phrases in quotes, excluded terms with a dash, alternatives with |, a
// prefix with *. A phrase that was never closed has no second quote.
func show(q Query) string {
	term := func(t Term) string {
		text := t.Text
		if t.Phrase {
			text = `"` + text
		}
		if t.Phrase && !t.Open {
			text += `"`
		}
		if t.Prefix {
			text += "*"
		}
		return text
	}
	var parts []string
	for _, c := range q.Clauses {
		var any []string
		for _, t := range c.Any {
			any = append(any, term(t))
		}
		parts = append(parts, strings.Join(any, "|"))
	}
	for _, t := range q.Excluded {
		parts = append(parts, "-"+term(t))
	}
	return strings.Join(parts, " ")
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want, whole string }{
		{"", "", ""},
		{"red wine", "red wine*", "red wine"},
		{"red wine*", "red wine*", "red wine*"},
		{"red* wine", "red* wine*", "red* wine"},
		{"red* ", "red*", "red*"},
		{"sgr a*", "sgr a**", "sgr a*"},
		{"**", "***", "**"},
		{"vi*", "vi*", "vi*"},
		{"-red*", "-red*", ""},
		{"red wine ", "red wine", "red wine"},
		{`"red wine"`, `"red wine"`, "red wine"},
		{`"red wine`, `"red wine*`, "red wine"},
		{`"red wine `, `"red wine `, "red wine"},
		{`"red`, `"red*`, "red"},
		{`red -"white w`, `red -"white w`, ""},
		{`dry "red wine" 1999`, `dry "red wine" 1999*`, `dry "red wine" 1999`},
		{"wine -dry", "wine -dry", ""},
		{`wine -"too dry"`, `wine -"too dry"`, ""},
		{"-dry", "-dry", ""},
		{"wine −dry", "wine -dry", ""},
		{"red OR white wine", "red|white wine*", ""},
		{"a OR b OR c", "a|b|c*", ""},
		{"OR", "", "OR"},
		{"OR red", "red*", "OR red"},
		{"red OR", "red", "red OR"},
		{"red or white", "red or white*", "red or white"},
		{"- -- -", "", "- -- -"},
		{"red --", "red", "red --"},
		{"--no-cache", "--no-cache*", "--no-cache"},
		{"build --no-cache -v", "build --no-cache -v", ""},
		{"-−dry ---x", "-−dry ---x*", "-−dry ---x"},
		{`--"too dry"`, `"too dry"`, `--"too dry"`},
		{"->", "->*", "->"},
		{"p ->next -= 1", "p ->next -= 1*", "p ->next -= 1"},
		{"-$x -(y) -🍕", "-$x -(y) -🍕", ""},
		{`-"->"`, `-"->"`, ""},
		{"well-known", "well-known*", "well-known"},
		{"a - b", "a b*", "a - b"},
		{"red -OR white", "red white* -OR", ""},
		{`red "OR" white`, `red "OR" white*`, `red "OR" white`},
		{"a OR OR b", "a b*", "a OR OR b"},
		{"a OR b OR", "a|b", ""},
		{"a -b OR c", "a c* -b", ""},
		{"a OR -b", "a -b", ""},
		{"“red wine”", `"red wine"`, "red wine"},
		{"tab\tand\x00zero", "tab and zero*", "tab\tand\x00zero"},
		{`17" screen`, `17 screen*`, `17" screen`},
		{`5"8 screen`, `5"8 screen*`, `5"8 screen`},
		{`red wine"`, `red wine`, `red wine`},
		{`""`, "", ""},
		{"😀", "😀*", "😀"},
		{"手机", "手机*", "手机"},
		{"手机壳", "手机 机壳*", "手机壳"},
		{"红色手机壳", "红色 色手 手机 机壳*", "红色手机壳"},
		{"红色手机壳 ", "红色 色手 手机 机壳", "红色手机壳"},
		{`"红色手机壳"`, `"红色手机壳"`, "红色手机壳"},
		{"-红色手机", "-红色手机", ""},
		{"红色手机 OR 白色手机 手机壳", "红色手机|白色手机 手机 机壳*", ""},
		{"白色 红色手机 OR 手机壳 OR 黑", "白色 红色手机|手机壳|黑*", ""},
		{"红色手机 OR -手机壳", "红色 色手 手机 -手机壳", ""},
		{"红色手机 OR", "红色 色手 手机", "红色手机 OR"},
		{"iPhone-15手机壳", "iPhone-15 手机 机壳*", "iPhone-15手机壳"},
		{"กาแฟร้อน", "กา าแ แฟ ฟร้ ร้อ อน*", "กาแฟร้อน"},
		{"น้ำพริก", "น้ำ าพ พริ ริก*", "น้ำพริก"},
		{`"กาแฟร้อน"`, `"กาแฟร้อน"`, "กาแฟร้อน"},
		{`"dark energy"-dominated universe`, `"dark energy" -dominated universe*`, `"dark energy"-dominated universe`},
		{`user "root"`, `user "root"`, `user "root"`},
		{`"red" or "white"`, `"red" or "white"`, `"red" or "white"`},
		{"red,white;dry|wi", "red white dry wi*", "red,white;dry|wi"},
		{"red,white, dry,", "red white, dry,*", "red,white, dry,"},
		{"红色、手机壳，黑", "红色 手机 机壳 黑*", "红色、手机壳，黑"},
		{"1,000 2,4-D x,1 1,x", "1,000 2,4-D x 1 1 x*", "1,000 2,4-D x,1 1,x"},
		{"/a,b/c a@x.org,b@x.org http://x/a;b", "/a,b/c a@x.org,b@x.org http://x/a;b*", "/a,b/c a@x.org,b@x.org http://x/a;b"},
		{",red ,;red,,white -red,white", ",red , red, white -red,white", ""},
		{"red,white OR rose,dry", "red white|rose dry*", ""},
		{`("red wine") +"dry"`, `"red wine" ) "dry"`, `("red wine") +"dry"`},
		{"(red) +49", "(red) +49*", "(red) +49"},
	}
	for _, test := range tests {
		q := Parse(test.in)
		checkQuery(t, test.in, q)
		if diff := cmp.Diff(test.want, show(q)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", test.in, diff)
		}
		if q.Whole != test.whole {
			t.Errorf("Parse(%q).Whole = %q, want %q", test.in, q.Whole, test.whole)
		}
	}
}

func TestParseLooksAtSoManyBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{MaxBytes - 2: MaxBytes, MaxBytes - 1: MaxBytes - 1, MaxBytes: MaxBytes, MaxBytes + 1: MaxBytes} {
		if q := Parse(strings.Repeat("a", n) + "é"); len(q.Text) != want || !utf8.ValidString(q.Text) {
			t.Errorf("of %d bytes %d are looked at, want %d", n+2, len(q.Text), want)
		}
	}
}

// words returns n different words.
func words(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return b.String()
}

func TestParseCountsWords(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("? ", 1000), // each counts, though it has no word
		strings.Repeat("手", 1000),
		strings.Repeat("手机 app ", 100),
		`"` + strings.Repeat("word ", 1000),
		strings.Repeat("word ", MaxWords-1) + `"two words"`,
		strings.Repeat("-word ", 1000),
		strings.Repeat("a OR ", 1000),
	} {
		checkQuery(t, text, Parse(text))
	}
	q := Parse(words(1000))
	if len(q.Clauses) != MaxWords {
		t.Errorf("%d clauses of 1,000 words, want %d", len(q.Clauses), MaxWords)
	}
	// The same word counts once, but not without end.
	for text, want := range map[string]int{words(40) + words(40) + words(MaxWords+9): 80 + MaxWords, strings.Repeat("Word wörd ", 1000): maxTerms, strings.Repeat(`"word" `, 1000): MaxWords} {
		if q := Parse(text); len(q.Clauses) != want {
			t.Errorf("%d clauses, want %d: %.40s", len(q.Clauses), want, text)
		}
	}
	if q := Parse(strings.Repeat("-word ", 1000)); len(q.Excluded) != MaxWords {
		t.Errorf("%d words excluded, want %d", len(q.Excluded), MaxWords)
	}
	q = Parse(words(MaxWords-1) + "last")
	if last := q.Clauses[MaxWords-1].Any[0]; last.Text != "last" || !last.Prefix {
		t.Errorf("the last of %d words is %+v, want one that may go on", MaxWords, last)
	}
	q = Parse(words(MaxWords-1) + `"last two"`)
	if len(q.Clauses) != MaxWords || q.Clauses[MaxWords-1].Any[0].Text != "last" {
		t.Errorf("%d clauses, want %d with a phrase of one word at the end", len(q.Clauses), MaxWords)
	}
	q = Parse(`first "` + strings.Repeat("word ", 10000))
	if q.Clauses[1].Any[0].Prefix {
		t.Error("a phrase that was cut goes on with its last word")
	}
	q = Parse(`first "` + strings.Repeat("word ", 10000) + `" last`)
	if got := len(strings.Fields(q.Clauses[1].Any[0].Text)); len(q.Clauses) != 2 || got != MaxWords-1 {
		t.Errorf("%d clauses, %d words in the phrase; want 2 and %d", len(q.Clauses), got, MaxWords-1)
	}
}

// Each pair of letters is a word of its own, also one that begins with the letter of no script that lengthens a vowel.
func TestLongVowels(t *testing.T) {
	t.Parallel()
	var terms []string
	for _, term := range Parse("すごーーいコーヒー").Terms() {
		terms = append(terms, term.Text)
	}
	if got := strings.Join(terms, " "); got != "すご ごー ーー ーい いコ コー ーヒ ヒー" {
		t.Error(got)
	}
}

// A list without spaces takes no more time than as many words with spaces.
func TestListsAreReadOnce(t *testing.T) { // not parallel: it measures time
	took := func(text string) time.Duration {
		least := time.Hour
		for range 3 {
			began := time.Now()
			Parse(text)
			least = min(least, time.Since(began))
		}
		return least
	}
	if words, list := took(strings.Repeat("a ", MaxBytes/2)), took(strings.Repeat("a,", MaxBytes/2)); list > 20*words {
		t.Errorf("a list takes %s, words %s", list, words)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "red wine", `"a b" -c OR d`, "-\"", "OR OR", "“x", "\xff\xfe", "日本語 -東京", strings.Repeat("a ", 70)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { checkQuery(t, text, Parse(text)) })
}

// checkQuery checks what is true of every query.
func checkQuery(t *testing.T, text string, q Query) {
	t.Helper()
	check := func(term Term) {
		// A letter of a pair may be a mark of the letter before it.
		if term.Start < 0 || term.End > len(text) || text[term.Start:term.End] != term.Text && !analysis.IsPaired(term.Text) {
			t.Errorf("%q: the place %d–%d is not that of %q", text, term.Start, term.End, term.Text)
		}
		if term.Text == "" {
			t.Errorf("%q has an empty term", text)
		}
	}
	n, met := 0, map[string]bool{}
	for _, c := range q.Clauses {
		if len(c.Any) == 0 {
			t.Errorf("%q has an empty clause", text)
		}
		for _, term := range c.Any {
			check(term)
			if word := strings.Join(analysis.Texts(term.Text), " "); len(c.Any) > 1 || term.Phrase || word == "" || !met[word] {
				n++
				met[word] = true
			}
		}
	}
	for _, term := range q.Excluded {
		check(term)
		n++
		if term.Prefix {
			t.Errorf("%q excludes a prefix", text)
		}
	}
	if n > MaxWords {
		t.Errorf("%q has %d terms", text, n)
	}
	if utf8.ValidString(text) && !utf8.ValidString(fmt.Sprint(q)) {
		t.Errorf("%q was cut within a character", text)
	}
}
