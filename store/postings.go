package store

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"sort"
)

// The postings of a lexeme in one block of documents: which documents of the block have it, and for each of
// these its impact, the most that the lexeme can add to the document's score for a rarity of 1. Few documents
// are listed by their offsets in the block, of two bytes each; many are one bit each of the whole block.
// Behind them stands one byte a document: its impact as a share of the block's largest, rounded up.
type postings struct {
	documents int
	top       float32 // largest impact
	places    []byte
	impacts   []byte
}

// impactLevels is how many levels an impact has above 0.
const impactLevels = 255

// listed tells whether so few documents of a block are listed rather than marked in a bitmap.
func listed(documents, blockSize int) bool { return documents < blockSize/16 }

var errPostings = errors.New("store: postings of a block in a form that is not known")

// posting is a document of a block while the block is built. The impact is the upper half of a float32,
// rounded up: within 1 % of what it was.
type posting struct{ offset, impact uint16 }

func newPosting(offset int, impact float32) posting {
	return posting{uint16(offset), uint16((math.Float32bits(impact) + 0xffff) >> 16)}
}

func (p posting) value() float32 { return math.Float32frombits(uint32(p.impact) << 16) }

// encodePostings returns the largest impact and the bytes of a list in the order of its offsets.
func encodePostings(list []posting, blockSize int) (top float32, data []byte) {
	for _, p := range list {
		top = max(top, p.value())
	}
	if listed(len(list), blockSize) {
		data = make([]byte, 0, 3*len(list))
		for _, p := range list {
			data = binary.LittleEndian.AppendUint16(data, p.offset)
		}
	} else {
		data = make([]byte, blockSize/8, blockSize/8+len(list))
		for _, p := range list {
			data[p.offset/8] |= 1 << (p.offset % 8)
		}
	}
	for _, p := range list {
		level := math.Ceil(float64(p.value()) / float64(top) * impactLevels * (1 - 1e-7))
		data = append(data, byte(min(level, impactLevels)))
	}
	return top, data
}

// decodePostings returns what encodePostings made. It keeps data.
func decodePostings(documents int, top float32, data []byte, blockSize int) (postings, bool) {
	n := blockSize / 8
	if listed(documents, blockSize) {
		n = 2 * documents
	}
	if documents < 0 || len(data) != n+documents {
		return postings{}, false
	}
	return postings{documents, top, data[:n], data[n:]}, true
}

// bitmap has a bit for each document of a block.
type bitmap []uint64

func newBitmap(blockSize int) bitmap { return make(bitmap, blockSize/64) }

func (b bitmap) has(offset int) bool { return b[offset/64]>>(offset%64)&1 != 0 }
func (b bitmap) set(offset int)      { b[offset/64] |= 1 << (offset % 64) }
func (b bitmap) clear(offset int)    { b[offset/64] &^= 1 << (offset % 64) }

func (b bitmap) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

func (b bitmap) empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

func (b bitmap) and(o bitmap) {
	for i := range b {
		b[i] &= o[i]
	}
}

// postings returns the documents as postings without impacts.
func (b bitmap) postings() postings {
	p := postings{documents: b.count()}
	if listed(p.documents, 64*len(b)) {
		p.places = make([]byte, 0, 2*p.documents)
		b.each(func(offset int) { p.places = binary.LittleEndian.AppendUint16(p.places, uint16(offset)) })
		return p
	}
	p.places = make([]byte, 0, 8*len(b))
	for _, w := range b {
		p.places = binary.LittleEndian.AppendUint64(p.places, w)
	}
	return p
}

// or adds what is in o.
func (b bitmap) or(o bitmap) {
	for i := range b {
		b[i] |= o[i]
	}
}

// andNot takes out what is in o.
func (b bitmap) andNot(o bitmap) {
	for i := range b {
		b[i] &^= o[i]
	}
}

// each calls f with every offset that is set, in order.
func (b bitmap) each(f func(offset int)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			f(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// addTo sets the bits of the documents in b.
func (p postings) addTo(b bitmap) {
	if listed(p.documents, len(b)*64) {
		for i := 0; i < len(p.places); i += 2 {
			b.set(int(binary.LittleEndian.Uint16(p.places[i:])))
		}
		return
	}
	for i := range b {
		b[i] |= binary.LittleEndian.Uint64(p.places[8*i:])
	}
}

// sought tells whether a number of documents is so small that each is looked up among many that are listed.
func (p postings) sought(wanted, blockSize int) bool {
	return wanted < p.documents/8 && listed(p.documents, blockSize)
}

// finder looks offsets up, in rising order, among those that are listed.
type finder struct {
	places []byte
	next   int
}

// find tells whether an offset is listed, and in which place.
func (f *finder) find(offset int) (place int, ok bool) {
	n := len(f.places)/2 - f.next
	f.next += sort.Search(n, func(i int) bool { return int(binary.LittleEndian.Uint16(f.places[2*(f.next+i):])) >= offset })
	return f.next, 2*f.next < len(f.places) && int(binary.LittleEndian.Uint16(f.places[2*f.next:])) == offset
}

// keepIn takes those documents out of b, which has few, that are not listed.
func (p postings) keepIn(b bitmap) {
	f := finder{places: p.places}
	b.each(func(offset int) {
		if _, ok := f.find(offset); !ok {
			b.clear(offset)
		}
	})
}

// levelSums are sums by document: each gets what of makes of an impact, and others, if there are any, what ofOthers does.
// These are asked once for each level.
type levelSums struct {
	sums, others []float32
	of, ofOthers func(impact float32) float32
}

func (to levelSums) add(offset int, impact float32) {
	to.sums[offset] += to.of(impact)
	if to.others != nil {
		to.others[offset] += to.ofOthers(impact)
	}
}

// addLevels adds their impacts to the sums of those documents that are in b.
func (p postings) addLevels(b bitmap, to levelSums) {
	if p.sought(b.count(), len(b)*64) {
		p.addFew(b, to)
		return
	}
	var values, others [impactLevels + 1]float32
	for i := range values {
		values[i] = to.of(p.impact(i))
		if to.others != nil {
			others[i] = to.ofOthers(p.impact(i))
		}
	}
	if listed(p.documents, len(b)*64) {
		for i, level := range p.impacts {
			offset := int(binary.LittleEndian.Uint16(p.places[2*i:]))
			if b.has(offset) {
				to.sums[offset] += values[level]
				if to.others != nil {
					to.others[offset] += others[level]
				}
			}
		}
		return
	}
	before := 0
	for i, wanted := range b {
		w := binary.LittleEndian.Uint64(p.places[8*i:])
		for m := w & wanted; m != 0; m &= m - 1 {
			bit := bits.TrailingZeros64(m)
			level := p.impacts[before+bits.OnesCount64(w&(1<<bit-1))]
			to.sums[64*i+bit] += values[level]
			if to.others != nil {
				to.others[64*i+bit] += others[level]
			}
		}
		before += bits.OnesCount64(w)
	}
}

// impact is that of a level.
func (p postings) impact(level int) float32 { return p.top * float32(level) / impactLevels }

// addFew is addLevels where b has few of many listed documents.
func (p postings) addFew(b bitmap, to levelSums) {
	f := finder{places: p.places}
	b.each(func(offset int) {
		if place, ok := f.find(offset); ok {
			to.add(offset, p.impact(int(p.impacts[place])))
		}
	})
}
