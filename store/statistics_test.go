package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
)

// Rarities follow an index that is rewritten, although it has as many documents as before: a count is used for termLife, and no longer if it is
// constantly asked for.
func TestRaritiesFollowRewrittenDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "books", "title name")
	rarity := func(s *site) float64 {
		t.Helper()
		hits := s.search(t, "books", forWords("covid "), explained).Hits
		if len(hits) == 0 {
			return -1
		}
		return hits[0].Explanation.Words[0].Rarity
	}
	s.many(t, "books", 100, func(int) string { return `{"title":"plain"}` })
	s.put(t, "books", "covid", `{"title":"covid"}`)
	rare := rarity(s)
	s.many(t, "books", 100, func(int) string { return `{"title":"covid"}` })
	for range 2 {
		rarity(s)
		s.AgeStatistics(store.TermLife / 2)
	}
	// A server that starts later remembers nothing.
	if got, want := rarity(s), rarity(join(t, s.db)); got != want || got >= rare {
		t.Errorf("the rarity was %v and is %v; on a server that started later it is %v", rare, got, want)
	}
}

// While an index is being searched, nobody waits for its statistics: old ones are used until they are measured again. If nobody has asked for them
// for long, they are measured first.
func TestOldStatisticsAreUsedWhileTheyAreMeasured(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "books", "title name")
	var version int64
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT version FROM rowan.applications WHERE id = 'demo'").Scan(&version); err != nil {
		t.Fatal(err)
	}
	documents := func() int64 {
		t.Helper()
		state, err := s.State(t.Context(), s.current(t, "books"), version)
		if err != nil {
			t.Fatal(err)
		}
		return state.Documents
	}
	s.put(t, "books", "1", `{"title":"one"}`)
	if got := documents(); got != 1 {
		t.Fatalf("%d documents", got)
	}
	s.put(t, "books", "2", `{"title":"two"}`, "3", `{"title":"three"}`)
	s.AgeStatistics(10 * time.Second)
	if got := documents(); got != 1 {
		t.Errorf("%d documents: who asked has waited", got)
	}
	for deadline := time.Now().Add(30 * time.Second); documents() != 3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("they are not measured")
		}
	}
	s.put(t, "books", "4", `{"title":"four"}`)
	s.AgeStatistics(time.Hour)
	if got := documents(); got != 4 {
		t.Errorf("%d documents after an hour", got)
	}

	// For an index at rest, they are still right. A row that bypasses the log shows whether they are measured again.
	if err := s.Settle(t.Context(), s.current(t, "books")); err != nil {
		t.Fatal(err)
	}
	s.AgeStatistics(time.Hour)
	documents()
	s.exec(t, "ALTER TABLE app_demo.books DISABLE TRIGGER USER")
	s.exec(t, "DELETE FROM app_demo.books WHERE _id = '4'")
	s.exec(t, "ALTER TABLE app_demo.books ENABLE TRIGGER USER")
	s.AgeStatistics(time.Hour)
	if got := documents(); got != 4 {
		t.Errorf("%d documents of an index at rest: they were measured again", got)
	}
	s.exec(t, "ALTER TABLE app_demo.books DISABLE TRIGGER USER")
	s.exec(t, `INSERT INTO app_demo.books (_id, _body) SELECT 'r' || i, '{"title":"unlogged"}' FROM generate_series(1, 500) AS i`)
	s.exec(t, "ALTER TABLE app_demo.books ENABLE TRIGGER USER")
	s.AgeStatistics(time.Hour)
	if got := documents(); got != 503 {
		t.Errorf("%d documents: those that were not logged are not measured", got)
	}
	s.exec(t, "DELETE FROM app_demo.books WHERE _id LIKE 'r%'")
	s.put(t, "books", "5", `{"title":"five"}`, "6", `{"title":"six"}`)
	s.AgeStatistics(time.Hour)
	if got := documents(); got != 5 {
		t.Errorf("%d documents of an index at rest no more", got)
	}
}

// While documents are written, a server keeps the statistics that its pages are ordered by. For an index at rest, all servers have the same, whatever
// each has known before: clients ask different servers for the pages of one answer.
func TestServersAgreeOnAnIndexAtRest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "books", "title name")
	scored := func(s *site) string {
		t.Helper()
		hit := s.search(t, "books", forWords("word "), explained).Hits[0]
		return fmt.Sprint(hit.Explanation.Words[0].Rarity, hit.Score)
	}
	s.many(t, "books", 200, func(i int) string { return fmt.Sprintf(`{"title":"word %d"}`, i) })
	if err := s.Settle(t.Context(), s.current(t, "books")); err != nil {
		t.Fatal(err)
	}
	before := scored(s)
	s.put(t, "books", "another", `{"title":"one that is longer than the others are"}`)
	if err := s.Settle(t.Context(), s.current(t, "books")); err != nil {
		t.Fatal(err)
	}
	want := scored(join(t, s.db))
	if want == before {
		t.Fatal("the document makes no difference")
	}
	for deadline := time.Now().Add(30 * time.Second); scored(s) != want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("one server has %s, another that started later %s", scored(s), want)
		}
		s.AgeStatistics(10 * time.Second)
	}

	// The same holds for the number of documents with a word.
	s.put(t, "books", "word", `{"title":"one more word"}`)
	if err := s.Settle(t.Context(), s.current(t, "books")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // after they are measured, and when found unchanged
		s.AgeMeasures(time.Hour)
		scored(s)
	}
	if got, want := scored(s), scored(join(t, s.db)); got != want {
		t.Errorf("one server has %s, another that started later %s", got, want)
	}
}

// If postings were counted again, so are the words that are counted from them, and the answers that depend on these.
func TestCountsFollowPostings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.create(t, "things", "title sentence")
	s.many(t, "things", 1000, func(int) string { return `{"title":"often"}` })
	ix := s.current(t, "things")
	if err := s.Settle(t.Context(), ix); err != nil {
		t.Fatal(err)
	}
	var version int64
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT version FROM rowan.applications WHERE id = 'demo'").Scan(&version); err != nil {
		t.Fatal(err)
	}
	counted := func() string {
		t.Helper()
		var state service.State
		for range 2 {
			s.AgeMeasures(time.Hour)
			var err error
			if state, err = s.State(t.Context(), ix, version); err != nil {
				t.Fatal(err)
			}
		}
		return state.Counted
	}
	before := counted()
	if again := counted(); before == "" || again != before {
		t.Errorf("at rest the counts are of %q, then of %q", before, again)
	}
	s.buildPostings(t)
	if after := counted(); after == "" || after == before {
		t.Errorf("with postings the counts are of %q, before of %q", after, before)
	}
}
