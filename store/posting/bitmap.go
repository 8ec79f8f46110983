package posting

import (
	"encoding/binary"
	"math/bits"
)

// Bitmap has a bit for each document of a block.
type Bitmap []uint64

// NewBitmap returns an empty bitmap for a block of the given size, which must be a multiple of 64.
func NewBitmap(blockSize int) Bitmap { return make(Bitmap, blockSize/64) }

// Has reports whether the bitmap has the document at an offset.
func (b Bitmap) Has(offset int) bool { return b[offset/64]>>(offset%64)&1 != 0 }

// Set adds the document at an offset.
func (b Bitmap) Set(offset int) { b[offset/64] |= 1 << (offset % 64) }

// Clear removes the document at an offset.
func (b Bitmap) Clear(offset int) { b[offset/64] &^= 1 << (offset % 64) }

// Count returns the number of documents in the bitmap.
func (b Bitmap) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Empty reports whether the bitmap has no documents.
func (b Bitmap) Empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

// And removes what is not in o, a bitmap of the same size.
func (b Bitmap) And(o Bitmap) {
	for i := range b {
		b[i] &= o[i]
	}
}

// List returns the documents as postings without patterns.
func (b Bitmap) List() List {
	p := List{Documents: b.Count()}
	if listed(p.Documents, 64*len(b)) {
		p.Places = make([]byte, 0, 2*p.Documents)
		b.Each(func(offset int) { p.Places = binary.LittleEndian.AppendUint16(p.Places, uint16(offset)) })
		return p
	}
	p.Places = make([]byte, 0, 8*len(b))
	for _, w := range b {
		p.Places = binary.LittleEndian.AppendUint64(p.Places, w)
	}
	return p
}

// Or adds what is in o.
func (b Bitmap) Or(o Bitmap) {
	for i := range b {
		b[i] |= o[i]
	}
}

// AndNot removes what is in o.
func (b Bitmap) AndNot(o Bitmap) {
	for i := range b {
		b[i] &^= o[i]
	}
}

// Each calls f with every offset that is set, in order.
func (b Bitmap) Each(f func(offset int)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			f(i*64 + bits.TrailingZeros64(w))
		}
	}
}
