package records

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// arrayReader reads the elements of a JSON array. It only finds where elements end, by counting brackets
// outside strings: json.Decoder would hold the rest of the input after a missing quote.
type arrayReader struct {
	typed

	in    *bufio.Reader
	max   int
	line  int64
	begun bool // an element has been read
	done  bool
}

func newArrayReader(in *bufio.Reader, limit int) (*arrayReader, error) {
	r := &arrayReader{in: in, max: limit, line: 1}
	c, err := r.skipSpace()
	if err != nil {
		return nil, errors.New("the input is empty: expected a JSON array")
	}
	if c != '[' {
		return nil, fmt.Errorf("line %d: expected a JSON array, found %q; name the format with --format", r.line, c)
	}
	return r, nil
}

// Next implements Reader.
func (r *arrayReader) Next() (Record, error) {
	if r.done {
		return Record{}, io.EOF
	}
	c, err := r.skipSpace()
	if err != nil {
		return Record{}, r.broken(err)
	}
	switch {
	case c == ']':
		return Record{}, r.end()
	case r.begun && c != ',':
		return Record{}, r.misplaced(c)
	case r.begun:
		if c, err = r.skipSpace(); err != nil {
			return Record{}, r.broken(err)
		}
	}
	if c == ',' || c == ']' || c == '}' || c == ':' {
		return Record{}, r.misplaced(c)
	}
	r.begun = true
	return r.element(c)
}

// element reads the element that begins with c.
func (r *arrayReader) element(c byte) (Record, error) {
	begin, depth, inString, escaped := r.line, 0, false, false
	raw := make([]byte, 0, 1024)
	for {
		raw = append(raw, c)
		if len(raw) > r.max {
			// Not a Bad, which could be passed over: where the next element begins is unknown, and what follows may be part of
			// this one.
			r.done = true
			return Record{}, fmt.Errorf("line %d: %s; is a quote or bracket missing?", begin, tooLarge(r.max))
		}
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && !inString {
			// A closing bracket or quote ends an element; a bare number or word ends before what follows it.
			if c == '}' || c == ']' || c == '"' {
				return Record{Line: begin, Raw: raw, Text: raw}, nil
			}
			if next, err := r.in.Peek(1); err == nil && isDelimiter(next[0]) {
				return Record{Line: begin, Raw: raw, Text: raw}, nil
			}
		}
		var err error
		if c, err = r.readByte(); err != nil {
			return Record{}, r.broken(err)
		}
	}
}

func isDelimiter(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ']', '}':
		return true
	}
	return false
}

// end checks that nothing follows the array.
func (r *arrayReader) end() error {
	r.done = true
	c, err := r.skipSpace()
	if err == nil {
		return fmt.Errorf("line %d: expected the end of the input after the array, found %q", r.line, c)
	}
	return err // io.EOF, unless reading failed
}

func (r *arrayReader) readByte() (byte, error) {
	c, err := r.in.ReadByte()
	if c == '\n' {
		r.line++
	}
	return c, err
}

func (r *arrayReader) skipSpace() (byte, error) {
	for {
		c, err := r.readByte()
		if err != nil || (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
			return c, err
		}
	}
}

func (r *arrayReader) misplaced(c byte) error {
	r.done = true
	return fmt.Errorf("line %d: expected a comma and a document, or the end of the array, found %q", r.line, c)
}

func (r *arrayReader) broken(err error) error {
	r.done = true
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("line %d: the input ends inside the array", r.line)
	}
	return err
}
