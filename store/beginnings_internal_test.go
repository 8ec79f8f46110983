package store

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Rows tell of each beginning what lexemes begin so, and how often they are in the fields of each document.
func TestBeginningsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const blockSize = 64
		word := rapid.StringOfN(rapid.SampledFrom([]rune("aq1é漢~")), 1, 5, -1)
		type found struct {
			Lexeme        string
			Offset, Field int
			Times         byte
		}
		var all []found
		b := beginningsBuilder{most: 1000}
		b.reset()
		for offset := range blockSize {
			for field := range 2 {
				lexemes := rapid.SliceOfNDistinct(word, 0, 3, rapid.ID[string]).Draw(t, "lexemes")
				slices.Sort(lexemes)
				for _, l := range lexemes {
					times := rapid.IntRange(1, 300).Draw(t, "times")
					b.add([]byte(l), offset, field, times)
					all = append(all, found{l, offset, field, byte(min(times, manyTimes))})
					if times >= aboutTimes {
						all[len(all)-1].Times = manyTimes
					}
				}
			}
		}
		rows := rowsOf(&b)
		prefix := word.Draw(t, "prefix")
		names, ok := beginningNames(prefix)
		if !ok {
			t.Fatalf("%q is no beginning", prefix)
		}
		var got, want []found
		for _, name := range names {
			row := beginnings(rows[name])
			if !row.fits(blockSize, 2) || !slices.Contains(allBeginnings, name) {
				t.Fatalf("row %q does not fit", name)
			}
			row.begun(prefix, func(lexeme []byte, offset, field int, times byte) {
				got = append(got, found{string(lexeme), offset, field, times})
			})
		}
		for _, f := range all {
			if strings.HasPrefix(f.Lexeme, prefix) {
				want = append(want, f)
			}
		}
		order := func(x, y found) int {
			if c := strings.Compare(x.Lexeme, y.Lexeme); c != 0 {
				return c
			}
			return 2*(x.Offset-y.Offset) + x.Field - y.Field
		}
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-want +got)\n%s", prefix, diff)
		}
	})
}

func TestBeginningsThatRowsDoNotTell(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "=ab", "≡ab", strings.Repeat("a", maxBeginning+1)} {
		if _, ok := beginningNames(prefix); ok {
			t.Errorf("rows tell what begins with %q", prefix)
		}
	}
	b := beginningsBuilder{most: 2}
	b.reset()
	for _, l := range []string{"=whole", "one", "two"} {
		b.add([]byte(l), 0, 0, 1)
	}
	if rows := rowsOf(&b); len(rows) != 2 {
		t.Errorf("two words and a whole value make the rows %q", rows)
	}
	b.add([]byte("three"), 0, 0, 1)
	if diff := cmp.Diff(map[string][]byte{beginningsOf: {}}, rowsOf(&b)); diff != "" {
		t.Errorf("three words where two are kept (-want +got)\n%s", diff)
	}
}

// Rows of another form are refused rather than read.
func TestBrokenBeginnings(t *testing.T) {
	t.Parallel()
	whole := binary.AppendUvarint([]byte{2, 'a', 'b'}, 1)
	whole = append(whole, 3, 0, 1, 0, 1)
	if !beginnings(whole).fits(4, 2) {
		t.Error("a row does not fit")
	}
	if beginnings(whole).fits(3, 2) || beginnings(whole).fits(4, 1) {
		t.Error("a row with a document or field that the block does not have fits")
	}
	for n := range len(whole) - 1 {
		if beginnings(whole[:n+1]).fits(4, 2) {
			t.Errorf("the first %d bytes of a row fit", n+1)
		}
	}
}

func rowsOf(b *beginningsBuilder) map[string][]byte {
	rows := map[string][]byte{}
	for name, data := range b.rows {
		rows[name] = slices.Clone(data)
	}
	return rows
}
