package store_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
)

func TestNear(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 60, `{"title":"Television programme","body":"lions and tigers of the savannah, 1984 r2d2","code":"QWERTYUI"}`)
	l.many(t, "b", 2, `{"title":"Televisions","body":"lyons cafe naïvely"}`)
	l.many(t, "c", 4, `{"body":"savanna trigers slowly"}`)
	l.many(t, "d", 3, `{"body":"fox"}`)
	l.settle(t)
	near := func(word string, distance int, documents int64) service.NearWord {
		return service.NearWord{Word: word, Distance: distance, Documents: documents, Share: 1}
	}
	for _, test := range []struct {
		name, word string
		want       []service.NearWord
	}{
		{"transposition", "linos", []service.NearWord{near("lions", 1, 60)}},
		{"missing letter", "tigrs", []service.NearWord{near("tigers", 1, 60)}},
		{"nearest first, then most frequent", "televisionx", []service.NearWord{near("television", 1, 60), {Word: "televisions", Distance: 1, Documents: 2, Share: 7. / 8}}},
		{"distance 2 from eight letters", "telivisoin", []service.NearWord{near("television", 2, 60)}},
		{"distance 2 in seven letters", "tggersx", nil},
		{"wrong first letter counts two", "jelevision", []service.NearWord{near("television", 2, 60)}},
		{"missing first letter counts two", "elevision", []service.NearWord{near("television", 2, 60)}},
		{"exchanged first letters count two", "etlevision", []service.NearWord{near("television", 2, 60)}},
		{"wrong first letter of a short word", "bions", nil},
		{"three errors", "telxvxsxon", nil},
		{"known and frequent enough", "savanna", nil},
		{"known, but much rarer", "lyons", []service.NearWord{{Word: "lions", Distance: 1, Documents: 60, Share: 1. / 8}}},
		{"known, but not rare enough", "trigers", nil},
		{"accents are folded", "naivly", []service.NearWord{near("naively", 1, 2)}},
		{"identifiers", "qwertyuo", nil},
		{"digits", "r2d3", nil},
		{"three letters", "teh", nil},
		{"a letter too many of four", "foxx", []service.NearWord{near("fox", 1, 3)}},
		{"a letter too many in the middle", "foox", []service.NearWord{near("fox", 1, 3)}},
		{"a letter too many at the beginning", "afox", nil},
		{"nothing close", "zzzzzzzz", nil},
	} {
		got, err := l.near(t, []string{"programme", test.word, test.word})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got[test.word]); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", test.name, test.word, diff)
		}
		if got["programme"] != nil {
			t.Errorf("programme is close to %v", got["programme"])
		}
	}
}

// What a prefix of many words might be a misspelling of is left out if it is rarer than these, like the rarer words with that prefix.
func TestNearABeginning(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var words []string
	for i := range 20 {
		words = append(words, "strand"+string(rune('a'+i)))
	}
	l.many(t, "a", 700, `{"body":"`+strings.Join(words, " ")+`"}`)
	l.many(t, "b", 720, `{"body":"stray"}`)
	l.many(t, "c", 100, `{"body":"strain"}`)
	l.settle(t)
	stray, strain := service.NearWord{Word: "stray", Distance: 1, Documents: 720, Share: 1}, service.NearWord{Word: "strain", Distance: 1, Documents: 100, Share: 7. / 8}
	for prefix, want := range map[string][]service.NearWord{"": {stray, strain}, "stran": {stray}} {
		related, err := l.Related(t.Context(), l.ix, service.AskedWords{Words: []string{"stran"}, Prefix: prefix, Limit: 64})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, related.Near["stran"]); diff != "" {
			t.Errorf("words close to stran, with prefix %q (-want +got):\n%s", prefix, diff)
		}
	}
}

// The last word of a query may be a prefix with an error, if few words begin with it as it is.
func TestNearTheBeginningOfWords(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 60, `{"body":"bluetooth speakers"}`)
	l.many(t, "b", 3, `{"body":"bluetongue bleu bleutonne speaxerphones bluetooth4"}`)
	l.settle(t)
	l.many(t, "c", 2, `{"body":"bluetit"}`) // only in the log
	begun := func(word string, documents int64) service.NearWord {
		return service.NearWord{Word: word, Distance: 1, Documents: documents, Share: 1, Begun: true}
	}
	whole := func(word string, documents int64) service.NearWord {
		return service.NearWord{Word: word, Distance: 1, Documents: documents, Share: 1}
	}
	for _, test := range []struct {
		word, prefix string
		want         []service.NearWord
	}{
		{"bluxt", "bluxt", []service.NearWord{begun("bluetooth", 60), begun("bluetongue", 3), begun("bluetit", 2)}},
		{"bluxt", "", nil},
		{"bluxt", "speak", nil},
		{"bleuto", "bleuto", []service.NearWord{begun("bluetooth", 60)}}, // three documents have a word with this prefix, so others need sixty
		{"bletoot", "bletoot", []service.NearWord{begun("bluetooth", 60)}},
		{"bluetooht", "bluetooht", []service.NearWord{whole("bluetooth", 60)}},
		{"blxt", "blxt", nil}, // too short
		{"speaxer", "speaxer", []service.NearWord{begun("speakers", 60)}},
		{"spekae", "spekae", []service.NearWord{begun("speakers", 60)}},
		{"pseake", "pseake", nil},
	} {
		related, err := l.Related(t.Context(), l.ix, service.AskedWords{Words: []string{test.word}, Prefix: test.prefix, Limit: 64})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, related.Near[test.word]); diff != "" {
			t.Errorf("words close to %s, with prefix %q (-want +got):\n%s", test.word, test.prefix, diff)
		}
	}
}

// A word that documents have is not taken for a prefix with an error: once finished, it would find less.
func TestKnownWordsAreNoWrongBeginnings(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "b", 1000, `{"body":"strongly"}`)
	l.settle(t)
	for _, want := range []int{1, 0} { // before a document has it, and after
		got, err := l.NearInVocabulary(t.Context(), l.ix, "stran", "stran")
		if err != nil || len(got) != want {
			t.Errorf("stran is close to %v, want %d words (%v)", got, want, err)
		}
		l.many(t, "c", 1, `{"body":"stran"}`)
	}
}

// A prefix of many words still stands for the most frequent of them if none is frequent.
func TestCompletionsAreEquallyRare(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var words []string
	for i := range 60 {
		words = append(words, "river"+string(rune('a'+i/26))+string(rune('a'+i%26)))
	}
	l.many(t, "a", 200, `{"body":"`+strings.Join(words, " ")+`"}`)
	l.settle(t)
	got, err := l.completions(t, "riv", 40)
	if err != nil || len(got) != 40 {
		t.Errorf("%d words begin with riv, want 40 (%v)", len(got), err)
	}
}

// near looks up words in the vocabulary.
func (l *library) near(t *testing.T, words []string) (map[string][]service.NearWord, error) {
	t.Helper()
	related, err := l.Related(t.Context(), l.ix, service.AskedWords{Words: words})
	if err != nil {
		return nil, err
	}
	return related.Near, nil
}

// completions returns the words with a prefix.
func (l *library) completions(t *testing.T, prefix string, limit int) (words []string, err error) {
	t.Helper()
	related, err := l.Related(t.Context(), l.ix, service.AskedWords{Prefix: prefix, Limit: limit})
	if err != nil {
		return nil, err
	}
	for _, c := range related.Completions {
		words = append(words, c.Word)
	}
	return words, nil
}

func TestCompletions(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 3, `{"body":"library libraries"}`)
	l.many(t, "b", 5, `{"body":"librarian lib1"}`)
	l.many(t, "c", 1, `{"body":"liberty Äpfel"}`)
	for _, test := range []struct {
		prefix string
		limit  int
		want   []string
	}{
		{"librar", 10, []string{"librarian", "libraries", "library"}},
		{"lib", 2, []string{"lib1", "librarian"}},
		{"apf", 10, []string{"apfel"}},
		{"l", 10, []string{"lib1", "librarian", "libraries", "library", "liberty"}},
		{"liberty", 10, nil},
		{"1", 10, nil},
		{"xyz", 10, nil},
		{"lib%", 10, nil},
	} {
		got, err := l.completions(t, test.prefix, test.limit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.prefix, diff)
		}
	}
}

// No worker runs: each lookup reads, or processes, what was written before it.
func TestDerivedReadAfterWrite(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for _, word := range []string{"television", "microscope", "philharmonic"} {
		l.write(t, word, `{"title":"`+word+` set"}`)
		near, err := l.near(t, []string{word[:4] + word[5:]})
		if err != nil {
			t.Fatal(err)
		}
		if got := near[word[:4]+word[5:]]; len(got) != 1 || got[0].Word != word {
			t.Errorf("near %s: %v", word, got)
		}
		// A changed document counts like a new one.
		l.write(t, "changing", `{"title":"my `+word+`"}`)
		suggestions, _, err := l.Suggest(t.Context(), l.ix, l.version(t), "my "+word[:2], 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"my " + word}, suggestions[:min(1, len(suggestions))]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		l.write(t, "changing", `{"body":"x`+word+`"}`)
		completions, err := l.completions(t, "x"+word[:3], 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"x" + word}, completions); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A search examines a few documents itself; more are processed first.
func TestLoggedWords(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.many(t, "a", 3, `{"body":"television telephone"}`)
	l.settle(t)
	look := func(logged int, want ...string) {
		t.Helper()
		completions, err := l.completions(t, "tele", 3)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, completions); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if n := l.one(t, "SELECT count(*) FROM app_demo_derived.books_changes"); n != logged {
			t.Errorf("%d rows in the log, want %d", n, logged)
		}
	}
	look(0, "telephone", "television")
	l.many(t, "b", 2, `{"body":"telephone telescope"}`)
	look(2, "telephone", "television", "telescope")
	l.write(t, "b0", `{"body":"telescope telegraph telemark"}`)
	look(3, "telephone", "television", "telegraph")
	near, err := l.near(t, []string{"telemak", "televsion"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]service.NearWord{
		"telemak":   {{Word: "telemark", Distance: 1, Documents: 1, Share: 1}},
		"televsion": {{Word: "television", Distance: 1, Documents: 3, Share: 1}},
	}
	if diff := cmp.Diff(want, near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := l.db.Pool.Exec(t.Context(), "DELETE FROM app_demo.books WHERE _id = 'b1'"); err != nil {
		t.Fatal(err)
	}
	look(4, "telephone", "television", "telegraph")
	l.write(t, "large", `{"body":"telescope","ballast":"`+incompressible(40000)+`"}`)
	look(0, "telephone", "television", "telescope")
	l.many(t, "c", 9, `{"body":"telepathy"}`)
	look(0, "telepathy", "telephone", "television")
}

// Documents that changed before they were counted can be searched with typos, too, if there are no others.
func TestTyposOfChangedDocuments(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, "1", `{"body":"television"}`)
	l.write(t, "1", `{"body":"television set"}`)
	l.settle(t)
	near, err := l.near(t, []string{"televsion"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]service.NearWord{"televsion": {{Word: "television", Distance: 1, Documents: 1, Share: 1}}}
	if diff := cmp.Diff(want, near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A search adds the suggestions of a few new documents itself; changes are processed first.
func TestLoggedSuggestions(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, "1", `{"title":"Television"}`)
	l.settle(t)
	look := func(q string, logged int, want ...string) {
		t.Helper()
		list, _, err := l.Suggest(t.Context(), l.ix, l.version(t), q, 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, list); diff != "" {
			t.Errorf("%q (-want +got):\n%s", q, diff)
		}
		if n := l.one(t, "SELECT count(*) FROM app_demo_derived.books_changes"); n != logged {
			t.Errorf("%q: %d rows in the log, want %d", q, n, logged)
		}
	}
	l.write(t, "2", `{"title":"Zebra"}`)
	look("tele", 1, "Television")
	look("a zebra ", 1, "Zebra")
	l.write(t, "2b", `{"title":"ZEBRA"}`)
	l.write(t, "2c", `{"title":"ZEBRA"}`)
	l.write(t, "2d", `{"title":"Zebra finch"}`)
	l.write(t, "2e", `{"title":"Tele vision"}`)
	look("zebra", 5, "ZEBRA", "Zebra finch")
	look("te", 5, "Tele vision", "Television")
	l.write(t, "3", `{"title":"Crane"}`)
	l.write(t, "1", `{"title":"Telescope"}`)
	look("tele", 0, "Tele vision", "Telescope")
	look("zebra", 0, "ZEBRA", "Zebra finch")
	l.write(t, "3", `{"title":"Heron"}`)
	look("crane", 0)
}

// incompressible returns a text of n letters that takes as many bytes when stored.
func incompressible(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + rand.IntN(26))
	}
	return string(b)
}

// While the tables are being recreated, a search has no typos or suggestions, but it does not fail.
func TestDerivedTablesMissing(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, "1", `{"title":"Television"}`)
	if _, err := l.db.Pool.Exec(t.Context(), "DROP TABLE app_demo_derived.books_words, app_demo_derived.books_suggestions"); err != nil {
		t.Fatal(err)
	}
	if near, err := l.near(t, []string{"televsion"}); err != nil || len(near) != 0 {
		t.Error(near, err)
	}
	if list, _, err := l.Suggest(t.Context(), l.ix, l.version(t), "tele", 10); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
	if list, err := l.completions(t, "tele", 10); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
}
