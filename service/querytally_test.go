package service

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFoldQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                                  "",
		" \t\n ":                            "",
		"  Blade \u00a0  RUNNER ":           "blade runner",
		"a\x00b\x1fc":                       "a b c",
		"\x00":                              "",
		"broken \xff utf":                   "broken utf",
		"ÉCOLE Straße":                      "école straße",
		strings.Repeat("é", 300):            strings.Repeat("é", 200),
		strings.Repeat("a", 199) + " bcd":   strings.Repeat("a", 199),
		strings.Repeat(" ", 100000) + "end": "end",
	} {
		if got := foldQuery(query); got != want {
			t.Errorf("%.40q became %q, want %q", query, got, want)
		}
	}
}

// Whatever is searched for, the table accepts the folded query, and folding it again does not change it.
func TestFoldQueryFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		query := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'É', ' ', 0, '\n', 0x1f600}), 0, 500, -1),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "query")
		got := foldQuery(query)
		if !utf8.ValidString(got) || strings.ContainsRune(got, 0) || utf8.RuneCountInString(got) > 200 {
			t.Fatalf("%q became %q", query, got)
		}
		if again := foldQuery(got); again != got {
			t.Fatalf("%q became %q, and that %q", query, got, again)
		}
	})
}

// evening is when the searches of these tests begin: not near the end of an hour.
var evening = time.Date(2026, 5, 1, 20, 15, 0, 0, time.UTC)

func newTestTally() *queryTally { return newQueryTally(func() bool { return true }) }

// typed adds queries to one search, one after the other, with a pause before each.
func (t *queryTally) typed(at time.Time, pause time.Duration, queries ...string) time.Time {
	for _, q := range queries {
		at = at.Add(pause)
		t.add(at, Searched{Application: "demo", Search: "films", Query: q, Total: 1}, foldQuery(q))
	}
	return at
}

// counted returns how often each query is counted.
func (t *queryTally) counted(until time.Time) map[string]int64 {
	counts, _ := t.take(until)
	found := map[string]int64{}
	for _, c := range counts {
		found[c.Query] += c.Searches
	}
	return found
}

// Two people who type the same at once take back two beginnings.
func TestTwoTypeTheSame(t *testing.T) {
	t.Parallel()
	tally := newTestTally()
	end := tally.typed(evening, 100*time.Millisecond, "spac", "spac", "space", "space", "space", "spaces")
	if diff := cmp.Diff(map[string]int64{"space": 2, "spaces": 1}, tally.counted(end.Add(time.Minute))); diff != "" {
		t.Error(diff)
	}
	if len(tally.latest) > 0 {
		t.Errorf("%d places are kept of queries that are counted", len(tally.latest))
	}
}

func TestTypedQueriesCountOnce(t *testing.T) {
	t.Parallel()
	const key = 200 * time.Millisecond
	for name, test := range map[string]struct {
		pause   time.Duration
		queries []string
		want    map[string]int64
	}{
		"typing":                   {key, []string{"b", "bl", "bla", "blade ", "blade r"}, map[string]int64{"blade r": 1}},
		"typing slowly":            {3 * time.Second, []string{"blade", "blade r"}, map[string]int64{"blade": 1, "blade r": 1}},
		"a space at the end":       {key, []string{"tv", "tv "}, map[string]int64{"tv": 1}},
		"the same again":           {key, []string{"tv", "tv"}, map[string]int64{"tv": 2}},
		"another one":              {key, []string{"alien", "aliens in space"}, map[string]int64{"alien": 1, "aliens in space": 1}},
		"two people":               {key, []string{"t", "tv", "t", "tv", "tv s", "tv st"}, map[string]int64{"tv": 1, "tv st": 1}},
		"one takes back only one":  {key, []string{"tv", "tv", "tv s"}, map[string]int64{"tv": 1, "tv s": 1}},
		"too long to be typed":     {key, []string{strings.Repeat("x", 500), strings.Repeat("x", 501)}, map[string]int64{strings.Repeat("x", 200): 2}},
		"words taken away":         {key, []string{"tv stand", "tv sta", "tv"}, map[string]int64{"tv stand": 1, "tv sta": 1, "tv": 1}},
		"in capitals, as it comes": {key, []string{"TV", "tv s"}, map[string]int64{"tv": 1, "tv s": 1}},
	} {
		tally := newTestTally()
		end := tally.typed(evening, test.pause, test.queries...)
		if diff := cmp.Diff(test.want, tally.counted(end)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTypingIsOfOneSearch(t *testing.T) {
	t.Parallel()
	tally := newTestTally()
	for i, s := range []Searched{{Application: "a", Search: "x", Query: "tv"}, {Application: "a", Search: "y", Query: "tv s"}, {Application: "b", Search: "x", Query: "tv s"}} {
		tally.add(evening.Add(time.Duration(i)*time.Millisecond), s, s.Query)
	}
	if diff := cmp.Diff(map[string]int64{"tv": 1, "tv s": 2}, tally.counted(evening.Add(time.Second))); diff != "" {
		t.Error(diff)
	}
}

// What may still be continued is not taken, and nothing is counted twice.
func TestTakeLeavesWhatIsTyped(t *testing.T) {
	t.Parallel()
	tally := newTestTally()
	tally.typed(evening, time.Second, "one", "two")
	if diff := cmp.Diff(map[string]int64{"one": 1}, tally.counted(evening.Add(time.Second))); diff != "" {
		t.Error(diff)
	}
	tally.typed(evening.Add(2*time.Second), time.Second, "two x")
	if diff := cmp.Diff(map[string]int64{"two x": 1}, tally.counted(evening.Add(time.Minute))); diff != "" {
		t.Error(diff)
	}
	if counts, hours := tally.take(evening.Add(time.Hour)); len(counts)+len(hours) > 0 {
		t.Errorf("%v, %v are counted twice", counts, hours)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	tally := newTestTally()
	for i, total := range []int64{5, 0, 7} {
		tally.add(evening.Add(time.Duration(i)*time.Second), Searched{Application: "demo", Search: "films", Query: "TV", Total: total, Took: time.Duration(i+1) * time.Millisecond}, "tv")
	}
	later := evening.Add(time.Hour)
	tally.add(later, Searched{Application: "demo", Search: "films", Query: "tv", Took: time.Millisecond}, "tv")
	hour := time.Date(2026, 5, 1, 20, 0, 0, 0, time.UTC)
	counts, hours := tally.take(later)
	if diff := cmp.Diff([]QueryCount{
		{Application: "demo", Hour: hour, Search: "films", Query: "tv", Searches: 3, NothingFound: 1, Total: 6 * time.Millisecond, Max: 3 * time.Millisecond, LastFound: 7, LastAt: evening.Add(2 * time.Second)},
		{Application: "demo", Hour: hour.Add(time.Hour), Search: "films", Query: "tv", Searches: 1, NothingFound: 1, Total: time.Millisecond, Max: time.Millisecond, LastAt: later},
	}, counts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]QueryHour{{"demo", hour, 3, 3}, {"demo", hour.Add(time.Hour), 1, 1}}, hours); diff != "" {
		t.Error(diff)
	}
}

// An application that keeps searching for new texts leaves room for the others, and all of them together are
// bounded; known texts are still counted. The next hour begins anew.
func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	tally := newTestTally()
	flood := func(at time.Time, application string, n int) {
		for i := range n {
			tally.add(at, Searched{Application: application, Search: "films"}, fmt.Sprintf("text %d", i))
		}
	}
	flood(evening, "greedy", maxTextsOfOne+1000)
	flood(evening, "greedy", 10)
	flood(evening, "modest", 100)
	flood(evening, "third", maxTexts)
	texts, recorded := map[string]int{}, map[string]QueryHour{}
	counts, hours := tally.take(evening)
	for _, c := range counts {
		texts[c.Application]++
	}
	for _, h := range hours {
		recorded[h.Application] = h
	}
	if diff := cmp.Diff(map[string]int{"greedy": maxTextsOfOne, "modest": 100, "third": maxTexts - maxTextsOfOne - 100}, texts); diff != "" {
		t.Error(diff)
	}
	if h := recorded["greedy"]; h.Searches != maxTextsOfOne+1010 || h.Recorded != maxTextsOfOne+10 {
		t.Errorf("%d of %d searches are said to be counted", h.Recorded, h.Searches)
	}
	// Saving makes no room, or the table would grow without end.
	flood(evening, "fourth", 1)
	if counts, hours := tally.take(evening); len(counts) != 0 || len(hours) != 1 || hours[0].Recorded != 0 {
		t.Errorf("%v, %v after the room was used up", counts, hours)
	}
	flood(evening.Add(time.Hour), "greedy", 1)
	if counts, _ := tally.take(evening.Add(time.Hour)); len(counts) != 1 {
		t.Errorf("%d texts in the next hour", len(counts))
	}
}

// However many searches there are between two saves, only a few of them are kept.
func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	tally := newTestTally()
	for i := range 5 * maxUnsettled {
		tally.typed(evening.Add(time.Duration(i)), 0, fmt.Sprintf("%d more", i%100))
		if len(tally.waiting) > maxUnsettled {
			t.Fatalf("%d searches wait", len(tally.waiting))
		}
	}
	var sum int64
	for _, n := range tally.counted(evening.Add(time.Minute)) {
		sum += n
	}
	if sum != 5*maxUnsettled {
		t.Errorf("%d of %d searches are counted", sum, 5*maxUnsettled)
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	n := 0
	tally := newQueryTally(func() bool { n++; return n%4 == 0 })
	tally.typed(evening, 3*time.Second, slices.Repeat([]string{"tv"}, 40)...)
	counts, hours := tally.take(evening.Add(time.Hour))
	if len(counts) != 1 || counts[0].Searches != 10 || len(hours) != 1 || hours[0].Searches != 40 || hours[0].Recorded != 10 {
		t.Errorf("%v, %v", counts, hours)
	}
}
