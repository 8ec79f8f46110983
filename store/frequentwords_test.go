package store_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
)

// What a frequent word may be a misspelling of is the same from the list as from the vocabulary.
func TestFrequentWords(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	r := rand.New(rand.NewPCG(3, 5))
	if _, err := l.db.Pool.Exec(t.Context(), "UPDATE app_demo_derived.books_progress SET documents = 1000000, counted_to = NULL"); err != nil {
		t.Fatal(err)
	}
	var words []string
	known := map[string]bool{}
	for len(words) < 300 {
		word := []byte([]string{"mountain", "television", "river", "mountains", "philharmonic"}[r.IntN(5)])
		for range r.IntN(3) {
			word[r.IntN(len(word))] = "abc7"[r.IntN(4)]
		}
		if known[string(word)] {
			continue
		}
		known[string(word)] = true
		documents := []int{10, 49, 50, 60, 999, 1000, 1200, 20000, 30000, 400000}[r.IntN(10)]
		if string(word) == "mountain" {
			documents = 400000
		}
		if _, err := l.db.Pool.Exec(t.Context(), "INSERT INTO app_demo_derived.books_words VALUES ($1, $2, $3)", string(word), documents, store.IndexKeys(string(word))); err != nil {
			t.Fatal(err)
		}
		words = append(words, string(word))
	}
	if _, err := l.db.Pool.Exec(t.Context(), `INSERT INTO app_demo_derived.books_words VALUES
		('head', 100), ('set', 100), ('headset', 60), ('top', 90), ('settop', 49), ('once', 49), ('oncetop', 3)`); err != nil {
		t.Fatal(err)
	}
	words = append(words, "head", "set", "headset", "top")
	pair := func(first, second string) service.WordPair { return service.WordPair{First: first, Second: second} }
	pairs := service.AskedWords{Pairs: []service.WordPair{pair("head", "set"), pair("set", "top"), pair("top", "head"), pair("once", "top")}}
	joined := func() map[service.WordPair]int64 {
		t.Helper()
		related, err := l.Related(t.Context(), l.ix, pairs)
		if err != nil {
			t.Fatal(err)
		}
		return related.Joined
	}
	wantJoined := map[service.WordPair]int64{pair("head", "set"): 60, pair("once", "top"): 3}
	if diff := cmp.Diff(wantJoined, joined()); diff != "" {
		t.Errorf("pairs that are one word, before the list is read (-want +got):\n%s", diff)
	}
	for range 500 { // the list is read in the background
		if _, ok := l.NearFrequent(t.Context(), l.ix, "mountain"); ok {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if diff := cmp.Diff(wantJoined, joined()); diff != "" {
		t.Errorf("pairs that are one word (-want +got):\n%s", diff)
	}
	frequent, close := 0, 0
	for _, word := range words {
		want, err := l.NearInVocabulary(t.Context(), l.ix, word, "")
		if err != nil {
			t.Fatal(err)
		}
		got, ok := l.NearFrequent(t.Context(), l.ix, word)
		if !ok {
			continue
		}
		frequent++
		close += len(want)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-vocabulary +list):\n%s", word, diff)
		}
	}
	if many := l.one(t, "SELECT count(*) FROM app_demo_derived.books_words WHERE documents >= 50"); frequent != many || close == 0 {
		t.Errorf("%d of %d frequent words are in the list, with %d close words", frequent, many, close)
	}
}
