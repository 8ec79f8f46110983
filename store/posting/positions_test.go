package posting

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rowansearch/rowan/store/pgbinary"
)

// Stored positions are read back unchanged, for any documents of a block, even if counts are rounded.
func TestPositionsAreReadAsTheyWereStored(t *testing.T) {
	const fields, blockSize = 3, 1024
	random := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		var coder Coder
		coder.Patterns.Reset(fields)
		var list []Entry
		var data []byte
		var want [][]Place
		for offset := range blockSize {
			if random.IntN(2) > 0 { // this many documents have more than 256 patterns
				continue
			}
			pattern, from := make([]byte, fields), len(data)
			var places []Place
			for field := range fields {
				n := []int{0, 1, 1, 2, 3, 5, 20, 249, 250, 256}[random.IntN(10)]
				if field == fields-1 && len(places) == 0 {
					n = max(n, 1)
				}
				if n == 0 {
					continue
				}
				o := pgbinary.Occurrences{Count: n}
				if n > 1 || random.IntN(10) > 0 {
					position, most := 0, 16383/n // positions that fit into a vector
					for range n {
						position += 1 + random.IntN(most)
						o.Positions = binary.BigEndian.AppendUint16(o.Positions, uint16(random.IntN(4)<<14|position))
						places = append(places, placeOf(field, position))
					}
				}
				data = AppendPositions(data, o)
				pattern[field] = ManyTimes
				if n < AboutTimes {
					pattern[field] = byte(n)
				}
			}
			exact := slices.Clone(pattern)
			if coarser := []func(byte) byte{nil, roundedTimes, anyTimes}[random.IntN(3)]; coarser != nil {
				for i := range pattern {
					pattern[i] = coarser(pattern[i])
				}
			}
			place, err := coder.Patterns.Place(pattern)
			if err != nil {
				t.Fatal(err)
			}
			data = RoundPositions(data, from, exact, pattern)
			list, want = append(list, Entry{uint16(offset), place}), append(want, places)
		}
		p, ok := Decode(len(list), coder.Encode(list, blockSize), blockSize)
		if !ok {
			t.Fatal("postings of a form that is not known")
		}
		r := PositionReader{List: p, Data: data}
		for n := range list {
			if random.IntN(4) > 0 && n < len(list)-1 {
				continue
			}
			if got, ok := r.Read(n); !ok || !slices.Equal(got, want[n]) {
				t.Fatalf("%d. of %d documents: %v, %t, want %v", n, len(list), got, ok, want[n])
			}
		}
		if len(r.Data) > 0 {
			t.Fatalf("%d bytes are left", len(r.Data))
		}
		if _, ok := (&PositionReader{List: p, Data: data[:len(data)/2]}).Read(len(list) - 1); ok {
			t.Fatal("half of the bytes are enough")
		}
	}
}

func TestFollowedPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	some := func() (places []Place) {
		for range random.IntN(6) {
			places = append(places, placeOf(random.IntN(2), 1+random.IntN(12)))
		}
		slices.Sort(places)
		return slices.Compact(places)
	}
	for range 5000 {
		first, second, gap := some(), some(), 1+random.IntN(4)
		var want []Place
		for _, p := range second {
			if slices.ContainsFunc(first, func(f Place) bool { return f.Field() == p.Field() && f+Place(gap) == p }) {
				want = append(want, p)
			}
		}
		if got := Followed(first, slices.Clone(second), gap); !slices.Equal(got, want) {
			t.Fatalf("of %v, %d behind %v: %v, want %v", second, gap, first, got, want)
		}
	}
}
