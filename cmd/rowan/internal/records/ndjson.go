package records

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lineReader reads NDJSON: one record per line. It skips blank lines.
type lineReader struct {
	typed

	in   *bufio.Reader
	max  int
	line int64
	// doubted reports whether the next line may be something else, because nobody has named the format.
	doubted bool
}

// Next implements Reader.
func (r *lineReader) Next() (Record, error) {
	for {
		raw, size, err := r.readLine()
		if size == 0 && err != nil {
			return Record{}, err
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return Record{}, err
		}
		r.line++
		if size > r.max {
			return Record{}, &Bad{Line: r.line, Message: tooLarge(r.max)}
		}
		if record := bytes.TrimSpace(raw); len(record) > 0 {
			switch {
			case r.doubted && record[0] == '[':
				return Record{}, errArray
			case r.doubted && isBulkAction(raw):
				return Record{}, errBulk
			}
			r.doubted = false
			return Record{Line: r.line, Raw: raw, Text: raw}, nil
		}
	}
}

// readLine returns a line without its end, and its size. Of a line beyond the limit it returns only the
// beginning, so size may be larger than the line.
func (r *lineReader) readLine() (line []byte, size int, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		size += len(part)
		if size <= r.max {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), size, err
		}
	}
}
