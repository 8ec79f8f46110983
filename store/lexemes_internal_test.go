package store

import (
	"fmt"
	"testing"
)

// However many languages there are, the number of remembered words is limited; if there is no room for more, the language with the most words is
// evicted.
func TestRememberedLexemesAreBounded(t *testing.T) {
	t.Parallel()
	c := newLexemeCache()
	words := func(n int) map[string][]string {
		list := map[string][]string{}
		for i := range n {
			list[fmt.Sprint("word", i)] = nil
		}
		return list
	}
	c.remember("rare", words(100))
	for i := range 5 {
		c.remember(fmt.Sprint("language", i), words(maxUnknown))
		total := 0
		for _, known := range c.lexemes {
			total += len(known)
		}
		if total > maxLexemes || len(c.lexemes[fmt.Sprint("language", i)]) != maxUnknown {
			t.Errorf("%d words after %d languages", total, i+1)
		}
	}
	if len(c.lexemes["rare"]) != 100 {
		t.Error("a language with few words was forgotten")
	}
}
