package posting

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
		different := rapid.SampledFrom([]byte{1, 3, ManyTimes}).Draw(t, "different")
		pattern := rapid.SliceOfN(rapid.ByteMax(different), fields, fields).Filter(func(p []byte) bool { return slices.Max(p) > 0 })
		patterns := rapid.MapOfN(rapid.IntRange(0, blockSize-1), pattern, 1, blockSize).Draw(t, "patterns")
		// Those drawn one by one are few; many are stored in another form.
		if every := rapid.SampledFrom([]int{0, 40, 3, 1}).Draw(t, "every"); every > 0 {
			usual := pattern.Draw(t, "usual")
			for offset := 0; offset < blockSize; offset += every {
				if patterns[offset] == nil {
					patterns[offset] = usual
				}
			}
		}
		var coder Coder
		coder.Patterns.Reset(fields)
		var list []Entry
		all := NewBitmap(blockSize)
		for offset := range blockSize {
			if pattern, ok := patterns[offset]; ok {
				place, err := coder.Patterns.Place(slices.Clone(pattern))
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, Entry{Offset: uint16(offset), Pattern: place})
				all.Set(offset)
			}
		}
		data := coder.Encode(list, blockSize)
		p, ok := Decode(len(list), data, blockSize)
		if !ok {
			t.Fatal("what was encoded does not decode")
		}
		has := NewBitmap(blockSize)
		p.AddTo(has)
		if diff := cmp.Diff(all, has); diff != "" {
			t.Fatal(diff)
		}
		wanted := NewBitmap(blockSize)
		for _, offset := range rapid.SliceOf(rapid.IntRange(0, blockSize-1)).Draw(t, "wanted") {
			wanted.Set(offset)
		}
		if rapid.Bool().Draw(t, "many are wanted") {
			for offset := 0; offset < blockSize; offset += 2 {
				wanted.Set(offset)
			}
		}
		kept, both := slices.Clone(wanted), slices.Clone(wanted)
		if listed(p.Documents, blockSize) {
			p.KeepIn(kept)
		} else {
			kept.And(has)
		}
		both.And(all)
		if diff := cmp.Diff(both, kept); diff != "" {
			t.Fatal(diff)
		}
		var codes CodeList
		codes.Take(p, wanted)
		got := map[int][]byte{}
		for i, offset := range codes.Offsets {
			pattern := make([]byte, fields)
			for field := range pattern {
				if column := p.Column(field); column >= 0 {
					pattern[field] = p.Patterns[int(codes.Codes[i])*p.Width()+column]
				}
			}
			got[int(offset)] = pattern
		}
		want := map[int][]byte{}
		both.Each(func(offset int) { want[offset] = patterns[offset] })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		// A bitmap with one pattern for all documents does not reveal their number.
		if _, ok := Decode(len(list)+1, data, blockSize); ok && (listed(len(list), blockSize) || len(p.Codes) > 0) {
			t.Fatal("postings of another number of documents decode")
		}
	})
}

// If there are more patterns than can be distinguished, the fields stay known, and counts are upper bounds.
func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	var table PatternTable
	table.Reset(3)
	coarse := 0
	for n := 1; n < 1<<17; n++ {
		pattern := []byte{byte(n), byte(n >> 8), byte(n >> 16)}
		place, err := table.Place(slices.Clone(pattern))
		if err != nil {
			t.Fatal(err)
		}
		got := table.of(place)
		if !slices.Equal(got, pattern) {
			coarse++
		}
		for i, times := range pattern {
			if got[i] < times && (got[i] < AboutTimes || MostOf(got[i]) < int(times)) || (got[i] > 0) != (times > 0) || got[i] != times && got[i] < AboutTimes {
				t.Fatalf("%v became %v", pattern, got)
			}
		}
	}
	if coarse == 0 || coarse > 1<<17-maxPatterns {
		t.Errorf("%d patterns were not told apart", coarse)
	}
}

// If there are more sets of fields than can be numbered, no postings are made.
func TestTooManySetsOfFields(t *testing.T) {
	t.Parallel()
	const fields = 17
	var table PatternTable
	table.Reset(fields)
	for n := 1; n < 1<<fields; n++ {
		pattern := make([]byte, fields)
		for i := range pattern {
			pattern[i] = byte(n >> i & 1)
		}
		if _, err := table.Place(pattern); err != nil {
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
		var list []Entry
		for offset := range blockSize {
			if length, ok := lengths[offset]; ok {
				list = append(list, Entry{Offset: uint16(offset)})
				all[offset], boosts[offset] = length, some[offset%len(some)]
			}
		}
		data := EncodeMeasures(list, all, boosts, blockSize)
		p, m, ok := DecodeMeasures(len(list), data, blockSize)
		if !ok {
			t.Fatal("what was encoded does not decode")
		}
		has := NewBitmap(blockSize)
		p.AddTo(has)
		for offset := range blockSize {
			length, there := lengths[offset]
			if has.Has(offset) != there || there && (binary.LittleEndian.Uint16(m.Lengths[2*offset:]) != length || m.Boost(offset) != boosts[offset]) {
				t.Fatalf("the measures at %d are others", offset)
			}
		}
		if _, _, ok := DecodeMeasures(len(list), data[1:], blockSize); ok {
			t.Fatal("measures of another size decode")
		}
	})
}

// The code of a pattern takes two bytes from the 257th pattern on.
func TestPostingsOfAsManyPatternsAsBytesTell(t *testing.T) {
	t.Parallel()
	for _, patterns := range []int{1, 2, 255, 256, 257} {
		const blockSize, fields = 512, 2
		var coder Coder
		coder.Patterns.Reset(fields)
		pattern := func(i int) []byte { return []byte{byte(1 + i%200), byte(1 + i/200)} }
		var list []Entry
		for i := range patterns {
			place, err := coder.Patterns.Place(pattern(i))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, Entry{Offset: uint16(i), Pattern: place})
		}
		p, ok := Decode(len(list), coder.Encode(list, blockSize), blockSize)
		if !ok {
			t.Fatalf("%d patterns do not decode", patterns)
		}
		has := NewBitmap(blockSize)
		p.AddTo(has)
		var codes CodeList
		codes.Take(p, has)
		for i, code := range codes.Codes {
			if got := p.Patterns[2*int(code) : 2*int(code)+2]; !slices.Equal(got, pattern(int(codes.Offsets[i]))) {
				t.Errorf("of %d patterns document %d has %v", patterns, codes.Offsets[i], got)
			}
		}
	}
}
