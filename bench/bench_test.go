package main

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNDCG(t *testing.T) {
	t.Parallel()
	log3 := math.Log2(3)
	for _, c := range []struct {
		name   string
		ids    []string
		grades map[string]float64
		want   float64
		ok     bool
	}{
		{"ideal", []string{"a", "b"}, map[string]float64{"a": 3, "b": 1}, 1, true},
		{"exchanged", []string{"b", "a"}, map[string]float64{"a": 3, "b": 1}, (1 + 3/log3) / (3 + 1/log3), true},
		{"nothing found", nil, map[string]float64{"a": 1}, 0, true},
		{"behind the tenth", strings.Split("x x x x x x x x x x a", " "), map[string]float64{"a": 1}, 0, true},
		{"nothing relevant", []string{"a"}, map[string]float64{"a": 0}, 0, false},
		{"not judged", []string{"a"}, nil, 0, false},
		{"ideal is of ten", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, map[string]float64{
			"1": 1, "2": 1, "3": 1, "4": 1, "5": 1, "6": 1, "7": 1, "8": 1, "9": 1, "10": 1, "11": 1, "12": 1,
		}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := ndcg(c.ids, c.grades)
			if ok != c.ok || math.Abs(got-c.want) > 1e-12 {
				t.Errorf("ndcg = %v, %v; want %v, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestKnownItems(t *testing.T) {
	t.Parallel()
	search := func(_ context.Context, text string) ([]string, error) { return strings.Fields(text), nil }
	mrr, hits, err := knownItems(t.Context(), [][]string{{"a", "a b"}, {"b", "a b"}, {"c", "a b"}, {"d", ""}}, 1, search)
	if err != nil || mrr != 1.5/4 || hits != 2 {
		t.Errorf("knownItems = %v, %v, %v; want 0.375, 2", mrr, hits, err)
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	var s samples
	if got := s.median(); got != 0 {
		t.Errorf("median of nothing = %v", got)
	}
	for i := 20; i > 0; i-- {
		s.each = append(s.each, time.Duration(i))
	}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 10, 0.95: 19, 1: 20} {
		if got := s.quantile(q); got != want {
			t.Errorf("quantile(%v) = %d, want %d", q, got, want)
		}
	}
}

func TestVersusDoesEachPieceOnBothSides(t *testing.T) {
	t.Parallel()
	var a, b []int
	of, err := versus(t.Context(), 1, 7, time.Hour,
		func(_ context.Context, i int) error { a = append(a, i); return nil },
		func(_ context.Context, i int) error { b = append(b, i); return nil })
	if err != nil || len(of[0].each) != 7 || len(of[1].each) != 7 {
		t.Fatalf("versus measured %d and %d pieces, %v", len(of[0].each), len(of[1].each), err)
	}
	want := []int{0, 1, 2, 3, 4, 5, 6}
	if diff := cmp.Diff([][]int{want, want}, [][]int{a, b}); diff != "" {
		t.Error(diff)
	}
	broken := errors.New("broken")
	_, err = versus(t.Context(), 4, 7, time.Hour,
		func(context.Context, int) error { return broken }, func(context.Context, int) error { return nil })
	if !errors.Is(err, broken) {
		t.Errorf("versus = %v, want the error of the work", err)
	}
}

// The last batch has what is left, and does not count as a whole one.
func TestDocumentsOfBatches(t *testing.T) {
	t.Parallel()
	parts := batches(make([]document, 1100), 1000)
	if first, all := documentsIn(parts[:1]), documentsIn(parts); len(parts) != 2 || first != 1000 || all != 1100 {
		t.Errorf("%d batches of %d and %d documents, want 2 of 1000 and 1100", len(parts), first, all)
	}
}

func TestReplaceSection(t *testing.T) {
	t.Parallel()
	page := replaceSection("# Page\n", "one", "first")
	page = replaceSection(page, "two", "second")
	page = replaceSection(page, "one", "third\n\n")
	want := "# Page\n\n<!-- bench:one -->\nthird\n<!-- /bench:one -->\n\n<!-- bench:two -->\nsecond\n<!-- /bench:two -->\n"
	if diff := cmp.Diff(want, page); diff != "" {
		t.Error(diff)
	}
}

func TestMappings(t *testing.T) {
	t.Parallel()
	c := &command{
		Relevance: []string{"sets/one", "sets/two"},
		Mapping:   []string{"title:sentence", "one/text:long_text", "two/a:b:keyword", "other/x:text"},
	}
	for set, want := range map[string][]mapping{
		"":    {{"title", "sentence"}, {"other/x", "text"}},
		"one": {{"title", "sentence"}, {"text", "long_text"}, {"other/x", "text"}},
		"two": {{"title", "sentence"}, {"a:b", "keyword"}, {"other/x", "text"}},
	} {
		got, err := c.mappingsOf(set)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", set, diff)
		}
	}
	if _, err := (&command{Mapping: []string{"title"}}).mappingsOf(""); err == nil {
		t.Error("a mapping without a type was taken")
	}
}

func TestClassesDoNotOverlap(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1000, 4000, 20000, 100000, 1000000} {
		end := int64(0)
		for _, c := range classesOf(n) {
			if c.from <= end || c.to < c.from {
				t.Errorf("%d documents: %s is from %d to %d, after %d", n, c.name, c.from, c.to, end)
			}
			end = c.to
		}
	}
}

func TestBegun(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"quantum gravity": "quantum grav", "spin": "spi", "a cat": "a cat", "": "", "zürich": "zür",
	} {
		if got := begun(text); got != want {
			t.Errorf("begun(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCopyText(t *testing.T) {
	t.Parallel()
	got := string(copyText([]document{{"a\tb", []byte(`{"x":"1\n2"}`)}, {`c\d`, []byte(`{}`)}}))
	want := "a\\tb\t{\"x\":\"1\\\\n2\"}\nc\\\\d\t{}\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestGeneratedIsRepeatable(t *testing.T) {
	t.Parallel()
	c := generated(1000, 7)
	once, err := c.read(50)
	if err != nil {
		t.Fatal(err)
	}
	again, err := generated(1000, 7).read(50)
	if err != nil {
		t.Fatal(err)
	}
	for i := range once {
		if once[i].id != again[i].id || string(once[i].body) != string(again[i].body) {
			t.Fatalf("document %d differs: %s, %s", i, once[i].body, again[i].body)
		}
	}
	other, err := generated(1000, 8).read(1)
	if err != nil || string(other[0].body) == string(once[0].body) {
		t.Errorf("another seed gives the same document, or %v", err)
	}
}

func TestLanguagesOfSets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags     []string
		set, want string
	}{
		{nil, "", "english"},
		{[]string{"german"}, "", "german"},
		{[]string{"german"}, "films", "german"},
		{[]string{"films/french", "german"}, "films", "french"},
		{[]string{"films/french", "german"}, "books", "german"},
		{[]string{"films/french"}, "", "english"},
	} {
		if got := (&command{Language: c.flags}).languageOf(c.set); got != c.want {
			t.Errorf("--language %v is %s for %q, want %s", c.flags, got, c.set, c.want)
		}
	}
}
