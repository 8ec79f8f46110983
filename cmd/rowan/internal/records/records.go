// Package records reads the documents of an import, one at a time, from JSON arrays, NDJSON and CSV,
// compressed or not. It holds one record at a time, however long the input is, and knows where each
// stands. It does not look into the records: whether one is a document is for its caller to find out.
package records

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Format is how records are written down.
type Format string

// The formats. Auto looks at the first bytes.
const (
	Auto   Format = "auto"
	JSON   Format = "json"
	NDJSON Format = "ndjson"
	CSV    Format = "csv"
)

// MaxRecord is the size that one record may have, in bytes. It bounds what a missing quote or bracket
// can make a reader hold; the server's own limit for a document is lower.
const MaxRecord = 64 << 20

// Record is one record of the input.
type Record struct {
	// Line is where the record begins, from 1.
	Line int64
	// Raw is the record as JSON, which has not been checked. It is the caller's to keep.
	Raw []byte
}

// Bad is a record that cannot be read; the reader can go on with the next.
type Bad struct {
	Line    int64
	Message string
}

func (b *Bad) Error() string { return fmt.Sprintf("line %d: %s", b.Line, b.Message) }

// Reader yields records. Next returns io.EOF at the end and a *Bad for a record that can be passed over;
// after any other error there is nothing more to be had.
type Reader interface {
	Next() (Record, error)
	// Type tells, before the first record, which columns of CSV hold numbers and which truth values; the others are strings. JSON says
	// so itself.
	Type(columns map[string]Column)
}

// typed is what a Reader of JSON has for Type.
type typed struct{}

// Type implements Reader.
func (typed) Type(map[string]Column) {}

// Options say how to read.
type Options struct {
	Format Format
	// Header, if not nil, is asked whether the names of the columns of CSV will do.
	Header func(names []string) error
	// maxRecord replaces MaxRecord in tests.
	maxRecord int
}

// NewReader reads records from r, and at once what comes before them: gzip and a byte order mark are recognised by their first
// bytes, a header row of CSV has to be right.
func NewReader(r io.Reader, opts Options) (Reader, error) {
	if opts.maxRecord == 0 {
		opts.maxRecord = MaxRecord
	}
	in := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("reading gzip: %w", err)
		}
		in = bufio.NewReaderSize(unzipped, 1<<16)
	}
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	format := opts.Format
	if format == Auto || format == "" {
		var err error
		if format, err = sniff(in); err != nil {
			return nil, err
		}
	}
	switch format {
	case JSON:
		return newArrayReader(in, opts.maxRecord)
	case NDJSON:
		return &lineReader{in: in, max: opts.maxRecord}, nil
	case CSV:
		return newCSVReader(in, opts.maxRecord, opts.Header)
	default:
		return nil, fmt.Errorf("unknown format %q", format)
	}
}

// sniff tells the format from the first byte that is not white space. An empty input passes as NDJSON
// of no records.
func sniff(in *bufio.Reader) (Format, error) {
	for n := 1; n <= in.Size(); n++ {
		head, err := in.Peek(n)
		if len(head) < n {
			if errors.Is(err, io.EOF) {
				return NDJSON, nil
			}
			return "", err
		}
		switch head[n-1] {
		case ' ', '\t', '\r', '\n':
		case '[':
			return JSON, nil
		case '{':
			return NDJSON, nil
		default:
			return CSV, nil
		}
	}
	return "", fmt.Errorf("the first %d bytes are blank: name the format with --format", in.Size())
}

func tooLarge(limit int) string { return fmt.Sprintf("larger than %d MiB", limit>>20) }
