package posting

import "encoding/binary"

// Buffer collects the postings of a lexeme in a block compactly: for each document the difference between its offset and the previous one, and its
// pattern, both as varints; and its positions.
type Buffer struct {
	Documents int    // how many have been added
	Positions []byte // of these documents, as AppendPositions writes them
	offset    uint16 // of the last document
	data      []byte
}

// Reset empties the buffer.
func (b *Buffer) Reset() {
	*b = Buffer{data: b.data[:0], Positions: b.Positions[:0]}
}

// Add adds a posting, whose offset must be larger than all previous ones.
func (b *Buffer) Add(p Entry) {
	b.data = binary.AppendUvarint(b.data, uint64(p.Offset-b.offset))
	b.data = binary.AppendUvarint(b.data, uint64(p.Pattern))
	b.Documents, b.offset = b.Documents+1, p.Offset
}

// AppendTo appends the postings to a list.
func (b *Buffer) AppendTo(list []Entry) []Entry {
	data, offset := b.data, uint64(0)
	for range b.Documents {
		distance, n := binary.Uvarint(data)
		pattern, m := binary.Uvarint(data[n:])
		data, offset = data[n+m:], offset+distance
		list = append(list, Entry{uint16(offset), uint16(pattern)})
	}
	return list
}
