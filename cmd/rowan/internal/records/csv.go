package records

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Column is the type of JSON value that the cells of a CSV column become.
type Column int

// The kinds of columns. A cell that does not fit its kind becomes a string, which the server then judges.
const (
	StringColumn Column = iota
	NumberColumn
	BoolColumn
	// DateColumn takes numbers as milliseconds since 1970, as in dates of documents. Up to four digits look like a year
	// rather than an instant of 1970: they become strings, which the server refuses.
	DateColumn
)

// csvReader reads CSV (RFC 4180) with a header row. An empty cell is a missing property; a cell is never an array.
type csvReader struct {
	in      *csv.Reader
	budget  *budgetReader
	max     int
	header  []string // names of the columns
	names   []string // the same names, encoded as JSON
	columns []Column
	typed   bool // some columns do not hold strings
	line    int  // where the last record began
	guessed bool
}

// newCSVReader reads the header. If the format is only guessed, it refuses CSV that may just as well be something else.
func newCSVReader(in *bufio.Reader, limit int, check func(names []string) error, guessed bool) (*csvReader, error) {
	budget := &budgetReader{in: in, left: limit}
	if endsInCR(in) {
		budget.in = crReader{in}
	}
	r := &csvReader{in: csv.NewReader(budget), budget: budget, max: limit, guessed: guessed}
	r.in.ReuseRecord = true
	header, err := r.in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the input is empty: expected a CSV header row")
	}
	if err != nil {
		return nil, fmt.Errorf("CSV header row: %w", err)
	}
	seen := make(map[string]bool, len(header))
	for i, name := range header {
		name = strings.TrimSpace(name)
		if name == "" {
			return nil, fmt.Errorf("CSV header row: column %d has no name", i+1)
		}
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("CSV header row: column %d is not valid UTF-8", i+1)
		}
		if len(header) == 1 && strings.ContainsAny(name, ";\t") {
			return nil, errors.New("CSV header row: the columns must be separated by commas, not by semicolons or tabs")
		}
		if seen[name] {
			return nil, fmt.Errorf("CSV header row: two columns are called %q", name)
		}
		seen[name] = true
		encoded, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		r.header, r.names = append(r.header, name), append(r.names, string(encoded))
	}
	if guessed && len(header) == 1 {
		return nil, errOneColumn
	}
	if check != nil {
		if err := check(r.header); err != nil {
			return nil, fmt.Errorf("CSV header row: %w", err)
		}
	}
	r.Type(nil)
	r.line = 1
	return r, nil
}

// Type implements Reader.
func (r *csvReader) Type(columns map[string]Column) {
	r.columns, r.typed = make([]Column, len(r.header)), false
	for i, name := range r.header {
		r.columns[i] = columns[name]
		r.typed = r.typed || r.columns[i] != StringColumn
	}
}

// Next implements Reader.
func (r *csvReader) Next() (Record, error) {
	r.budget.left = r.max
	cells, err := r.in.Read()
	if err != nil {
		if errors.Is(err, io.EOF) && r.guessed && r.line == 1 {
			return Record{}, errNoRows
		}
		if errors.Is(err, errBudget) {
			return Record{}, fmt.Errorf("the record after the one in line %d is larger than %d MiB; is a quote missing?", r.line, r.max>>20)
		}
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			message := fmt.Sprintf("column %d: %v", parse.Column, parse.Err)
			if errors.Is(err, csv.ErrFieldCount) {
				message = fmt.Sprintf("expected as many cells as in the header row (%d), got %d", len(r.names), len(cells))
			}
			r.line = parse.StartLine
			return Record{}, &Bad{Line: int64(parse.StartLine), Message: message}
		}
		return Record{}, err
	}
	r.line, _ = r.in.FieldPos(0)
	if i := slices.IndexFunc(cells, func(cell string) bool { return !utf8.ValidString(cell) }); i >= 0 {
		return Record{}, &Bad{Line: int64(r.line), Message: fmt.Sprintf("column %d: not valid UTF-8", i+1)}
	}
	raw := r.object(cells, func(column int) Column { return r.columns[column] })
	text := raw
	if r.typed {
		text = r.object(cells, func(int) Column { return StringColumn })
	}
	return Record{Line: int64(r.line), Raw: raw, Text: text}, nil
}

// object returns a row as a JSON object, with the cells in the types of their columns.
func (r *csvReader) object(cells []string, kind func(column int) Column) []byte {
	raw := []byte{'{'}
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		if len(raw) > 1 {
			raw = append(raw, ',')
		}
		raw = append(append(raw, r.names[i]...), ':')
		raw = appendCell(raw, cell, kind(i))
	}
	return append(raw, '}')
}

func appendCell(raw []byte, cell string, kind Column) []byte {
	bare := strings.TrimSpace(cell)
	lower := strings.ToLower(bare)
	switch {
	case kind == BoolColumn && (lower == "true" || lower == "false"):
		return append(raw, lower...)
	case kind == NumberColumn && isNumber(bare):
		return append(raw, bare...)
	case kind == DateColumn && len(bare) > 4 && isNumber(bare):
		return append(raw, bare...)
	}
	encoded, err := json.Marshal(cell)
	if err != nil {
		panic(err) // strings always encode
	}
	return append(raw, encoded...)
}

// isNumber reports whether s is a number as JSON writes it: "1.5", not "1,5", "007" or "NaN".
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || (s[0] >= '0' && s[0] <= '9')) && json.Valid([]byte(s))
}

// errBudget ends a record that is too large.
var errBudget = errors.New("record too large")

// budgetReader fails when more than left bytes are read before left is set again. Without it, csv.Reader
// would hold everything that follows an unclosed quote.
type budgetReader struct {
	in   io.Reader
	left int
}

func (b *budgetReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBudget
	}
	n, err := b.in.Read(p)
	b.left -= n
	return n, err
}

// endsInCR reports whether the header row ends in a lone carriage return, as lines did on old Macs and do in Excel's "CSV (Macintosh)".
func endsInCR(in *bufio.Reader) bool {
	quoted := false
	for n := 1; n < in.Size(); n++ {
		head, _ := in.Peek(n)
		if len(head) < n {
			return false
		}
		switch c := head[n-1]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			return false
		case c == '\r':
			next, _ := in.Peek(n + 1)
			if len(next) <= n || next[n] != '\n' {
				return true
			}
		}
	}
	return false
}

// crReader turns carriage returns into line feeds.
type crReader struct{ in io.Reader }

func (r crReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
