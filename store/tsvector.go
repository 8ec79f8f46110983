package store

import (
	"bytes"
	"encoding/binary"
	"errors"
)

var errTsvector = errors.New("store: a tsvector in a form that is not known")

// tsvectorLength returns the number of lexemes of a tsvector in PostgreSQL's binary form.
func tsvectorLength(raw []byte) int {
	if len(raw) < 4 {
		return 0
	}
	return int(binary.BigEndian.Uint32(raw))
}

// eachLexeme calls f with every lexeme of a tsvector in PostgreSQL's binary form (the number of lexemes; then
// for each its text up to a zero byte, the number of its positions, and these) and where it is. A lexeme without
// positions counts as being there once, as ts_rank has it.
func eachLexeme(raw []byte, f func(lexeme []byte, o occurrences)) error {
	n := tsvectorLength(raw)
	raw = raw[min(4, len(raw)):]
	for range n {
		end := bytes.IndexByte(raw, 0)
		if end < 0 || len(raw) < end+3 {
			return errTsvector
		}
		times := int(binary.BigEndian.Uint16(raw[end+1:]))
		lexeme := raw[:end]
		if raw = raw[end+3:]; len(raw) < 2*times {
			return errTsvector
		}
		f(lexeme, occurrences{max(times, 1), raw[:2*times]})
		raw = raw[2*times:]
	}
	return nil
}

// eachElement calls f with every element of a one-dimensional array in PostgreSQL's binary form; nil for null.
func eachElement(raw []byte, f func(element []byte)) error {
	if len(raw) < 12 {
		return errArray
	}
	dimensions := binary.BigEndian.Uint32(raw)
	if dimensions == 0 {
		return nil
	}
	if dimensions != 1 || len(raw) < 20 {
		return errArray
	}
	n := int(binary.BigEndian.Uint32(raw[12:]))
	raw = raw[20:]
	for range n {
		if len(raw) < 4 {
			return errArray
		}
		size := int32(binary.BigEndian.Uint32(raw))
		raw = raw[4:]
		if size < 0 {
			f(nil)
			continue
		}
		if len(raw) < int(size) {
			return errArray
		}
		f(raw[:size:size])
		raw = raw[size:]
	}
	return nil
}

var errArray = errors.New("store: an array in a form that is not known")
