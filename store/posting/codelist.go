package posting

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// CodeList has documents of a block that are in some postings, with the codes of their patterns.
type CodeList struct{ Offsets, Codes []uint16 }

// TakePlaces sets l to the documents of the postings that are in b, with their indices in the postings instead of codes.
func (l *CodeList) TakePlaces(p List, b Bitmap) {
	l.Offsets, l.Codes = slices.Grow(l.Offsets[:0], p.Documents), slices.Grow(l.Codes[:0], p.Documents)
	switch {
	case p.Sought(b.Count(), len(b)*64):
		f := finder{places: p.Places}
		b.Each(func(offset int) {
			if place, ok := f.find(offset); ok {
				l.add(offset, place)
			}
		})
	case listed(p.Documents, len(b)*64):
		for place := range p.Documents {
			if offset := int(binary.LittleEndian.Uint16(p.Places[2*place:])); b.Has(offset) {
				l.add(offset, place)
			}
		}
	default:
		offsets, places, n, before := l.Offsets[:p.Documents], l.Codes[:p.Documents], 0, 0
		for i, wanted := range b {
			w := binary.LittleEndian.Uint64(p.Places[8*i:])
			for m := w & wanted; m != 0; m &= m - 1 {
				bit := bits.TrailingZeros64(m)
				offsets[n], places[n] = uint16(64*i+bit), uint16(before+bits.OnesCount64(w&(1<<bit-1)))
				n++
			}
			before += bits.OnesCount64(w)
		}
		l.Offsets, l.Codes = offsets[:n], places[:n]
	}
}

// Take sets l to the documents of the postings that are in b.
func (l *CodeList) Take(p List, b Bitmap) {
	l.TakePlaces(p, b)
	switch {
	case len(p.Codes) > p.Documents:
		for i, place := range l.Codes {
			l.Codes[i] = binary.LittleEndian.Uint16(p.Codes[2*int(place):])
		}
	case len(p.Codes) == 0:
		clear(l.Codes)
	default:
		for i, place := range l.Codes {
			l.Codes[i] = uint16(p.Codes[place])
		}
	}
}

func (l *CodeList) add(offset, place int) {
	l.Offsets, l.Codes = append(l.Offsets, uint16(offset)), append(l.Codes, uint16(place))
}
