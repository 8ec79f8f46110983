package store

import (
	"encoding/binary"
	"math"
)

// measures are what the scores of the documents of a block depend on besides the lexemes: by offset the length of each, in
// distinct lexemes of its fields, of two bytes, and the boost that all have, or that of each. Each field's
// lengths are in rows of their own, for searches in some fields and for measured titles.
type measures struct{ lengths, boosts []byte }

// encodeMeasures returns the bytes of the documents in a list, and of their measures by offset.
func encodeMeasures(list []posting, lengths []uint16, boosts []float32, blockSize int) []byte {
	span := int(list[len(list)-1].offset) + 1
	data := appendPlaces(make([]byte, 0, blockSize/8+2*span+4), list, blockSize)
	data = appendLengths(data, lengths[:span])
	same := true
	for _, p := range list {
		same = same && boosts[p.offset] == boosts[list[0].offset]
	}
	if same {
		return binary.LittleEndian.AppendUint32(data, math.Float32bits(boosts[list[0].offset]))
	}
	for _, boost := range boosts[:span] {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(boost))
	}
	return data
}

func appendLengths(data []byte, lengths []uint16) []byte {
	for _, length := range lengths {
		data = binary.LittleEndian.AppendUint16(data, length)
	}
	return data
}

// decodeMeasures returns what encodeMeasures made. It keeps data.
func decodeMeasures(documents int, data []byte, blockSize int) (p postings, m measures, ok bool) {
	places := placesSize(documents, blockSize)
	if documents < 1 || len(data) < places {
		return p, m, false
	}
	p = postings{documents: documents, places: data[:places:places]}
	span := 0
	if listed(documents, blockSize) {
		span = int(binary.LittleEndian.Uint16(p.places[places-2:])) + 1
	} else {
		for i, b := range p.places {
			if b != 0 {
				span = 8*i + 8
			}
		}
		for span > 0 && p.places[(span-1)/8]>>((span-1)%8)&1 == 0 {
			span--
		}
	}
	data = data[places:]
	if span > blockSize || len(data) != 2*span+4 && len(data) != 6*span {
		return p, m, false
	}
	return p, measures{data[: 2*span : 2*span], data[2*span:]}, true
}

// sameBoost is the boost of all documents, if they have one.
func (m measures) sameBoost() (boost float32, ok bool) {
	if len(m.boosts) != 4 {
		return 0, false
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(m.boosts)), true
}

func (m measures) boost(offset int) float32 {
	if boost, ok := m.sameBoost(); ok {
		return boost
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(m.boosts[4*offset:]))
}
