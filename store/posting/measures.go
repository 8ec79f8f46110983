package posting

import (
	"encoding/binary"
	"math"
)

// Measures are what the scores of a block's documents depend on besides the lexemes: by offset, the length of each document in distinct lexemes of
// its fields, in two bytes, and the common boost of all documents or the boost of each. The lengths of each field are in rows of their own, for
// searches in some fields and for measured titles.
type Measures struct{ Lengths, Boosts []byte }

// EncodeMeasures encodes the documents in a list, and their measures by offset.
func EncodeMeasures(list []Entry, lengths []uint16, boosts []float32, blockSize int) []byte {
	span := int(list[len(list)-1].Offset) + 1
	data := appendPlaces(make([]byte, 0, blockSize/8+2*span+4), list, blockSize)
	data = AppendLengths(data, lengths[:span])
	same := true
	for _, p := range list {
		same = same && boosts[p.Offset] == boosts[list[0].Offset]
	}
	if same {
		return binary.LittleEndian.AppendUint32(data, math.Float32bits(boosts[list[0].Offset]))
	}
	for _, boost := range boosts[:span] {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(boost))
	}
	return data
}

// AppendLengths appends the lengths of a field by offset, in two bytes each.
func AppendLengths(data []byte, lengths []uint16) []byte {
	for _, length := range lengths {
		data = binary.LittleEndian.AppendUint16(data, length)
	}
	return data
}

// DecodeMeasures decodes the result of EncodeMeasures. It keeps data.
func DecodeMeasures(documents int, data []byte, blockSize int) (p List, m Measures, ok bool) {
	places := placesSize(documents, blockSize)
	if documents < 1 || len(data) < places {
		return p, m, false
	}
	p = List{Documents: documents, Places: data[:places:places]}
	span := 0
	if listed(documents, blockSize) {
		span = int(binary.LittleEndian.Uint16(p.Places[places-2:])) + 1
	} else {
		for i, b := range p.Places {
			if b != 0 {
				span = 8*i + 8
			}
		}
		for span > 0 && p.Places[(span-1)/8]>>((span-1)%8)&1 == 0 {
			span--
		}
	}
	data = data[places:]
	if span > blockSize || len(data) != 2*span+4 && len(data) != 6*span {
		return p, m, false
	}
	return p, Measures{data[: 2*span : 2*span], data[2*span:]}, true
}

// SameBoost returns the common boost of all documents, if they have one.
func (m Measures) SameBoost() (boost float32, ok bool) {
	if len(m.Boosts) != 4 {
		return 0, false
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(m.Boosts)), true
}

// Boost returns the boost of the document at an offset.
func (m Measures) Boost(offset int) float32 {
	if boost, ok := m.SameBoost(); ok {
		return boost
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(m.Boosts[4*offset:]))
}
