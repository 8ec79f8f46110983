package store

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
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
