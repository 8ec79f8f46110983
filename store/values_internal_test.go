package store

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/posting"
)

func TestValuesRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const blockSize = 128
		word := rapid.StringMatching(`[a-c]{1,2}`)
		documents := rapid.SliceOfN(rapid.SliceOfNDistinct(word, 0, 3, rapid.ID), 0, blockSize).Draw(t, "documents")
		b := newValuesBuilder(blockSize, maxBlockValues)
		want := newFacetCount()
		for i, list := range documents {
			for _, v := range list {
				b.add([]byte(v), []byte("("+v+")"))
				want.values[fieldValue{v, "(" + v + ")"}]++
			}
			b.end(i)
		}
		v, err := decodeValues(b.encode(), blockSize)
		if err != nil {
			t.Fatal(err)
		}
		all := posting.NewBitmap(blockSize)
		for i := range documents {
			all.Set(i)
		}
		got := newFacetCount()
		got.count(v, all, &tallySpace{})
		if diff := cmp.Diff(want.values, got.values, cmp.AllowUnexported(fieldValue{})); diff != "" {
			t.Fatal(diff)
		}
		all.Clear(0)
		has := v.choose(all, func(v fieldValue) bool { return v.key > "b" })
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
		keys := keyRange{bound("low"), bound("high"), rapid.Bool().Draw(t, "without low"), rapid.Bool().Draw(t, "without high")}
		within := v.within(all, keys)
		for i := range blockSize {
			if want := i > 0 && i < len(documents) && slices.ContainsFunc(documents[i], keys.has); within.Has(i) != want {
				t.Fatalf("document %d is in the range: %t, want %t", i, within.Has(i), want)
			}
		}
		for _, desc := range []bool{false, true} {
			by, sets := &sortedBy{desc: desc}, v.sortedSets(desc)
			if len(sets) != v.sets() || !slices.IsSortedFunc(sets, func(a, b uint16) int { return by.compare(v.sortKey(int(a), desc), v.sortKey(int(b), desc)) }) {
				t.Fatalf("descending %t: the sets are not sorted: %v", desc, sets)
			}
		}
	})
}

// The set of a document takes two bytes from the 257th set on.
func TestValuesOfAsManySetsAsBytesTell(t *testing.T) {
	t.Parallel()
	var space tallySpace // of one count after another
	for _, sets := range []int{257, 255, 256} {
		const blockSize = 512
		b := newValuesBuilder(blockSize, maxBlockValues)
		for i := range sets - 1 { // besides that of no value
			b.add([]byte(strconv.Itoa(i)), nil)
			b.end(i)
		}
		v, err := decodeValues(b.encode(), blockSize)
		if err != nil {
			t.Fatalf("%d sets: %v", sets, err)
		}
		all := posting.NewBitmap(blockSize)
		for i := range sets - 1 {
			all.Set(i)
		}
		counts := newFacetCount()
		if counts.count(v, all, &space); v.sets() != sets || len(counts.values) != sets-1 {
			t.Errorf("%d sets are %d, and %d values", sets, v.sets(), len(counts.values))
		}
		for offset, set := range v.setsOf(all) {
			if want := strconv.Itoa(offset); v.value(int(v.set(set)[0])).key != want {
				t.Errorf("of %d sets document %d has %q", sets, offset, v.value(int(v.set(set)[0])).key)
			}
		}
	}
}

// Ranges of keys are those of the numbers, each end with and without what it names.
func TestRangesOfKeys(t *testing.T) {
	t.Parallel()
	if floatKey(math.Copysign(0, -1)) != floatKey(0) {
		t.Error("the two zeros have different keys")
	}
	numbers := []string{"-1e12", "-7.25", "-0", "0", "0.1", "0.2", "7", "70"}
	for _, low := range numbers {
		for _, high := range numbers {
			for open := range 4 {
				c := filter.Range{Kind: mapping.KindNumber, Low: &filter.Value{Number: low}, High: &filter.Value{Number: high}, LowOpen: open&1 != 0, HighOpen: open&2 != 0}
				keys, ok := keysWithin(c)
				if !ok {
					t.Fatalf("%+v has no keys", c)
				}
				for _, number := range numbers {
					key, ok := numberKey(number)
					n, from, to := parsed(t, number), parsed(t, low), parsed(t, high)
					want := (n > from || n == from && !c.LowOpen) && (n < to || n == to && !c.HighOpen)
					if !ok || keys.has(key) != want {
						t.Errorf("%s between %s and %s, of which %02b are left out: %t", number, low, high, open, !want)
					}
				}
			}
		}
	}
}

func parsed(t *testing.T, number string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What ends before its documents, or has more of them than a block, does not decode, and nothing makes decoding panic.
func TestBadValuesDoNotDecode(t *testing.T) {
	t.Parallel()
	const blockSize = 64
	b := newValuesBuilder(blockSize, maxBlockValues)
	for i := range blockSize {
		b.add([]byte{'a' + byte(i%3)}, []byte("A"))
		b.add([]byte("d"), nil)
		b.end(i)
	}
	whole := b.encode()
	for size := range len(whole) - blockSize {
		if _, err := decodeValues(whole[:size], blockSize); !errors.Is(err, errValues) {
			t.Errorf("%d of %d bytes: %v", size, len(whole), err)
		}
	}
	if _, err := decodeValues(whole, blockSize); err != nil {
		t.Error(err)
	}
	if _, err := decodeValues(whole, blockSize-1); !errors.Is(err, errValues) {
		t.Errorf("one document too many: %v", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		if v, err := decodeValues(data, 64); err == nil && v == nil {
			t.Fatal("neither values nor an error")
		}
	})
}

func TestFacetsTakeSpellingsTogether(t *testing.T) {
	t.Parallel()
	got := facetCounts{values: map[fieldValue]int64{{"a", "A"}: 2, {"a", "a"}: 3, {"b", "B"}: 5, {"c", "c"}: 9}}.top(2)
	want := []facetCount{{"c", "c", 9, 9}, {"a", "a", 5, 3}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(facetCount{})); diff != "" {
		t.Error(diff)
	}
}

func TestTimeKeysOrder(t *testing.T) {
	t.Parallel()
	last := ""
	for _, n := range []int64{-1 << 63, -5, -1, 0, 1, 256, 1 << 40, 1<<63 - 1} {
		if key := orderedKey(n); key <= last && n != -1<<63 {
			t.Errorf("the key of %d does not come after the one before", n)
		} else {
			last = key
		}
	}
}
