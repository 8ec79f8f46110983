package store_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/lexemes"
	"github.com/rowansearch/rowan/store/storetest"
)

// The filter of a document has each of its lexemes and each of their beginnings, and few others.
func TestLexemesThatADocumentMayHave(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	letters := []rune("abcdefghijklmnopqrstuvwxyzéßжщ語字𝄞0123456789-./")
	word := func() string {
		w := make([]rune, 1+r.IntN(12))
		for i := range w {
			w[i] = letters[r.IntN(len(letters))]
		}
		return string(w)
	}
	db := storetest.New(t)
	others, taken, begun := 0, 0, 0
	for n := range 60 {
		has := map[string]bool{}
		for range n * n {
			has[word()] = true
		}
		rows, err := db.Pool.Query(t.Context(), "SELECT array_to_tsvector($1::text[])", pgx.QueryResultFormats{1}, slices.Collect(maps.Keys(has)))
		if err != nil || !rows.Next() {
			t.Fatal(err)
		}
		f, err := lexemes.NewFilter(rows.RawValues()[0])
		rows.Close()
		if err != nil {
			t.Fatal(err)
		}
		may := func(lexeme string, prefix bool) bool {
			return f.May(lexemes.ProbeOf(service.Lexeme{Text: lexeme, Prefix: prefix}))
		}
		for lexeme := range has {
			if !may(lexeme, false) {
				t.Fatalf("a document that has %q may not have it", lexeme)
			}
			for end := range lexeme {
				if end > 0 && !may(lexeme[:end], true) {
					t.Fatalf("a document that has %q may not have a word that begins with %q", lexeme, lexeme[:end])
				}
			}
			if !may(lexeme, true) {
				t.Fatalf("a document that has %q may not have a word that begins so", lexeme)
			}
		}
		for range 200 {
			if other := word() + "~"; n > 0 {
				others++
				if may(other, false) {
					taken++
				}
				if may("~"+word()+"~~", true) {
					begun++
				}
			}
		}
	}
	t.Logf("%d of %d other lexemes may be had, and %d of as many others may begin one", taken, others, begun)
	if taken == 0 || taken*100 > 3*others || begun*100 > 3*others {
		t.Errorf("of %d lexemes that the documents do not have they may have %d, of as many that none begins with %d, want at most 3 %%", others, taken, begun)
	}
}
