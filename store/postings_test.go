package store

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPostingsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const blockSize = 256
		impacts := rapid.MapOfN(rapid.IntRange(0, blockSize-1), rapid.Float32Range(1e-6, 2000), 1, blockSize).Draw(t, "impacts")
		var list []posting
		all := newBitmap(blockSize)
		for offset := range blockSize {
			if impact, ok := impacts[offset]; ok {
				list = append(list, newPosting(offset, impact))
				all.set(offset)
			}
		}
		top, data := encodePostings(list, blockSize)
		p, ok := decodePostings(len(list), top, data, blockSize)
		if !ok {
			t.Fatal("what was encoded does not decode")
		}
		has := newBitmap(blockSize)
		p.addTo(has)
		if diff := cmp.Diff(all, has); diff != "" {
			t.Fatal(diff)
		}
		wanted := newBitmap(blockSize)
		for _, offset := range rapid.SliceOf(rapid.IntRange(0, blockSize-1)).Draw(t, "wanted") {
			wanted.set(offset)
		}
		kept, both := slices.Clone(wanted), slices.Clone(wanted)
		if listed(p.documents, blockSize) {
			p.keepIn(kept)
		} else {
			kept.and(has)
		}
		both.and(all)
		if diff := cmp.Diff(both, kept); diff != "" {
			t.Fatal(diff)
		}
		sums := make([]float32, blockSize)
		p.addLevels(wanted, levelSums{sums: sums, of: func(impact float32) float32 { return 2 * impact }})
		for offset, sum := range sums {
			least, most := float32(0), float32(0)
			if impact, ok := impacts[offset]; ok && wanted.has(offset) {
				// One level of the largest, besides what the short form of a posting adds.
				least, most = 2*impact*0.999, 2*(impact*1.01+top*1.01/impactLevels)
			}
			if sum < least || sum > most {
				t.Fatalf("the sum at %d is %g, want %g to %g", offset, sum, least, most)
			}
		}
		if _, ok := decodePostings(len(list)+1, top, data, blockSize); ok {
			t.Fatal("postings of another number of documents decode")
		}
	})
}

func TestValuesRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const blockSize = 128
		word := rapid.StringMatching(`[a-c]{1,2}`)
		documents := rapid.SliceOfN(rapid.SliceOfNDistinct(word, 0, 3, rapid.ID), 0, blockSize).Draw(t, "documents")
		b := newValuesBuilder(blockSize)
		want := facetCounts{}
		for i, list := range documents {
			for _, v := range list {
				b.add([]byte(v), []byte("("+v+")"))
				want[fieldValue{v, "(" + v + ")"}]++
			}
			b.end(i)
		}
		v, err := decodeValues(b.encode(), blockSize)
		if err != nil {
			t.Fatal(err)
		}
		all := newBitmap(blockSize)
		for i := range blockSize {
			all.set(i)
		}
		got := facetCounts{}
		got.count(v, all)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(fieldValue{})); diff != "" {
			t.Fatal(diff)
		}
		all.clear(0)
		has := v.choose(all, func(v fieldValue) bool { return v.key > "b" })
		for i := range blockSize {
			if want := i > 0 && i < len(documents) && slices.ContainsFunc(documents[i], func(v string) bool { return v > "b" }); has.has(i) != want {
				t.Fatalf("document %d was chosen: %t, want %t", i, has.has(i), want)
			}
		}
	})
}

func TestBadValuesDoNotDecode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		if v, err := decodeValues(data, 64); err == nil && v == nil {
			t.Fatal("neither values nor an error")
		}
	})
}

func TestFacetsTakeSpellingsTogether(t *testing.T) {
	t.Parallel()
	got := facetCounts{{"a", "A"}: 2, {"a", "a"}: 3, {"b", "B"}: 5, {"c", "c"}: 9}.top(2)
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
