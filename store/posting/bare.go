package posting

import "encoding/binary"

// BareDocuments are the documents of a block that have a field without a value: a byte that is 0, and the offset of each, of two
// bytes.
type BareDocuments []byte

// Known tells that the block lists them.
func (d BareDocuments) Known() bool { return len(d) > 0 }

// Fits tells whether they are of a block of so many documents.
func (d BareDocuments) Fits(blockSize int) bool { return len(d)%2 == 1 && len(d) <= 2*blockSize+1 }

// Each calls f with the offset of each.
func (d BareDocuments) Each(f func(offset int)) {
	for i := 1; i < len(d); i += 2 {
		f(int(binary.LittleEndian.Uint16(d[i:])))
	}
}
