package store_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/store"
)

// englishEndings are the endings that Snowball's English stemmer knows, and some that it does not.
var englishEndings = strings.Fields(`s es ies ied sses us ss ed edly eed eedly ing ingly e y tional enci anci abli entli izer ization ational
	ation ator alism aliti alli fulness ousli ousness iveness iviti biliti bility ably ency ancy bli ogi logy fulli lessli li ly alize icate iciti
	ical ful ness ative al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize sion tion l ll ying ier iest x ssion`)

// For every word that the English stemmer turns into a lexeme, MayStemTo returns true.
func TestWordsThatMayStemToALexeme(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields(`dying lying tying skis skies sky idly gently ugly early only singly news howe atlas cosmos bias andes inning outing canning
		herring earring proceed exceed succeed ability abilities possibility gullible happy cries tied hoped hopping by say enjoy agreed feed generously
		communism arsenal hated falling conflated troubled sized generalization oscillators better good mice 2 2024 a06112 naïve`)
	const letters = "aeiouybcdfghklmnprstvwxz"
	for range 20000 {
		var w strings.Builder
		for range 1 + r.IntN(6) {
			w.WriteByte(letters[r.IntN(len(letters))])
		}
		for range r.IntN(3) {
			w.WriteString(englishEndings[r.IntN(len(englishEndings))])
		}
		words = append(words, w.String())
	}
	lexemes, err := s.Lexemes(t.Context(), "english", words)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i, w := range words {
		for _, l := range lexemes[i] {
			if l != w {
				changed++
			}
			for n := range len(l) {
				if !store.MayStemTo(w, l[:n+1]) {
					t.Errorf("%s becomes %s, and may not stem to %s", w, l, l[:n+1])
				}
			}
		}
	}
	if changed < len(words)/4 {
		t.Errorf("only %d of %d words are changed by stemming", changed, len(words))
	}
	for word, lexeme := range map[string]string{"house": "mouse", "mountain": "mount", "cats": "carpet", "": "a", "better": "good"} {
		if store.MayStemTo(word, lexeme) != (word == "mountain") {
			t.Errorf("%q, %q", word, lexeme)
		}
	}
}

// Whatever a dictionary makes of words, those that have a lexeme are reported as likely.
func TestLikelyWords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.exec(t, `CREATE TEXT SEARCH CONFIGURATION public.bent (COPY = english)`)
	s.exec(t, `CREATE TEXT SEARCH DICTIONARY public.whole (TEMPLATE = pg_catalog.simple, STOPWORDS = english)`)
	s.exec(t, `CREATE TEXT SEARCH DICTIONARY public.deutsch (TEMPLATE = pg_catalog.snowball, LANGUAGE = german)`)
	s.exec(t, `ALTER TEXT SEARCH CONFIGURATION public.bent ALTER MAPPING FOR asciiword WITH public.deutsch`)
	words := []string{"houses", "running", "dying", "the", "mountains", "naïve", ""}
	for _, language := range []string{"english", "simple", "german", "public.bent"} {
		all, err := s.Lexemes(t.Context(), language, words)
		if err != nil {
			t.Fatal(err)
		}
		for i := range words {
			for _, l := range all[i] {
				likely, err := s.Likely(t.Context(), language, []string{l})
				if err != nil {
					t.Fatal(err)
				}
				if known := language == "english" || language == "simple"; known != (likely != nil) {
					t.Fatalf("%s: it is known which words are likely: %v", language, likely != nil)
				}
				if likely == nil {
					continue
				}
				if !likely(words[i]) {
					t.Errorf("%s: %q has %q, and is not likely to", language, words[i], all[i])
				}
				if given := len(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !likely(w) })); given > 2 {
					t.Errorf("%s: for %q, %d of %d words are likely", language, l, given, len(words))
				}
			}
		}
	}
}
