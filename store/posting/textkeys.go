package posting

import (
	"encoding/binary"
	"math"
	"slices"
)

// Texts are ordered by block, too, and so are fields with nearly as many values as documents (store/accelerateorder.go): of the key that the
// text of a document is ordered by (store/table/columns.go) the first eight bytes, as a number. What these do not tell apart, the statement does, for the few documents that a page may show.

// NoKey is that of a document without a text, which comes last either way. No text has these bytes.
const NoKey uint64 = math.MaxUint64

// BeginningOf is the first eight bytes of a key, as a number: that of a smaller key is not larger.
func BeginningOf(key []byte) uint64 {
	var first [8]byte
	copy(first[:], key)
	return binary.BigEndian.Uint64(first[:])
}

// TextKeys are those of the documents of a block by offset up to the last document, eight bytes each: of the smallest text of each,
// and behind them, where a document has several, of the largest of each; then one byte more, unless it is 0, with severalKeys and
// RoundedKeys.
type TextKeys []byte

const (
	// severalKeys tells that the largest are there, too.
	severalKeys = 1 << iota
	// RoundedKeys tells that keys may not say all of the values of numbers: equal keys can stand for different values.
	RoundedKeys
)

// Flags are the byte behind the keys.
func (k TextKeys) Flags() byte {
	if len(k)%8 == 1 {
		return k[len(k)-1]
	}
	return 0
}

// Span is the number of offsets that have keys; several tells that the largest are there, too.
func (k TextKeys) Span() (span int, several bool) {
	if several = k.Flags()&severalKeys != 0; several {
		return len(k) / 16, true
	}
	return len(k) / 8, false
}

// Of is that of a document in an order, such that it rises.
func (k TextKeys) Of(offset int, desc bool) uint64 {
	if span, several := k.Span(); desc && several {
		offset += span
	}
	switch n := binary.LittleEndian.Uint64(k[8*offset:]); {
	case desc && n != NoKey:
		return NoKey - n
	default:
		return n
	}
}

// Most is the largest of a document.
func (k TextKeys) Most(offset int) uint64 {
	if span, several := k.Span(); several {
		offset += span
	}
	return binary.LittleEndian.Uint64(k[8*offset:])
}

// Fits tells that they are of a block of so many documents at most.
func (k TextKeys) Fits(blockSize int) bool {
	span, several := k.Span()
	return span > 0 && span <= blockSize && (several && len(k) == 16*span+1 || !several && len(k)-8*span <= 1)
}

// KeysBuilder collects the TextKeys of one field in one block.
type KeysBuilder struct {
	least, most []uint64
	Rounded     bool
}

// NewKeysBuilder returns one for blocks of so many documents. Reset comes before the first.
func NewKeysBuilder(blockSize int) *KeysBuilder {
	return &KeysBuilder{least: make([]uint64, blockSize), most: make([]uint64, blockSize)}
}

// Reset forgets the block before.
func (b *KeysBuilder) Reset() {
	b.Rounded = false
	for i := range b.least {
		b.least[i], b.most[i] = NoKey, NoKey
	}
}

// Add takes what a document is ordered by either way: searchsql.FirstValue. nil is none.
func (b *KeysBuilder) Add(offset int, least, most []byte) {
	if least != nil {
		b.least[offset], b.most[offset] = BeginningOf(least), BeginningOf(most)
	}
}

// Encode returns the TextKeys of the first span offsets.
func (b *KeysBuilder) Encode(span int) []byte {
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
	if b.Rounded {
		flags |= RoundedKeys
	}
	if flags != 0 {
		data = append(data, flags)
	}
	return data
}
