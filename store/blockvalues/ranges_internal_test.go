package blockvalues

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/rowansearch/rowan/store/posting"
)

// What the order of a field tells about a condition is the same as comparing each document with each of the ranges.
func TestRangesOfAnOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	key := func() uint64 { return uint64(r.IntN(40)) }
	bytes := func(key uint64) []byte { return binary.BigEndian.AppendUint64(nil, key) }
	const documents = 64
	told := map[Certainty]int{}
	for range 2000 {
		b := posting.NewKeysBuilder(documents)
		b.Reset()
		b.Rounded = r.IntN(4) == 0
		several := r.IntN(2) == 0
		for offset := range documents - 1 { // the last document has no value
			low := key()
			high := low
			if several && r.IntN(2) == 0 {
				high += key()
			}
			b.Add(offset, bytes(low), bytes(high))
		}
		keys := posting.TextKeys(b.Encode(documents))
		var ranges []KeySpan
		if r.IntN(3) == 0 {
			low, high := key(), key()
			ranges = []KeySpan{{low: low, high: high, hasLow: r.IntN(2) == 0, hasHigh: r.IntN(2) == 0, lowOpen: r.IntN(2) == 0, highOpen: r.IntN(2) == 0, rounded: r.IntN(4) == 0}}
		} else {
			for range r.IntN(12) {
				one := key()
				ranges = append(ranges, KeySpan{low: one, high: one, hasLow: true, hasHigh: true, rounded: r.IntN(4) == 0})
			}
		}
		of := NewOrderedRange("year", ranges...)
		for offset := range documents {
			want := impossible
			if least, most := keys.Of(offset, false), keys.Most(offset); least != posting.NoKey {
				for _, one := range ranges {
					one.rounded = one.rounded || keys.Flags()&posting.RoundedKeys != 0
					want = max(want, one.has(least), one.has(most))
					if least <= one.low && most >= one.high && least != most {
						want = max(want, Possible)
					}
				}
			}
			told[want]++
			if got := of.Holds(keys, offset); got != want {
				t.Fatalf("of %+v, keys %d to %d: %d, want %d", ranges, keys.Of(offset, false), keys.Most(offset), got, want)
			}
		}
	}
	if len(told) != 3 {
		t.Errorf("not all answers were given: %v", told)
	}
}
