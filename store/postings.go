package store

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// The postings of a lexeme in one block of documents: which documents of the block have it, and for each of these its
// pattern, which is how often the lexeme is in each of the fields that it is in at all, in one byte a field. From that, the
// length and the boost of a document (measures) follows what the lexeme adds to its score. Few documents are listed by their offsets in
// the block, of two bytes each; many are one bit each of the whole block. Behind them stands the place of each document's
// pattern among the different ones: in one byte, in two where there are more than 256, in none where all have the same.
type postings struct {
	documents int
	fields    []byte // their places among the searched ones, of two bytes each
	patterns  []byte
	places    []byte
	codes     []byte
}

// Counts of a pattern from aboutTimes on are not exact: aboutTimes+i stands for at most 8 << i, manyTimes for any, as much as a
// lexeme can add.
const (
	aboutTimes = 250
	manyTimes  = 255
)

// listed tells whether so few documents of a block are listed rather than marked in a bitmap.
func listed(documents, blockSize int) bool { return documents < blockSize/16 }

var errPostings = errors.New("store: postings of a block in a form that is not known")

// posting is a document of a block while the block is built, by its offset, and a pattern by its place among those of the
// builder.
type posting struct{ offset, pattern uint16 }

// appendPlaces appends which documents are in a list, which is in the order of their offsets.
func appendPlaces(data []byte, list []posting, blockSize int) []byte {
	if listed(len(list), blockSize) {
		for _, p := range list {
			data = binary.LittleEndian.AppendUint16(data, p.offset)
		}
		return data
	}
	from := len(data)
	data = append(data, make([]byte, blockSize/8)...)
	for _, p := range list {
		data[from+int(p.offset/8)] |= 1 << (p.offset % 8)
	}
	return data
}

// patternCoder encodes postings. It is used by one goroutine.
type patternCoder struct {
	patterns patternTable
	codes    [1 << 16]uint16 // by pattern, of the list at hand
	used     []uint16        // patterns of it in the order of their codes
}

// encode returns the bytes of a list in the order of its offsets: the number of patterns and of fields, the fields, the
// patterns, the documents, their codes.
func (c *patternCoder) encode(list []posting, blockSize int) []byte {
	const none = math.MaxUint16
	c.used = c.used[:0]
	for _, p := range list {
		c.codes[p.pattern] = none
	}
	for _, p := range list {
		if c.codes[p.pattern] == none {
			c.codes[p.pattern] = uint16(len(c.used))
			c.used = append(c.used, p.pattern)
		}
	}
	var fields []int
	for field := range c.patterns.fields {
		if slices.ContainsFunc(c.used, func(pattern uint16) bool { return c.patterns.of(pattern)[field] > 0 }) {
			fields = append(fields, field)
		}
	}
	data := make([]byte, 0, 4+2*len(fields)+len(c.used)*len(fields)+blockSize/8+2*len(list))
	data = binary.LittleEndian.AppendUint16(data, uint16(len(c.used)))
	data = binary.LittleEndian.AppendUint16(data, uint16(len(fields)))
	for _, field := range fields {
		data = binary.LittleEndian.AppendUint16(data, uint16(field))
	}
	for _, pattern := range c.used {
		times := c.patterns.of(pattern)
		for _, field := range fields {
			data = append(data, times[field])
		}
	}
	data = appendPlaces(data, list, blockSize)
	if len(c.used) == 1 {
		return data
	}
	for _, p := range list {
		code := c.codes[p.pattern]
		data = append(data, byte(code))
		if len(c.used) > 256 {
			data = append(data, byte(code>>8))
		}
	}
	return data
}

// decodePostings returns what a patternCoder made. It keeps data.
func decodePostings(documents int, data []byte, blockSize int) (p postings, ok bool) {
	if documents < 0 || len(data) < 4 {
		return p, false
	}
	patterns, fields := int(binary.LittleEndian.Uint16(data)), int(binary.LittleEndian.Uint16(data[2:]))
	data = data[4:]
	part := func(size int) []byte {
		size = min(size, len(data))
		one := data[:size:size]
		data = data[size:]
		return one
	}
	p = postings{documents: documents, fields: part(2 * fields), patterns: part(patterns * fields), places: part(placesSize(documents, blockSize)), codes: data}
	if len(p.places) < placesSize(documents, blockSize) || fields == 0 {
		return p, false
	}
	switch {
	case patterns == 1:
		ok = len(p.codes) == 0
	case patterns > 256:
		ok = len(p.codes) == 2*documents
	default:
		ok = len(p.codes) == documents
	}
	return p, ok && patterns > 0
}

func placesSize(documents, blockSize int) int {
	if listed(documents, blockSize) {
		return 2 * documents
	}
	return blockSize / 8
}

// width is how many fields the lexeme is in, the length of a pattern.
func (p postings) width() int { return len(p.fields) / 2 }

// column returns the place of a field in the patterns, by its place among the searched fields; -1 where the lexeme is not in it.
func (p postings) column(field int) int {
	for i := range p.width() {
		if int(binary.LittleEndian.Uint16(p.fields[2*i:])) == field {
			return i
		}
	}
	return -1
}

// size is how many bytes they take.
func (p postings) size() int { return len(p.fields) + len(p.patterns) + len(p.places) + len(p.codes) }

// kept returns them with what keep makes of their bytes.
func (p postings) kept(keep func(part []byte) []byte) postings {
	p.fields, p.patterns, p.places, p.codes = keep(p.fields), keep(p.patterns), keep(p.places), keep(p.codes)
	return p
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

// postings returns the documents as postings without patterns.
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

// codeList is the documents of a block that some postings are of, and the codes of their patterns.
type codeList struct{ offsets, codes []uint16 }

// takePlaces takes those documents of the postings that are in b, with their places in the postings instead of codes.
func (l *codeList) takePlaces(p postings, b bitmap) {
	l.offsets, l.codes = slices.Grow(l.offsets[:0], p.documents), slices.Grow(l.codes[:0], p.documents)
	switch {
	case p.sought(b.count(), len(b)*64):
		f := finder{places: p.places}
		b.each(func(offset int) {
			if place, ok := f.find(offset); ok {
				l.add(offset, place)
			}
		})
	case listed(p.documents, len(b)*64):
		for place := range p.documents {
			if offset := int(binary.LittleEndian.Uint16(p.places[2*place:])); b.has(offset) {
				l.add(offset, place)
			}
		}
	default:
		offsets, places, n, before := l.offsets[:p.documents], l.codes[:p.documents], 0, 0
		for i, wanted := range b {
			w := binary.LittleEndian.Uint64(p.places[8*i:])
			for m := w & wanted; m != 0; m &= m - 1 {
				bit := bits.TrailingZeros64(m)
				offsets[n], places[n] = uint16(64*i+bit), uint16(before+bits.OnesCount64(w&(1<<bit-1)))
				n++
			}
			before += bits.OnesCount64(w)
		}
		l.offsets, l.codes = offsets[:n], places[:n]
	}
}

// take takes those documents of the postings that are in b.
func (l *codeList) take(p postings, b bitmap) {
	l.takePlaces(p, b)
	switch {
	case len(p.codes) > p.documents:
		for i, place := range l.codes {
			l.codes[i] = binary.LittleEndian.Uint16(p.codes[2*int(place):])
		}
	case len(p.codes) == 0:
		clear(l.codes)
	default:
		for i, place := range l.codes {
			l.codes[i] = uint16(p.codes[place])
		}
	}
}

// code is that of the document in a place.
func (p postings) code(place int) int {
	switch {
	case len(p.codes) > p.documents:
		return int(binary.LittleEndian.Uint16(p.codes[2*place:]))
	case len(p.codes) == 0:
		return 0
	}
	return int(p.codes[place])
}

func (l *codeList) add(offset, place int) {
	l.offsets, l.codes = append(l.offsets, uint16(offset)), append(l.codes, uint16(place))
}
