package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/spelling"
)

// What words stand for is the same from the list of frequent ones as from the vocabulary.
func TestFrequentWords(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	if _, err := l.db.Pool.Exec(t.Context(), "UPDATE app_demo_derived.books_progress SET documents = 1000000, counted_to = NULL"); err != nil {
		t.Fatal(err)
	}
	asked := service.AskedWords{}
	for word, documents := range map[string]int{
		"mountain": 400000, "mountaim": 49, "mounttain": 50, "mountein": 19999, "televisoin": 2, "television": 900,
		"head": 100, "set": 100, "headset": 60, "top": 90, "settop": 49, "once": 49, "oncetop": 3,
	} {
		if _, err := l.db.Pool.Exec(t.Context(), "INSERT INTO app_demo_derived.books_words VALUES ($1, $2, $3)", word, documents, spelling.IndexKeys(word)); err != nil {
			t.Fatal(err)
		}
		asked.Words = append(asked.Words, word)
	}
	pair := func(first, second string) service.WordPair { return service.WordPair{First: first, Second: second} }
	asked.Pairs = []service.WordPair{pair("head", "set"), pair("set", "top"), pair("top", "head"), pair("once", "top")}
	want := service.RelatedWords{
		Near: map[string][]service.NearWord{
			"mountaim":   {{Word: "mountain", Distance: 1, Documents: 400000, Share: 1. / 8}, {Word: "mountein", Distance: 2, Documents: 19999, Share: 3. / 8}},
			"televisoin": {{Word: "television", Distance: 1, Documents: 900, Share: 0.5}},
		},
		Joined: map[service.WordPair]int64{pair("head", "set"): 60, pair("once", "top"): 3},
	}
	check := func(when string) {
		t.Helper()
		related, err := l.Related(t.Context(), l.ix, asked)
		if err != nil {
			t.Fatal(err)
		}
		got := service.RelatedWords{Near: map[string][]service.NearWord{}, Joined: related.Joined}
		for _, word := range asked.Words {
			if len(related.Near[word]) > 0 {
				got.Near[word] = related.Near[word]
			}
			if !related.Known[word] && len(word) > 3 {
				t.Errorf("%s, %s is not known", when, word)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("before the list is read")
	for range 500 { // in the background
		if l.Frequent(t.Context(), l.ix, "mountain") == 400000 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	check("after that")
	if few := l.Frequent(t.Context(), l.ix, "settop"); few != 0 {
		t.Errorf("a word of 49 documents is in the list, with %d", few)
	}
}
