package store

import "encoding/binary"

// postingBuffer collects the postings of a lexeme in a block, in little room: of each document the distance of its offset from
// the one before, and its pattern, of seven bits a byte; and its positions.
type postingBuffer struct {
	documents       int
	offset          uint16 // of the last
	data, positions []byte
}

// reset makes it empty.
func (b *postingBuffer) reset() {
	*b = postingBuffer{data: b.data[:0], positions: b.positions[:0]}
}

// add adds a posting, whose offset is above all others.
func (b *postingBuffer) add(p posting) {
	b.data = binary.AppendUvarint(b.data, uint64(p.offset-b.offset))
	b.data = binary.AppendUvarint(b.data, uint64(p.pattern))
	b.documents, b.offset = b.documents+1, p.offset
}

// appendTo appends the postings to a list.
func (b *postingBuffer) appendTo(list []posting) []posting {
	data, offset := b.data, uint64(0)
	for range b.documents {
		distance, n := binary.Uvarint(data)
		pattern, m := binary.Uvarint(data[n:])
		data, offset = data[n+m:], offset+distance
		list = append(list, posting{uint16(offset), uint16(pattern)})
	}
	return list
}
