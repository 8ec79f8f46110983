package store

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

func TestPostingsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const blockSize, fields = 512, 3
		different := rapid.SampledFrom([]byte{1, 3, manyTimes}).Draw(t, "different")
		pattern := rapid.SliceOfN(rapid.ByteMax(different), fields, fields).Filter(func(p []byte) bool { return slices.Max(p) > 0 })
		patterns := rapid.MapOfN(rapid.IntRange(0, blockSize-1), pattern, 1, blockSize).Draw(t, "patterns")
		var coder patternCoder
		coder.patterns.reset(fields)
		var list []posting
		all := newBitmap(blockSize)
		for offset := range blockSize {
			if pattern, ok := patterns[offset]; ok {
				place, err := coder.patterns.place(slices.Clone(pattern))
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, posting{offset: uint16(offset), pattern: place})
				all.set(offset)
			}
		}
		data := coder.encode(list, blockSize)
		p, ok := decodePostings(len(list), data, blockSize)
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
		var codes codeList
		codes.take(p, wanted)
		got := map[int][]byte{}
		for i, offset := range codes.offsets {
			pattern := make([]byte, fields)
			for field := range pattern {
				if column := p.column(field); column >= 0 {
					pattern[field] = p.patterns[int(codes.codes[i])*p.width()+column]
				}
			}
			got[int(offset)] = pattern
		}
		want := map[int][]byte{}
		both.each(func(offset int) { want[offset] = patterns[offset] })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if _, ok := decodePostings(len(list)+1, data, blockSize); ok {
			t.Fatal("postings of another number of documents decode")
		}
	})
}

// Of more patterns than can be told apart the fields stay known, and the counts bound all.
func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	var table patternTable
	table.reset(3)
	coarse := 0
	for n := 1; n < 1<<17; n++ {
		pattern := []byte{byte(n), byte(n >> 8), byte(n >> 16)}
		place, err := table.place(slices.Clone(pattern))
		if err != nil {
			t.Fatal(err)
		}
		got := table.of(place)
		if !slices.Equal(got, pattern) {
			coarse++
		}
		for i, times := range pattern {
			if got[i] < times && (got[i] < aboutTimes || mostOf(got[i]) < int(times)) || (got[i] > 0) != (times > 0) || got[i] != times && got[i] < aboutTimes {
				t.Fatalf("%v became %v", pattern, got)
			}
		}
	}
	if coarse == 0 || coarse > 1<<17-maxPatterns {
		t.Errorf("%d patterns were not told apart", coarse)
	}
}

// Of more sets of fields than can be numbered no postings are made.
func TestTooManySetsOfFields(t *testing.T) {
	t.Parallel()
	const fields = 17
	var table patternTable
	table.reset(fields)
	for n := 1; n < 1<<fields; n++ {
		pattern := make([]byte, fields)
		for i := range pattern {
			pattern[i] = byte(n >> i & 1)
		}
		if _, err := table.place(pattern); err != nil {
			if n < maxPatterns {
				t.Errorf("only %d sets have room", n)
			}
			return
		}
	}
	t.Error("all have room")
}

func TestMeasuresRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const blockSize = 128
		lengths := rapid.MapOfN(rapid.IntRange(0, blockSize-1), rapid.Uint16(), 1, blockSize).Draw(t, "lengths")
		boosts := make([]float32, blockSize)
		some := rapid.SampledFrom([][]float32{{1}, {0.5, 1, 3}}).Draw(t, "boosts")
		all := make([]uint16, blockSize)
		var list []posting
		for offset := range blockSize {
			if length, ok := lengths[offset]; ok {
				list = append(list, posting{offset: uint16(offset)})
				all[offset], boosts[offset] = length, some[offset%len(some)]
			}
		}
		data := encodeMeasures(list, all, boosts, blockSize)
		p, m, ok := decodeMeasures(len(list), data, blockSize)
		if !ok {
			t.Fatal("what was encoded does not decode")
		}
		has := newBitmap(blockSize)
		p.addTo(has)
		for offset := range blockSize {
			length, there := lengths[offset]
			if has.has(offset) != there || there && (binary.LittleEndian.Uint16(m.lengths[2*offset:]) != length || m.boost(offset) != boosts[offset]) {
				t.Fatalf("the measures at %d are others", offset)
			}
		}
		if _, _, ok := decodeMeasures(len(list), data[1:], blockSize); ok {
			t.Fatal("measures of another size decode")
		}
	})
}

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
		all := newBitmap(blockSize)
		for i := range documents {
			all.set(i)
		}
		got := newFacetCount()
		got.count(v, all, &tallySpace{})
		if diff := cmp.Diff(want.values, got.values, cmp.AllowUnexported(fieldValue{})); diff != "" {
			t.Fatal(diff)
		}
		all.clear(0)
		has := v.choose(all, func(v fieldValue) bool { return v.key > "b" })
		for i := range blockSize {
			if want := i > 0 && i < len(documents) && slices.ContainsFunc(documents[i], func(v string) bool { return v > "b" }); has.has(i) != want {
				t.Fatalf("document %d was chosen: %t, want %t", i, has.has(i), want)
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
			if want := i > 0 && i < len(documents) && slices.ContainsFunc(documents[i], keys.has); within.has(i) != want {
				t.Fatalf("document %d is in the range: %t, want %t", i, within.has(i), want)
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

// The code of a pattern takes two bytes from the 257th pattern on.
func TestPostingsOfAsManyPatternsAsBytesTell(t *testing.T) {
	t.Parallel()
	for _, patterns := range []int{1, 2, 255, 256, 257} {
		const blockSize, fields = 512, 2
		var coder patternCoder
		coder.patterns.reset(fields)
		pattern := func(i int) []byte { return []byte{byte(1 + i%200), byte(1 + i/200)} }
		var list []posting
		for i := range patterns {
			place, err := coder.patterns.place(pattern(i))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, posting{offset: uint16(i), pattern: place})
		}
		p, ok := decodePostings(len(list), coder.encode(list, blockSize), blockSize)
		if !ok {
			t.Fatalf("%d patterns do not decode", patterns)
		}
		has := newBitmap(blockSize)
		p.addTo(has)
		var codes codeList
		codes.take(p, has)
		for i, code := range codes.codes {
			if got := p.patterns[2*int(code) : 2*int(code)+2]; !slices.Equal(got, pattern(int(codes.offsets[i]))) {
				t.Errorf("of %d patterns document %d has %v", patterns, codes.offsets[i], got)
			}
		}
	}
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
		all := newBitmap(blockSize)
		for i := range sets - 1 {
			all.set(i)
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
