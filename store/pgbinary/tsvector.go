// Package pgbinary reads binary forms of PostgreSQL that pgx cannot read without copying: tsvectors and arrays.
package pgbinary

import (
	"bytes"
	"encoding/binary"
	"errors"
)

var errTsvector = errors.New("pgbinary: a tsvector in a form that is not known")

// CountLexemes returns the number of lexemes of a tsvector in PostgreSQL's binary form.
func CountLexemes(raw []byte) int {
	if len(raw) < 4 {
		return 0
	}
	return int(binary.BigEndian.Uint32(raw))
}

// EachLexeme calls f with every lexeme of a tsvector in PostgreSQL's binary form and its occurrences. That form is the number of lexemes, then for
// each its text, a zero byte, the number of its positions, and these. A lexeme without positions counts as one occurrence, as in ts_rank.
func EachLexeme(raw []byte, f func(lexeme []byte, o Occurrences)) error {
	n := CountLexemes(raw)
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
		f(lexeme, Occurrences{max(times, 1), raw[:2*times]})
		raw = raw[2*times:]
	}
	return nil
}

// EachElement calls f with every element of a one-dimensional array in PostgreSQL's binary form; nil for null.
func EachElement(raw []byte, f func(element []byte)) error {
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

var errArray = errors.New("pgbinary: an array in a form that is not known")
