package document

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Decode reads a stored document: objects as map[string]any, arrays as []any, strings, numbers as json.Number, booleans,
// nil. It does what encoding/json does with UseNumber, in less than a third of the time. The strings of the result share one copy of body.
func Decode(body []byte) (map[string]any, error) {
	d := decoder{scanner: newScanner(body), text: string(body)}
	if d.peek() != '{' {
		return nil, fmt.Errorf("document: no object")
	}
	value, ok := d.value()
	if !ok || !d.end() {
		return nil, d.err
	}
	return value.(map[string]any), nil
}

// decoder is a scanner that keeps what it reads.
type decoder struct {
	*scanner
	text  string // a copy of the data, of which the strings are parts; empty until one is needed
	plain []byte // scratch: a string without its escapes
}

func (d *decoder) value() (any, bool) {
	c := d.peek()
	switch c {
	case '{':
		object := map[string]any{}
		ok := d.members(func(name []byte) bool {
			key := string(name)
			value, ok := d.value()
			object[key] = value
			return ok
		})
		return object, ok
	case '[':
		array := []any{}
		ok := d.elements(func() bool {
			value, ok := d.value()
			array = append(array, value)
			return ok
		})
		return array, ok
	}
	start := d.pos
	if !d.scalar(c) {
		return nil, false
	}
	switch c {
	case '"':
		if d.escaped {
			return d.unescaped(start), true
		}
		return d.text[start+1 : d.pos-1], true
	case 't', 'f':
		return c == 't', true
	case 'n':
		return nil, true
	}
	return json.Number(d.text[start:d.pos]), true
}

// unescaped returns the string that was read last, which begins at start.
func (d *decoder) unescaped(start int) string {
	inside := d.data[start+1 : d.pos-1]
	d.plain = unescape(slices.Grow(d.plain[:0], len(inside)), inside)
	return string(d.plain)
}

// AppendCompact appends a stored document without the spaces between its tokens, which PostgreSQL writes after colons and
// commas.
func AppendCompact(dst, body []byte) []byte {
	s := newScanner(body)
	for s.peek() != 0 {
		start := s.pos
		if body[start] != '"' {
			s.pos++
		} else if !s.str() {
			s.pos = len(body) // not a document
		}
		dst = append(dst, body[start:s.pos]...)
	}
	return dst
}
