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

// The formats. Auto looks at the first bytes, and refuses what only looks like one of them.
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
	// Text tells records apart: it depends on the input alone, as Raw does but for the columns of CSV (Reader.Type).
	Text []byte
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
	// Likely is the format that something else than the input speaks for, as the name of a file does. Auto takes it; "" is none.
	Likely Format
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
			return nil, fmt.Errorf("reading gzip: %w", endsEarly(err))
		}
		in = bufio.NewReaderSize(gzipReader{unzipped}, 1<<16)
	}
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	format, asked, sniffed := opts.Format, true, false
	if format == Auto || format == "" {
		format, asked = opts.Likely, false
	}
	if format == "" {
		var err error
		if format, err = sniff(in); err != nil {
			return nil, err
		}
		sniffed = true
	}
	switch format {
	case JSON:
		return newArrayReader(in, opts.maxRecord)
	case NDJSON:
		return &lineReader{in: in, max: opts.maxRecord, doubted: !asked}, nil
	case CSV:
		return newCSVReader(in, opts.maxRecord, opts.Header, sniffed)
	default:
		return nil, fmt.Errorf("unknown format %q", format)
	}
}

// gzipReader reads what is compressed, and says so where that ends early: nothing else tells that the input is not the fault.
type gzipReader struct{ in io.Reader }

func (r gzipReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	return n, endsEarly(err)
}

func endsEarly(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the gzip file ends early: part of it is missing")
	}
	return err
}

func tooLarge(limit int) string { return fmt.Sprintf("larger than %d MiB", limit>>20) }
