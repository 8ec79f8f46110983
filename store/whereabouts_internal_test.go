package store

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// What may follow is never missed, and most of what does not is told apart.
func TestWhereaboutsTellWhatMayFollow(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	at := func(n int) (places []int, o occurrences) {
		for range n {
			places = append(places, 1+random.IntN(16383))
		}
		slices.Sort(places)
		o.n = n
		for _, place := range places {
			o.positions = binary.BigEndian.AppendUint16(o.positions, uint16(random.IntN(4)<<14|place))
		}
		return places, o
	}
	single, told := 0, 0
	for range 20000 {
		first, a := at(1 + random.IntN(3))
		second, b := at(1 + random.IntN(3))
		gap := 1 + random.IntN(40)
		if random.IntN(2) == 0 {
			second[0] = min(first[0]+gap, 16383)
			slices.Sort(second)
			b.positions = nil
			for _, place := range second {
				b.positions = binary.BigEndian.AppendUint16(b.positions, uint16(place))
			}
		}
		follows := slices.ContainsFunc(first, func(place int) bool { return slices.Contains(second, place+gap) })
		may := a.whereabouts().followed(b.whereabouts(), gap)
		if follows && may == 0 {
			t.Fatalf("%v followed by %v after %d is taken for impossible", first, second, gap)
		}
		if want := bits.OnesCount16(uint16(a.whereabouts())); want > len(first) || want == 0 {
			t.Fatalf("%d bits for %v", want, first)
		}
		if len(first) == 1 && len(second) == 1 && !follows {
			single++
			if may == 0 {
				told++
			}
		}
	}
	if told*10 < single*9 {
		t.Errorf("of %d pairs that do not follow only %d are told apart", single, told)
	}
}
