package posting

import "encoding/binary"

// BareDocuments are the documents of a block that have a field without a value: a zero byte, then the offset of each document in two bytes.
type BareDocuments []byte

// Known reports whether the block lists them.
func (d BareDocuments) Known() bool { return len(d) > 0 }

// Fits reports whether the length is valid for a block of the given size.
func (d BareDocuments) Fits(blockSize int) bool { return len(d)%2 == 1 && len(d) <= 2*blockSize+1 }

// Each calls f with the offset of each document.
func (d BareDocuments) Each(f func(offset int)) {
	for i := 1; i < len(d); i += 2 {
		f(int(binary.LittleEndian.Uint16(d[i:])))
	}
}
