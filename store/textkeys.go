package store

import (
	"encoding/binary"
	"math"
	"slices"
)

// Texts are ordered by block, too, and so are fields with nearly as many values as documents (accelerateorder.go): of the key that the
// text of a document is ordered by (columns.go) the first eight bytes, as a number. What these do not tell apart, the statement does, for the few documents that a page may show.

// noKey is that of a document without a text, which comes last either way. No text has these bytes.
const noKey uint64 = math.MaxUint64

// beginningOf is the first eight bytes of a key, as a number: that of a smaller key is not larger.
func beginningOf(key []byte) uint64 {
	var first [8]byte
	copy(first[:], key)
	return binary.BigEndian.Uint64(first[:])
}

// textKeys are those of the documents of a block by offset up to the last document, eight bytes each: of the smallest text of each,
// and behind them, where a document has several, of the largest of each; then one byte more, unless it is 0, with severalKeys and
// roundedKeys.
type textKeys []byte

const (
	// severalKeys tells that the largest are there, too.
	severalKeys = 1 << iota
	// roundedKeys tells that keys may not say all of the values of numbers: equal keys can stand for different values.
	roundedKeys
)

// flags are the byte behind the keys.
func (k textKeys) flags() byte {
	if len(k)%8 == 1 {
		return k[len(k)-1]
	}
	return 0
}

// span is the number of offsets that have keys; several tells that the largest are there, too.
func (k textKeys) span() (span int, several bool) {
	if several = k.flags()&severalKeys != 0; several {
		return len(k) / 16, true
	}
	return len(k) / 8, false
}

// of is that of a document in an order, such that it rises.
func (k textKeys) of(offset int, desc bool) uint64 {
	if span, several := k.span(); desc && several {
		offset += span
	}
	switch n := binary.LittleEndian.Uint64(k[8*offset:]); {
	case desc && n != noKey:
		return noKey - n
	default:
		return n
	}
}

// most is the largest of a document.
func (k textKeys) most(offset int) uint64 {
	if span, several := k.span(); several {
		offset += span
	}
	return binary.LittleEndian.Uint64(k[8*offset:])
}

// fits tells that they are of a block of so many documents at most.
func (k textKeys) fits(blockSize int) bool {
	span, several := k.span()
	return span > 0 && span <= blockSize && (several && len(k) == 16*span+1 || !several && len(k)-8*span <= 1)
}

// keysBuilder collects the textKeys of one field in one block.
type keysBuilder struct {
	least, most []uint64
	rounded     bool
}

func newKeysBuilder(blockSize int) *keysBuilder {
	return &keysBuilder{least: make([]uint64, blockSize), most: make([]uint64, blockSize)}
}

// reset forgets the block before.
func (b *keysBuilder) reset() {
	b.rounded = false
	for i := range b.least {
		b.least[i], b.most[i] = noKey, noKey
	}
}

// add takes what a document is ordered by either way: shape.firstValue. nil is none.
func (b *keysBuilder) add(offset int, least, most []byte) {
	if least != nil {
		b.least[offset], b.most[offset] = beginningOf(least), beginningOf(most)
	}
}

// encode returns the textKeys of the first span offsets.
func (b *keysBuilder) encode(span int) []byte {
	least, most := b.least[:span], b.most[:span]
	data := make([]byte, 0, 16*span+1)
	flags := byte(0)
	for _, n := range least {
		data = binary.LittleEndian.AppendUint64(data, n)
	}
	if !slices.Equal(least, most) {
		for _, n := range most {
			data = binary.LittleEndian.AppendUint64(data, n)
		}
		flags |= severalKeys
	}
	if b.rounded {
		flags |= roundedKeys
	}
	if flags != 0 {
		data = append(data, flags)
	}
	return data
}
