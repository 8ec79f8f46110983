package store

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// What follows is never missed, what does not is told apart: surely where both lexemes are there once, mostly else.
func TestWhereaboutsTellWhatFollows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	at := func(places []int) place {
		slices.Sort(places)
		o := occurrences{n: len(places)}
		for _, place := range places {
			o.positions = binary.BigEndian.AppendUint16(o.positions, uint16(random.IntN(4)<<14|place))
		}
		return place{once: o.n == 1, field: 3, position: int(o.first()), remainders: o.remainders()}
	}
	several := func() (places []int) {
		for range 1 + random.IntN(3) {
			places = append(places, 1+random.IntN(16000))
		}
		return places
	}
	others, told := 0, 0
	for range 20000 {
		first, second, gap := several(), several(), 1+random.IntN(40)
		if random.IntN(2) == 0 {
			second[0] = first[0] + gap
		}
		follows := slices.ContainsFunc(first, func(place int) bool { return slices.Contains(second, place+gap) })
		_, may := at(first).followed(at(second), gap)
		if once := len(first) == 1 && len(second) == 1; follows && !may || once && follows != may {
			t.Fatalf("%v with %v after %d: %t", first, second, gap, may)
		} else if !follows && !once {
			if others++; !may {
				told++
			}
		}
	}
	if told*10 < others*7 {
		t.Errorf("of %d pairs that do not follow only %d are told apart", others, told)
	}
	if _, may := at([]int{7}).followed(place{once: true, field: 2, position: 8, remainders: 1 << 8}, 1); may {
		t.Error("positions of different fields follow each other")
	}
}
