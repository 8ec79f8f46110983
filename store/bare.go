package store

import "encoding/binary"

// bareDocuments are the documents of a block that have a field without a value: a byte that is 0, and the offset of each, of two
// bytes.
type bareDocuments []byte

// known tells that the block lists them.
func (d bareDocuments) known() bool { return len(d) > 0 }

func (d bareDocuments) fits(blockSize int) bool { return len(d)%2 == 1 && len(d) <= 2*blockSize+1 }

// each calls f with the offset of each.
func (d bareDocuments) each(f func(offset int)) {
	for i := 1; i < len(d); i += 2 {
		f(int(binary.LittleEndian.Uint16(d[i:])))
	}
}
