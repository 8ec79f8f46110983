package spelling

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/analysis"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"quantum", "quantum", 0},
		{"quantm", "quantum", 1},
		{"quantuum", "quantum", 1},
		{"quontum", "quantum", 1},
		{"qunatum", "quantum", 1},
		{"telivisoin", "television", 2},
		{"juantum", "quantum", 2}, // a wrong first letter counts as two
		{"uantum", "quantum", 2},
		{"xquantum", "quantum", 2},
		{"uqantum", "quantum", 2},
		{"juantm", "quantum", 3},
		{"naïve", "naive", 1},
		{"ab", "abcdef", 3},
		{"completely", "different", 3},
		{"", "a", 3},
	} {
		for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if got := Distance(pair[0], pair[1], 2); got != test.want {
				t.Errorf("Distance(%q, %q) = %d, want %d", pair[0], pair[1], got, test.want)
			}
		}
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]int{"cat": 0, "lion": 1, "leopard": 1, "elephant": 2, "mp3player": 0, "été": 0, "слон": 1,
		"слонёнок": 2, "well-known": 0, "": 0, "azaz": 1, "az[a": 0, "az`a": 0, "слон٣": 0, "ne\u0301e": 1, strings.Repeat("a", typoMax+2): 2, strings.Repeat("a", typoMax+3): 0} {
		if got := Limit(word); got != want {
			t.Errorf("Limit(%q) = %d, want %d", word, got, want)
		}
	}
}

func TestMayBeMeant(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"at": false, "cat": true, "zoo": true, "mp3": false, strings.Repeat("a", typoMax): true, strings.Repeat("a", typoMax+1): false} {
		if got := MayBeMeant(word, len(word)); got != want {
			t.Errorf("MayBeMeant(%q) = %t", word, got)
		}
	}
	for word, want := range map[string]bool{"blue": false, "bluet": true, "blue5": false, "синий": true} {
		if got := MayBeBegunWrong(word); got != want {
			t.Errorf("MayBeBegunWrong(%q) = %t", word, got)
		}
	}
}

// Whatever is close enough to a word shares a hash with it, or is among the words to look up directly.
func TestKeysFindAll(t *testing.T) {
	t.Parallel()
	letter := rapid.SampledFrom([]rune("aabcdeé"))
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SliceOfN(letter, meantMin, 14).Draw(t, "word")
		query := slices.Clone(word)
		for range rapid.IntRange(1, 2).Draw(t, "errors") {
			query = mistyped(t, query, letter)
		}
		q, w := string(query), string(word)
		limit := Limit(q)
		if d := Distance(q, w, 2); d == 0 || d > limit {
			t.Skip("not close")
		}
		if !finds(q, w) {
			t.Fatalf("%q is not found by %q", w, q)
		}
	})
}

// finds reports whether a query shares a hash with a word, or looks it up directly.
func finds(query, word string) bool {
	keys, others := QueryKeys(query, Limit(query))
	index := IndexKeys(word)
	return slices.Contains(others, word) || slices.ContainsFunc(keys, func(k int32) bool { return slices.Contains(index, k) })
}

// The same holds for the result of any one or two errors in words of each relevant length.
func TestKeysFindEachError(t *testing.T) {
	t.Parallel()
	const letters = "abcdefghijkl"
	errors := func(word string) (list []string) {
		for i := range word {
			list = append(list, word[:i]+word[i+1:], word[:i]+"x"+word[i+1:], word[:i]+"x"+word[i:])
			if i > 0 {
				list = append(list, word[:i-1]+word[i:i+1]+word[i-1:i]+word[i+1:])
			}
		}
		return append(list, word+"x")
	}
	for n := meantMin; n <= len(letters); n++ {
		word, found := letters[:n], 0
		for _, once := range errors(word) {
			for _, query := range append(errors(once), once) {
				if d := Distance(query, word, 2); d == 0 || d > Limit(query) {
					continue
				}
				if found++; !finds(query, word) {
					t.Errorf("%q is not found by %q", word, query)
				}
			}
		}
		if found == 0 {
			t.Errorf("nothing is taken for %q", word)
		}
	}
}

// mistyped makes a typing error.
func mistyped(t *rapid.T, query []rune, letter *rapid.Generator[rune]) []rune {
	at := rapid.IntRange(0, len(query)-1).Draw(t, "at")
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		query[at] = letter.Draw(t, "letter")
	case 1:
		return slices.Insert(query, at, letter.Draw(t, "letter"))
	case 2:
		return slices.Delete(query, at, at+1)
	case 3:
		if at+1 < len(query) {
			query[at], query[at+1] = query[at+1], query[at]
		}
	}
	return query
}

// The same holds for a word that has a prefix close to the query.
func TestKeysFindAllThatBeginSo(t *testing.T) {
	t.Parallel()
	letter := rapid.SampledFrom([]rune("aabcdeé"))
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SliceOfN(letter, begunMin, 14).Draw(t, "word")
		begun := mistyped(t, slices.Clone(word[:rapid.IntRange(begunMin-1, len(word)).Draw(t, "letters")]), letter)
		b, w := string(begun), string(word)
		if !MayBeBegunWrong(b) || !BeginsNear(b, w) {
			t.Skip("not close")
		}
		keys, _ := QueryKeys(b, Limit(b))
		index := IndexKeys(w)
		if !slices.ContainsFunc(keys, func(k int32) bool { return slices.Contains(index, k) }) {
			t.Fatalf("%q is not found by %q", w, b)
		}
	})
}

func TestBeginsNear(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		begun, word string
		want        bool
	}{
		{"bleut", "bluetooth", true},
		{"bluto", "bluetooth", true},
		{"blueot", "bluetooth", true},
		{"bluxt", "bluetooth", true},
		{"bluett", "bluetooth", true},
		{"bluetx", "bluetooth", true},
		{"bletx", "bluetooth", false},
		{"luetoo", "bluetooth", false}, // a wrong first letter counts as two
		{"xluetoo", "bluetooth", false},
		{"bluetoth", "bluetooth", true},
		{"bluetoothx", "bluetooth", false}, // it is not a prefix
		{"bluetooot", "bluetooth", true},
		{"proemiu", "premium", true},
		{"proemium", "premium", false},
		{"premxum", "premium", false},
		{"bluet", "bluetooth5", false},
	} {
		if got := BeginsNear(test.begun, test.word); got != test.want {
			t.Errorf("beginsNear(%q, %q) = %t", test.begun, test.word, got)
		}
	}
}

// A compound is found by the key of every noun that is within it.
func TestWithinKey(t *testing.T) {
	t.Parallel()
	found := 0
	for _, word := range []string{"김치냉장고", "김치냉장고를", "무선이어폰", "국립중앙박물관", "신제품들", strings.Repeat("가나", 12), "신제품", "서울"} {
		letters := []rune(word)
		keys := IndexKeys(word)
		for from := range letters {
			for to := from + 2; to <= len(letters); to++ {
				if noun := string(letters[from:to]); analysis.Within(word, noun) {
					found++
					if !slices.Contains(keys, WithinKey(noun)) {
						t.Errorf("%s is not found by %s", word, noun)
					}
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d were compared", found)
	}
}
