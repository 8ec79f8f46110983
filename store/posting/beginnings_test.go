package posting

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Rows have, for each prefix, the lexemes that begin with it, and how often they occur in the fields of each document.
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
		b := BeginningsBuilder{Most: 1000}
		b.Reset()
		for offset := range blockSize {
			for field := range 2 {
				lexemes := rapid.SliceOfNDistinct(word, 0, 3, rapid.ID[string]).Draw(t, "lexemes")
				slices.Sort(lexemes)
				for _, l := range lexemes {
					times := rapid.IntRange(1, 300).Draw(t, "times")
					b.Add([]byte(l), offset, field, times)
					all = append(all, found{l, offset, field, byte(min(times, ManyTimes))})
					if times >= AboutTimes {
						all[len(all)-1].Times = ManyTimes
					}
				}
			}
		}
		rows := rowsOf(&b)
		prefix := word.Draw(t, "prefix")
		names, ok := BeginningNames(prefix)
		if !ok {
			t.Fatalf("%q is no beginning", prefix)
		}
		var got, want []found
		for _, name := range names {
			row := Beginnings(rows[name])
			if !row.Fits(blockSize, 2) || !slices.Contains(AllBeginnings, name) {
				t.Fatalf("row %q does not fit", name)
			}
			row.Begun(prefix, func(lexeme []byte, offset, field int, times byte) {
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
		if _, ok := BeginningNames(prefix); ok {
			t.Errorf("rows tell what begins with %q", prefix)
		}
	}
	b := BeginningsBuilder{Most: 2}
	b.Reset()
	for _, l := range []string{"=whole", "one", "two"} {
		b.Add([]byte(l), 0, 0, 1)
	}
	if rows := rowsOf(&b); len(rows) != 2 {
		t.Errorf("two words and a whole value make the rows %q", rows)
	}
	b.Add([]byte("three"), 0, 0, 1)
	if diff := cmp.Diff(map[string][]byte{BeginningsOf: {}}, rowsOf(&b)); diff != "" {
		t.Errorf("three words where two are kept (-want +got)\n%s", diff)
	}
}

// Rows of another form are rejected.
func TestBrokenBeginnings(t *testing.T) {
	t.Parallel()
	whole := binary.AppendUvarint([]byte{2, 'a', 'b'}, 1)
	whole = append(whole, 3, 0, 1, 0, 1)
	if !Beginnings(whole).Fits(4, 2) {
		t.Error("a row does not fit")
	}
	if Beginnings(whole).Fits(3, 2) || Beginnings(whole).Fits(4, 1) {
		t.Error("a row with a document or field that the block does not have fits")
	}
	for n := range len(whole) - 1 {
		if Beginnings(whole[:n+1]).Fits(4, 2) {
			t.Errorf("the first %d bytes of a row fit", n+1)
		}
	}
}

func rowsOf(b *BeginningsBuilder) map[string][]byte {
	rows := map[string][]byte{}
	for name, data := range b.Rows {
		rows[name] = slices.Clone(data)
	}
	return rows
}
