package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/storetest"
)

// Words stand for the same according to the list of frequent words as according to the vocabulary.
func TestFrequentWords(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	if _, err := l.db.Pool.Exec(t.Context(), "UPDATE app_demo_derived.books_progress SET documents = 1000000, counted_to = NULL"); err != nil {
		t.Fatal(err)
	}
	asked := service.AskedWords{}
	for word, documents := range map[string]int{
		"mountain": 400000, "mountaim": 49, "mounttain": 50, "mountein": 19999, "televisoin": 2, "television": 900,
		"head": 100, "set": 100, "headset": 60, "top": 90, "settop": 49, "tophead": 4, "once": 49, "oncetop": 3, "topmountain": 35,
	} {
		if _, err := l.db.Pool.Exec(t.Context(), "INSERT INTO app_demo_derived.books_words VALUES ($1, $2, $3)", word, documents, spelling.IndexKeys(word)); err != nil {
			t.Fatal(err)
		}
		asked.Words = append(asked.Words, word)
	}
	pair := func(first, second string) service.WordPair { return service.WordPair{First: first, Second: second} }
	asked.Pairs = []service.WordPair{pair("head", "set"), pair("set", "top"), pair("top", "head"), pair("once", "top"), pair("top", "mountain")}
	want := service.RelatedWords{
		Near: map[string][]service.NearWord{
			"mountaim":   {{Word: "mountain", Distance: 1, Documents: 400000, Share: 1. / 8}, {Word: "mountein", Distance: 2, Documents: 19999, Share: 3. / 8}},
			"televisoin": {{Word: "television", Distance: 1, Documents: 900, Share: 0.5}},
		},
		Joined: map[service.WordPair]int64{pair("head", "set"): 60, pair("set", "top"): 49, pair("once", "top"): 3},
	}
	check := func(when string) {
		t.Helper()
		asked.Limit++ // another question, which is not answered by what the words meant before
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
	eventually(t, "the list", func() bool { return l.Frequent(t.Context(), l.ix, "mountain") == 400000 })
	check("after that")
	if few := l.Frequent(t.Context(), l.ix, "settop"); few != 0 {
		t.Errorf("a word of 49 documents is in the list, with %d", few)
	}
	if _, err := l.db.Pool.Exec(t.Context(), "DELETE FROM app_demo_derived.books_words WHERE word IN ('head', 'set', 'headset')"); err != nil {
		t.Fatal(err)
	}
	check("by the list alone")
}

// A list that cannot be read again stays in use, and one that was evicted is not read for each search.
func TestFrequentWordsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	config := storeConfig(db)
	config.SearchTimeout = time.Second
	s := siteWith(t, db, config)
	s.create(t, "things", "title sentence")
	ix := s.current(t, "things")
	s.many(t, "things", 60, func(int) string { return `{"title":"mountain"}` })
	if err := s.Settle(t.Context(), ix); err != nil {
		t.Fatal(err)
	}
	frequent := func() int64 { return s.Frequent(t.Context(), ix, "mountain") }
	eventually(t, "the list", func() bool { return frequent() == 60 })
	tx, err := s.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), "LOCK TABLE app_demo_derived.things_words"); err != nil {
		t.Fatal(err)
	}
	s.AgeFrequent(ix)
	eventually(t, "a read that fails", func() bool { frequent(); return !s.FrequentRead(ix).IsZero() })
	if n := frequent(); n != 60 {
		t.Errorf("while the vocabulary is locked, the list has %d", n)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.ForgetFrequent()
	frequent()
	s.AwaitFrequent(ix)
	if n := frequent(); n != 0 {
		t.Errorf("a list that made room was read for a search, with %d", n)
	}
}
