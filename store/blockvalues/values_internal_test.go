package blockvalues

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/store/posting"
)

func TestValuesRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const blockSize = 128
		word := rapid.StringMatching(`[a-c]{1,2}`)
		documents := rapid.SliceOfN(rapid.SliceOfNDistinct(word, 0, 3, rapid.ID), 0, blockSize).Draw(t, "documents")
		b := NewBuilder(blockSize, MaxValues)
		want := NewCounts()
		for i, list := range documents {
			for _, v := range list {
				b.Add([]byte(v), []byte("("+v+")"))
				want.Values[Value{v, "(" + v + ")"}]++
			}
			b.End(i)
		}
		v, err := Decode(b.Encode(), blockSize)
		if err != nil {
			t.Fatal(err)
		}
		all := posting.NewBitmap(blockSize)
		for i := range documents {
			all.Set(i)
		}
		got := NewCounts()
		got.Count(v, all, &Space{})
		if diff := cmp.Diff(want.Values, got.Values, cmp.AllowUnexported(Value{})); diff != "" {
			t.Fatal(diff)
		}
		all.Clear(0)
		has := v.Choose(all, func(v Value) bool { return v.Key > "b" })
		for i := range blockSize {
			if want := i > 0 && i < len(documents) && slices.ContainsFunc(documents[i], func(v string) bool { return v > "b" }); has.Has(i) != want {
				t.Fatalf("document %d was chosen: %t, want %t", i, has.Has(i), want)
			}
		}
		bound := func(name string) *string {
			if rapid.Bool().Draw(t, name+" is open") {
				return nil
			}
			return new(word.Draw(t, name))
		}
		keys := KeyRange{bound("low"), bound("high"), rapid.Bool().Draw(t, "without low"), rapid.Bool().Draw(t, "without high")}
		within := v.Within(all, keys)
		for i := range blockSize {
			if want := i > 0 && i < len(documents) && slices.ContainsFunc(documents[i], keys.Has); within.Has(i) != want {
				t.Fatalf("document %d is in the range: %t, want %t", i, within.Has(i), want)
			}
		}
		for _, desc := range []bool{false, true} {
			by, sets := &Order{Desc: desc}, v.sortedSets(desc)
			if len(sets) != v.Sets() || !slices.IsSortedFunc(sets, func(a, b uint16) int { return by.Compare(v.SortKey(int(a), desc), v.SortKey(int(b), desc)) }) {
				t.Fatalf("descending %t: the sets are not sorted: %v", desc, sets)
			}
		}
	})
}

// The set of a document takes two bytes from the 257th set on.
func TestValuesOfAsManySetsAsBytesTell(t *testing.T) {
	t.Parallel()
	var space Space // of consecutive counts
	for _, sets := range []int{257, 255, 256} {
		const blockSize = 512
		b := NewBuilder(blockSize, MaxValues)
		for i := range sets - 1 { // in addition to the set without values
			b.Add([]byte(strconv.Itoa(i)), nil)
			b.End(i)
		}
		v, err := Decode(b.Encode(), blockSize)
		if err != nil {
			t.Fatalf("%d sets: %v", sets, err)
		}
		all := posting.NewBitmap(blockSize)
		for i := range sets - 1 {
			all.Set(i)
		}
		counts := NewCounts()
		if counts.Count(v, all, &space); v.Sets() != sets || len(counts.Values) != sets-1 {
			t.Errorf("%d sets are %d, and %d values", sets, v.Sets(), len(counts.Values))
		}
		for offset, set := range v.SetsOf(all) {
			if want := strconv.Itoa(offset); v.value(int(v.Set(set)[0])).Key != want {
				t.Errorf("of %d sets document %d has %q", sets, offset, v.value(int(v.Set(set)[0])).Key)
			}
		}
	}
}

// Data that ends too soon, or has more documents than a block, does not decode, and no data makes decoding panic.
func TestBadValuesDoNotDecode(t *testing.T) {
	t.Parallel()
	const blockSize = 64
	b := NewBuilder(blockSize, MaxValues)
	for i := range blockSize {
		b.Add([]byte{'a' + byte(i%3)}, []byte("A"))
		b.Add([]byte("d"), nil)
		b.End(i)
	}
	whole := b.Encode()
	for size := range len(whole) - blockSize {
		if _, err := Decode(whole[:size], blockSize); !errors.Is(err, ErrForm) {
			t.Errorf("%d of %d bytes: %v", size, len(whole), err)
		}
	}
	if _, err := Decode(whole, blockSize); err != nil {
		t.Error(err)
	}
	if _, err := Decode(whole, blockSize-1); !errors.Is(err, ErrForm) {
		t.Errorf("one document too many: %v", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		if v, err := Decode(data, 64); err == nil && v == nil {
			t.Fatal("neither values nor an error")
		}
	})
}

func TestFacetsTakeSpellingsTogether(t *testing.T) {
	t.Parallel()
	got := Counts{Values: map[Value]int64{{"a", "A"}: 2, {"a", "a"}: 3, {"b", "B"}: 5, {"c", "c"}: 9}}.Top(2)
	want := []ValueCount{{"c", "c", 9, 9}, {"a", "a", 5, 3}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(ValueCount{})); diff != "" {
		t.Error(diff)
	}
}

func TestTimeKeysOrder(t *testing.T) {
	t.Parallel()
	last := ""
	for _, n := range []int64{-1 << 63, -5, -1, 0, 1, 256, 1 << 40, 1<<63 - 1} {
		if key := MicrosKey(n); key <= last && n != -1<<63 {
			t.Errorf("the key of %d does not come after the one before", n)
		} else {
			last = key
		}
	}
}
