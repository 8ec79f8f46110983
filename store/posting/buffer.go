package posting

import "encoding/binary"

// Buffer collects the postings of a lexeme in a block, in little room: of each document the distance of its offset from
// the one before, and its pattern, of seven bits a byte; and its positions.
type Buffer struct {
	Documents int    // how many have been added
	Positions []byte // of these, as AppendPositions writes them
	offset    uint16 // of the last
	data      []byte
}

// Reset makes it empty.
func (b *Buffer) Reset() {
	*b = Buffer{data: b.data[:0], Positions: b.Positions[:0]}
}

// Add adds a posting, whose offset is above all others.
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
