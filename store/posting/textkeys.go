package posting

import (
	"encoding/binary"
	"math"
	"slices"
)

// Blocks also keep the order of texts, and of fields with nearly as many values as documents (store/accelerateorder.go): the first eight bytes, as a
// number, of the key by which a document's text is ordered (store/table/columns.go). Where these are equal, the statement decides, for the few
// documents that a page may show.

// NoKey is the key of a document without a text, which comes last in either direction. No text has these bytes.
const NoKey uint64 = math.MaxUint64

// BeginningOf returns the first eight bytes of a key as a number, preserving order: a smaller key never yields a larger number.
func BeginningOf(key []byte) uint64 {
	var first [8]byte
	copy(first[:], key)
	return binary.BigEndian.Uint64(first[:])
}

// TextKeys are the keys of a block's documents by offset, up to the last document, eight bytes each: those of the smallest text of each document and,
// if any document has several, then those of the largest of each; then a byte with severalKeys and RoundedKeys, unless it is 0.
type TextKeys []byte

const (
	// severalKeys says that the largest keys are included.
	severalKeys = 1 << iota
	// RoundedKeys says that keys may not represent numbers completely: equal keys can stand for different values.
	RoundedKeys
)

// Flags returns the byte after the keys.
func (k TextKeys) Flags() byte {
	if len(k)%8 == 1 {
		return k[len(k)-1]
	}
	return 0
}

// Span returns the number of offsets that have keys; several says that the largest keys are included.
func (k TextKeys) Span() (span int, several bool) {
	if several = k.Flags()&severalKeys != 0; several {
		return len(k) / 16, true
	}
	return len(k) / 8, false
}

// Of returns the key of a document such that keys increase in the order given by desc.
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

// Most returns the largest key of a document.
func (k TextKeys) Most(offset int) uint64 {
	if span, several := k.Span(); several {
		offset += span
	}
	return binary.LittleEndian.Uint64(k[8*offset:])
}

// Fits reports whether the length is valid for a block of at most the given size.
func (k TextKeys) Fits(blockSize int) bool {
	span, several := k.Span()
	return span > 0 && span <= blockSize && (several && len(k) == 16*span+1 || !several && len(k)-8*span <= 1)
}

// KeysBuilder collects the TextKeys of one field in one block.
type KeysBuilder struct {
	least, most []uint64
	Rounded     bool
}

// NewKeysBuilder returns a builder for blocks of the given size. Call Reset before the first block.
func NewKeysBuilder(blockSize int) *KeysBuilder {
	return &KeysBuilder{least: make([]uint64, blockSize), most: make([]uint64, blockSize)}
}

// Reset prepares the builder for the next block.
func (b *KeysBuilder) Reset() {
	b.Rounded = false
	for i := range b.least {
		b.least[i], b.most[i] = NoKey, NoKey
	}
}

// Add adds a document's smallest and largest key: see searchsql.FirstValue. nil means none.
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
