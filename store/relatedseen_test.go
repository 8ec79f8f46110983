package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rowansearch/rowan/service"
)

// What words meant for an earlier search is remembered, but a search finds the same as on a server that remembers nothing, whoever has written
// meanwhile, and whether or not the vocabulary has followed.
func TestSeenWordsAreThoseOfNow(t *testing.T) {
	t.Parallel()
	for _, postings := range []bool{true, false} {
		t.Run(fmt.Sprintf("postings %t", postings), func(t *testing.T) { t.Parallel(); seenWordsAreThoseOfNow(t, postings) })
	}
}

func seenWordsAreThoseOfNow(t *testing.T, postings bool) {
	a := newSite(t)
	a.AccelerateSmall(10)
	a.create(t, "things", "title sentence", "year int")
	ix := a.current(t, "things")
	words := []string{"quantum", "quantam", "quanta", "wifi", "wi fi", "wi-fi", "notebook", "note book", "noteboks", "planes", "planet", "blue", "blues"}
	r := rand.New(rand.NewPCG(7, 11))
	document := func() string {
		title := words[r.IntN(len(words))] + " " + words[r.IntN(len(words))]
		return fmt.Sprintf(`{"title":%q,"year":%d,"note":"n%d"}`, title, 1990+r.IntN(9), r.IntN(3))
	}
	for i := range 90 {
		a.put(t, "things", fmt.Sprint(i), document())
	}
	other := join(t, a.db)
	queries := []string{"", "quant", "blue quan", "noteboook", "note boo", "wifi ", "wi fi", "plannets", "blue wi-f", "bluees -planet", "qantum OR blue"}
	ways := [][]func(*service.SearchRequest){
		{},
		{matching(service.MatchAny)},
		{withFacets("year")},
		{filtered("year > 1993")},
		{filtered("note = n1"), sortedBy("-year")},
		{filtered("note = n1"), explained, matching(service.MatchAny)}, // without postings, only the plain statement can do this
	}
	settle := func() {
		t.Helper()
		if err := a.Settle(t.Context(), ix); err != nil {
			t.Fatal(err)
		}
	}
	found := func(s *site, q string, way []func(*service.SearchRequest)) string {
		s.AgeStatistics(2 * time.Minute) // otherwise an earlier rarity decides what is enough
		resp := s.search(t, "things", append(way, forWords(q))...)
		ids := slices.Sorted(slices.Values(resp.IDs))
		return fmt.Sprint(resp.Total, ids)
	}
	settle()
	if postings {
		a.buildPostings(t)
	}
	misspelled := func(round int) string { return "quant" + string(rune('b'+round)) + "m" }
	for round := range 2 * len(ways) {
		// The first search of a round notices that something has changed. It is made in each of the ways, for a word of a document that was stored
		// since the last search for it.
		queries[0] = misspelled(round)
		fresh := join(t, a.db)
		fresh.AccelerateSmall(10)
		for i := range 2 * len(queries) { // the second half uses what was remembered in the first
			q, way := queries[i%len(queries)], ways[round%len(ways)]
			if i > 0 {
				way = ways[r.IntN(len(ways))]
			}
			if got, want := found(a, q, way), found(fresh, q, way); got != want {
				t.Errorf("round %d: %q finds %s, on a new server %s", round, q, got, want)
			}
		}
		fresh.Close()
		found(a, misspelled(round+1), nil)
		other.put(t, "things", fmt.Sprint("new", round), fmt.Sprintf(`{"title":"%s noteboook","year":1995,"note":"n1"}`, misspelled(round+1)), fmt.Sprint(r.IntN(90)), document())
		if round < len(ways) {
			continue // the log has it
		}
		other.exec(t, "DELETE FROM app_demo.things WHERE _id = $1", fmt.Sprint("new", round-1))
		settle()
	}
}

// A second search for words uses what they meant; after a write, on whatever server, the next one looks them up again.
func TestSeenWordsAreGoneByUntilAWrite(t *testing.T) {
	t.Parallel()
	a := newSite(t)
	a.create(t, "things", "title sentence")
	ix := a.current(t, "things")
	a.put(t, "things", "1", `{"title":"quantum fields"}`)
	if err := a.Settle(t.Context(), ix); err != nil {
		t.Fatal(err)
	}
	asked := service.AskedWords{Words: []string{"quantim"}, Prefix: "quantim", Limit: 64}
	seen := func(want bool, when string) {
		t.Helper()
		if got := a.Seen(ix, asked); got != want {
			t.Errorf("%s, what the words mean is remembered: %t, want %t", when, got, want)
		}
	}
	seen(false, "at first")
	finds := func(want string) {
		t.Helper()
		if got := a.found(t, "things", forWords("quantim")); got != want {
			t.Errorf("finds %q, want %q", got, want)
		}
	}
	finds("1")
	seen(true, "after a search")
	finds("1")
	join(t, a.db).put(t, "things", "2", `{"title":"quantim"}`)
	seen(true, "before anybody has asked")
	finds("2")
	seen(false, "after a search that was planned anew")
	a.put(t, "things", "3", `{"title":"quantim"}`)
	seen(false, "after a write")
	if err := a.Settle(t.Context(), ix); err != nil {
		t.Fatal(err)
	}
	finds("2 3")
	seen(true, "in the new state")
}

// The words of a short prefix are remembered for a few seconds, whoever writes. What is remembered as long as nobody writes includes none of them
// from another state.
func TestShortBeginningsOfAnotherState(t *testing.T) {
	t.Parallel()
	a := newSite(t)
	a.create(t, "things", "title sentence")
	ix := a.current(t, "things")
	a.ManyBegun(20)
	settle := func() {
		t.Helper()
		if err := a.Settle(t.Context(), ix); err != nil {
			t.Fatal(err)
		}
	}
	a.many(t, "things", 30, func(int) string { return `{"title":"azalea azimuth"}` })
	settle()
	a.search(t, "things", forWords("az"))
	a.exec(t, "INSERT INTO app_demo.things (_id, _body) SELECT 'p' || n, '{\"title\":\"planes azure\"}' FROM generate_series(1, 60) n")
	settle()
	asked := service.AskedWords{Words: []string{"planes"}, Prefix: "az", Pairs: []service.WordPair{{First: "planes", Second: "az", Begun: true}}, Limit: 64}
	has := func() bool {
		related, err := a.Related(t.Context(), ix, asked)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(related.Completions, func(c service.Completion) bool { return c.Word == "azure" })
	}
	if has() {
		t.Fatal("the words that begin so were not remembered: the test tests nothing")
	}
	a.ForgetBegun()
	if !has() {
		t.Error("what was remembered for a few seconds is remembered for as long as nobody writes")
	}
	if !a.Seen(ix, asked) {
		t.Error("what is of one state is not remembered")
	}
}
