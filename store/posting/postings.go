package posting

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sort"
)

// List is the postings of a lexeme in one block of documents: which documents of the block have it, and for each of these its
// pattern, which is how often the lexeme is in each of the fields that it is in at all, in one byte a field. From that, the
// length and the boost of a document (Measures) follows what the lexeme adds to its score. Few documents are listed by their offsets in
// the block, of two bytes each; many are one bit each of the whole block. Behind them stands the place of each document's
// pattern among the different ones: in one byte, in two where there are more than 256, in none where all have the same.
type List struct {
	Documents int    // how many have it
	fields    []byte // their places among the searched ones, of two bytes each
	Patterns  []byte // one after the other, of Width bytes each
	Places    []byte // of the documents: their offsets, of two bytes each, or a bit for each document of the block
	Codes     []byte // of the documents' patterns, of one byte each, of two, or none
}

// Counts of a pattern from AboutTimes on are not exact: AboutTimes+i stands for at most 8 << i, ManyTimes for any, as much as a
// lexeme can add.
const (
	AboutTimes = 250
	ManyTimes  = 255
)

// listed tells whether so few documents of a block are listed rather than marked in a bitmap.
func listed(documents, blockSize int) bool { return documents < blockSize/16 }

// ErrForm is of rows that a build has written which stores something else, or that are damaged.
var ErrForm = errors.New("posting: postings of a block in a form that is not known")

// Entry is a document of a block while the block is built, by its offset, and a pattern by its place among those of the
// builder.
type Entry struct{ Offset, Pattern uint16 }

// appendPlaces appends which documents are in a list, which is in the order of their offsets.
func appendPlaces(data []byte, list []Entry, blockSize int) []byte {
	if listed(len(list), blockSize) {
		for _, p := range list {
			data = binary.LittleEndian.AppendUint16(data, p.Offset)
		}
		return data
	}
	from := len(data)
	data = append(data, make([]byte, blockSize/8)...)
	for _, p := range list {
		data[from+int(p.Offset/8)] |= 1 << (p.Offset % 8)
	}
	return data
}

// Coder encodes postings. It is used by one goroutine.
type Coder struct {
	Patterns PatternTable    // of the block, which entries refer to
	codes    [1 << 16]uint16 // by pattern, of the list at hand
	used     []uint16        // patterns of it in the order of their codes
}

// Encode returns the bytes of a list in the order of its offsets: the number of patterns and of fields, the fields, the
// patterns, the documents, their codes.
func (c *Coder) Encode(list []Entry, blockSize int) []byte {
	const none = math.MaxUint16
	c.used = c.used[:0]
	for _, p := range list {
		c.codes[p.Pattern] = none
	}
	for _, p := range list {
		if c.codes[p.Pattern] == none {
			c.codes[p.Pattern] = uint16(len(c.used))
			c.used = append(c.used, p.Pattern)
		}
	}
	var fields []int
	for field := range c.Patterns.fields {
		if slices.ContainsFunc(c.used, func(pattern uint16) bool { return c.Patterns.of(pattern)[field] > 0 }) {
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
		times := c.Patterns.of(pattern)
		for _, field := range fields {
			data = append(data, times[field])
		}
	}
	data = appendPlaces(data, list, blockSize)
	if len(c.used) == 1 {
		return data
	}
	for _, p := range list {
		code := c.codes[p.Pattern]
		data = append(data, byte(code))
		if len(c.used) > 256 {
			data = append(data, byte(code>>8))
		}
	}
	return data
}

// Decode returns what a Coder made. It keeps data.
func Decode(documents int, data []byte, blockSize int) (p List, ok bool) {
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
	p = List{Documents: documents, fields: part(2 * fields), Patterns: part(patterns * fields), Places: part(placesSize(documents, blockSize)), Codes: data}
	if len(p.Places) < placesSize(documents, blockSize) || fields == 0 {
		return p, false
	}
	switch {
	case patterns == 1:
		ok = len(p.Codes) == 0
	case patterns > 256:
		ok = len(p.Codes) == 2*documents
	default:
		ok = len(p.Codes) == documents
	}
	return p, ok && patterns > 0
}

func placesSize(documents, blockSize int) int {
	if listed(documents, blockSize) {
		return 2 * documents
	}
	return blockSize / 8
}

// Width is how many fields the lexeme is in, the length of a pattern.
func (p List) Width() int { return len(p.fields) / 2 }

// Column returns the place of a field in the patterns, by its place among the searched fields; -1 where the lexeme is not in it.
func (p List) Column(field int) int {
	for i := range p.Width() {
		if int(binary.LittleEndian.Uint16(p.fields[2*i:])) == field {
			return i
		}
	}
	return -1
}

// Size is how many bytes they take.
func (p List) Size() int { return len(p.fields) + len(p.Patterns) + len(p.Places) + len(p.Codes) }

// Kept returns them with what keep makes of their bytes.
func (p List) Kept(keep func(part []byte) []byte) List {
	p.fields, p.Patterns, p.Places, p.Codes = keep(p.fields), keep(p.Patterns), keep(p.Places), keep(p.Codes)
	return p
}

// AddTo sets the bits of the documents in b.
func (p List) AddTo(b Bitmap) {
	if listed(p.Documents, len(b)*64) {
		for i := 0; i < len(p.Places); i += 2 {
			b.Set(int(binary.LittleEndian.Uint16(p.Places[i:])))
		}
		return
	}
	for i := range b {
		b[i] |= binary.LittleEndian.Uint64(p.Places[8*i:])
	}
}

// Sought tells whether a number of documents is so small that each is looked up among many that are listed.
func (p List) Sought(wanted, blockSize int) bool {
	return wanted < p.Documents/8 && listed(p.Documents, blockSize)
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

// KeepIn takes those documents out of b, which has few, that are not listed.
func (p List) KeepIn(b Bitmap) {
	f := finder{places: p.Places}
	b.Each(func(offset int) {
		if _, ok := f.find(offset); !ok {
			b.Clear(offset)
		}
	})
}

// code is that of the document in a place.
func (p List) code(place int) int {
	switch {
	case len(p.Codes) > p.Documents:
		return int(binary.LittleEndian.Uint16(p.Codes[2*place:]))
	case len(p.Codes) == 0:
		return 0
	}
	return int(p.Codes[place])
}
