package pgbinary_test

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/store/pgbinary"
)

// found is a lexeme with its positions in a vector.
type found struct {
	Lexeme string
	Count  int
	Places []int
}

func lexemesOf(raw []byte) (list []found, err error) {
	err = pgbinary.EachLexeme(raw, func(lexeme []byte, o pgbinary.Occurrences) {
		f := found{Lexeme: string(lexeme), Count: o.Count}
		for i := range len(o.Positions) / 2 {
			f.Places = append(f.Places, o.Position(i))
		}
		list = append(list, f)
	})
	return list, err
}

// vector returns what PostgreSQL sends for 'plain':1,3A 'sort':16383 'bare'.
func vector() []byte {
	raw := binary.BigEndian.AppendUint32(nil, 3)
	raw = append(raw, "plain\x00\x00\x02\x00\x01\xc0\x03"...)
	raw = append(raw, "sort\x00\x00\x01\x3f\xff"...)
	return append(raw, "bare\x00\x00\x00"...)
}

func TestLexemes(t *testing.T) {
	t.Parallel()
	got, err := lexemesOf(vector())
	want := []found{{"plain", 2, []int{1, 3}}, {"sort", 1, []int{16383}}, {"bare", 1, nil}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if n := pgbinary.CountLexemes(vector()); n != 3 {
		t.Errorf("%d lexemes", n)
	}
	if list, err := lexemesOf(nil); len(list) > 0 || err != nil {
		t.Errorf("a null has %v, %v", list, err)
	}
	for n := 4; n < len(vector()); n++ {
		if _, err := lexemesOf(vector()[:n]); err == nil {
			t.Errorf("the first %d bytes are a vector", n)
		}
	}
	err = pgbinary.EachLexeme(vector(), func(lexeme []byte, o pgbinary.Occurrences) {
		if plain := string(lexeme) == "plain"; o.At(3) != plain || o.At(2) {
			t.Errorf("%q is at 3: %v, at 2: %v", lexeme, o.At(3), o.At(2))
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// array returns what PostgreSQL sends for a one-dimensional array; a nil element is null.
func array(elements ...[]byte) []byte {
	var raw []byte
	for _, n := range []uint32{1, 1, 25, uint32(len(elements)), 1} {
		raw = binary.BigEndian.AppendUint32(raw, n)
	}
	for _, e := range elements {
		if e == nil {
			raw = binary.BigEndian.AppendUint32(raw, 1<<32-1)
			continue
		}
		raw = append(binary.BigEndian.AppendUint32(raw, uint32(len(e))), e...)
	}
	return raw
}

func TestElements(t *testing.T) {
	t.Parallel()
	elementsOf := func(raw []byte) (list [][]byte, err error) {
		err = pgbinary.EachElement(raw, func(e []byte) { list = append(list, e) })
		return list, err
	}
	want := [][]byte{[]byte("one"), nil, {}}
	got, err := elementsOf(array(want...))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	whole := array(want...)
	for n := range whole {
		if _, err := elementsOf(whole[:n]); err == nil {
			t.Errorf("the first %d bytes are an array", n)
		}
	}
	if list, err := elementsOf(make([]byte, 12)); len(list) > 0 || err != nil {
		t.Errorf("an empty array has %q, %v", list, err)
	}
	square := array(want...)
	square[3] = 2
	if _, err := elementsOf(square); err == nil {
		t.Error("an array of two dimensions is read as one of one")
	}
}
