// Package records reads the documents of an import, one at a time, from JSON arrays, NDJSON and CSV,
// compressed or not. It holds one record at a time, however long the input is, and knows the line of each. It
// does not look into records: its caller has to check whether they are documents.
package records

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Format is a format of records.
type Format string

// The formats. Auto looks at the first bytes, and refuses what only looks like one of them.
const (
	Auto   Format = "auto"
	JSON   Format = "json"
	NDJSON Format = "ndjson"
	CSV    Format = "csv"
)

// MaxRecord is the largest size of a record, in bytes. It limits what a missing quote or bracket can make a
// reader hold; the server's own limit for a document is lower.
const MaxRecord = 64 << 20

// Record is one record of the input.
type Record struct {
	// Line is the line where the record begins, from 1.
	Line int64
	// Raw is the record as unchecked JSON. The caller may keep it.
	Raw []byte
	// Text identifies the record. It depends only on the input, whereas Raw also depends on the types of CSV columns (Reader.Type).
	Text []byte
}

// Bad is the error of a record that cannot be read; the reader can continue with the next one.
type Bad struct {
	Line    int64
	Message string
}

func (b *Bad) Error() string { return fmt.Sprintf("line %d: %s", b.Line, b.Message) }

// Reader reads records. Next returns io.EOF at the end and a *Bad for a record that can be skipped; after any
// other error there are no more records.
type Reader interface {
	Next() (Record, error)
	// Type sets, before the first record is read, the types of CSV columns; columns that it does not name hold strings. JSON has types
	// of its own.
	Type(columns map[string]Column)
}

// typed implements Type for readers of JSON.
type typed struct{}

// Type implements Reader.
func (typed) Type(map[string]Column) {}

// Options configure a Reader.
type Options struct {
	Format Format
	// Likely is the format that something other than the input suggests, such as the name of a file. Auto uses it; "" means none.
	Likely Format
	// Header, if not nil, checks the names of the columns of CSV.
	Header func(names []string) error
	// maxRecord replaces MaxRecord in tests.
	maxRecord int
}

// NewReader returns a Reader of r. It reads what comes before the records at once: gzip and a byte order mark, which it
// recognizes by their first bytes, and the header row of CSV, which it checks.
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
	if mark, _ := in.Peek(2); string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff" {
		return nil, errUTF16
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

// gzipReader reads the uncompressed content, and says so if the compressed input ends early: otherwise the content would
// seem to be at fault.
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
