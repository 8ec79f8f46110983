package posting

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sort"
)

// List has the postings of a lexeme in one block: the documents that have it, and for each its pattern: how often the lexeme occurs in each of the
// fields in which it occurs at all, one byte per field. Together with the length and boost of a document (Measures), this determines what the lexeme
// contributes to its score. If there are few documents, they are listed by their offsets in the block, in two bytes each; many are a bitmap of the
// whole block. They are followed by the index of each document's pattern among the distinct ones: in one byte, in two if there are more than 256, in
// none if all have the same.
type List struct {
	Documents int    // how many have the lexeme
	fields    []byte // indices among the searched fields, in two bytes each
	Patterns  []byte // concatenated, of Width bytes each
	Places    []byte // of the documents: their offsets, in two bytes each, or a bit for each document of the block
	Codes     []byte // of the documents' patterns, in one byte each, in two, or none
}

// Counts in a pattern are not exact from AboutTimes on: AboutTimes+i stands for at most 8 << i, ManyTimes for any count, with the largest
// contribution of a lexeme.
const (
	AboutTimes = 250
	ManyTimes  = 255
)

// listed reports whether this many documents of a block are listed rather than marked in a bitmap.
func listed(documents, blockSize int) bool { return documents < blockSize/16 }

// ErrForm says that rows are damaged or were written by a build that stores something else.
var ErrForm = errors.New("posting: postings of a block in a form that is not known")

// Entry is a document of a block that is being built: its offset, and its pattern's index in the builder's table.
type Entry struct{ Offset, Pattern uint16 }

// appendPlaces appends the documents in a list, which must be in the order of their offsets.
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

// Coder encodes postings. It must be used by only one goroutine.
type Coder struct {
	Patterns PatternTable    // of the block; entries refer to it
	codes    [1 << 16]uint16 // by pattern, of the current list
	used     []uint16        // patterns of the current list in the order of their codes
}

// Encode encodes a list, which must be in the order of its offsets: the numbers of patterns and fields, the fields, the patterns, the documents,
// their codes.
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

// Decode decodes the result of Coder.Encode. It keeps data.
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

// Width returns the number of fields that the lexeme occurs in, which is the length of a pattern.
func (p List) Width() int { return len(p.fields) / 2 }

// Column returns the index in patterns of a field, given by its index among the searched fields; -1 if the lexeme does not occur in it.
func (p List) Column(field int) int {
	for i := range p.Width() {
		if int(binary.LittleEndian.Uint16(p.fields[2*i:])) == field {
			return i
		}
	}
	return -1
}

// Size returns the size in bytes.
func (p List) Size() int { return len(p.fields) + len(p.Patterns) + len(p.Places) + len(p.Codes) }

// Kept returns a List in which keep has been applied to the parts of p.
func (p List) Kept(keep func(part []byte) []byte) List {
	p.fields, p.Patterns, p.Places, p.Codes = keep(p.fields), keep(p.Patterns), keep(p.Places), keep(p.Codes)
	return p
}

// AddTo sets the documents' bits in b.
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

// Sought reports whether so few documents are wanted that each is looked up in the list of a larger number.
func (p List) Sought(wanted, blockSize int) bool {
	return wanted < p.Documents/8 && listed(p.Documents, blockSize)
}

// finder looks up offsets, in increasing order, among listed documents.
type finder struct {
	places []byte
	next   int
}

// find reports whether an offset is listed, and at which index.
func (f *finder) find(offset int) (place int, ok bool) {
	n := len(f.places)/2 - f.next
	f.next += sort.Search(n, func(i int) bool { return int(binary.LittleEndian.Uint16(f.places[2*(f.next+i):])) >= offset })
	return f.next, 2*f.next < len(f.places) && int(binary.LittleEndian.Uint16(f.places[2*f.next:])) == offset
}

// KeepIn removes from b, which should have few documents, those that are not listed. p must be listed.
func (p List) KeepIn(b Bitmap) {
	f := finder{places: p.Places}
	b.Each(func(offset int) {
		if _, ok := f.find(offset); !ok {
			b.Clear(offset)
		}
	})
}

// code returns the code of the document at an index.
func (p List) code(place int) int {
	switch {
	case len(p.Codes) > p.Documents:
		return int(binary.LittleEndian.Uint16(p.Codes[2*place:]))
	case len(p.Codes) == 0:
		return 0
	}
	return int(p.Codes[place])
}
