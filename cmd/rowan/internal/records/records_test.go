package records

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// readAll describes every record, one entry each: "line: json", "line! message" for a bad one, and "error"
// followed by the error that ended the reading, if it was not the end of the input.
func readAll(r Reader) []string {
	var got []string
	for {
		record, err := r.Next()
		if bad, ok := errors.AsType[*Bad](err); ok { // as importer does
			got = append(got, strings.TrimPrefix(bad.Error(), "line ")+" !")
			continue
		}
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			return append(got, "error "+err.Error())
		}
		got = append(got, strconv.FormatInt(record.Line, 10)+": "+string(record.Raw))
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in      string
		format  Format
		columns map[string]Column
		want    []string
	}{
		"nothing":                          {in: "", want: nil},
		"blank":                            {in: " \n\n", want: nil},
		"lines":                            {in: "{\"a\":1}\n\n{\"a\":2}\r\n{\"a\":3}", want: []string{`1: {"a":1}`, `3: {"a":2}`, `4: {"a":3}`}},
		"lines after byte order mark":      {in: "\ufeff{\"a\":1}\n", want: []string{`1: {"a":1}`}},
		"a bad line is the caller's":       {in: "{\"a\":1}\noops\n", want: []string{`1: {"a":1}`, `2: oops`}},
		"a long line is passed over":       {in: "{\"a\":1}\n{\"a\":\"" + strings.Repeat("x", 200_000) + "\"}\n{\"a\":3}\n", want: []string{`1: {"a":1}`, "2: larger than 0 MiB !", `3: {"a":3}`}},
		"CSV in another encoding":          {in: "a,b\n1,caf\xe9\n2,x\n", format: CSV, want: []string{"2: column 2: not valid UTF-8 !", `3: {"a":"2","b":"x"}`}},
		"array":                            {in: "[\n {\"a\":1} ,\n\n {\"a\":[\"]}\\\"\",{}]}]\n", want: []string{`2: {"a":1}`, `4: {"a":["]}\"",{}]}`}},
		"empty array":                      {in: " [ ] ", want: nil},
		"array of other things":            {in: `[1, "a,b" ,true,null,[2],{}]`, want: []string{"1: 1", `1: "a,b"`, "1: true", "1: null", "1: [2]", "1: {}"}},
		"array with a bad element":         {in: "[{\"a\":},\n{\"a\":2}]", want: []string{`1: {"a":}`, `2: {"a":2}`}},
		"array that is not closed":         {in: "[{\"a\":1},\n", want: []string{`1: {"a":1}`, "error line 2: the input ends inside the array"}},
		"array cut in an element":          {in: "[{\"a\":1},\n{\"a\":", want: []string{`1: {"a":1}`, "error line 2: the input ends inside the array"}},
		"array without a comma":            {in: "[{\"a\":1}\n{\"a\":2}]", want: []string{`1: {"a":1}`, "error line 2: expected a comma and a document, or the end of the array, found '{'"}},
		"array without a comma or a space": {in: `[{"a":1}{"a":2}]`, want: []string{`1: {"a":1}`, "error line 1: expected a comma and a document, or the end of the array, found '{'"}},
		"array of strings without a comma": {in: `["a""b"]`, want: []string{`1: "a"`, "error line 1: expected a comma and a document, or the end of the array, found '\"'"}},
		"array with a comma first":         {in: `[,{"a":1}]`, want: []string{"error line 1: expected a comma and a document, or the end of the array, found ','"}},
		"array cut behind a number":        {in: `[1`, want: []string{"error line 1: the input ends inside the array"}},
		"array with a comma too many":      {in: "[{\"a\":1},]", want: []string{`1: {"a":1}`, "error line 1: expected a comma and a document, or the end of the array, found ']'"}},
		"array and more":                   {in: "[{\"a\":1}]\n[", want: []string{`1: {"a":1}`, "error line 2: expected the end of the input after the array, found '['"}},
		"array without an end of a string": {
			in:   "[{\"a\":1},\n{\"a\":\"" + strings.Repeat("x", 200_000) + "}]",
			want: []string{`1: {"a":1}`, "error line 2: larger than 0 MiB; is a quote or bracket missing?"},
		},
		"an element of many is none of them": {
			in:   "[{\"a\":[" + strings.Repeat(`{"b":1},`, 20_000) + "{}]},\n{\"a\":2}]",
			want: []string{"error line 1: larger than 0 MiB; is a quote or bracket missing?"},
		},
		"csv":                       {in: "a,b\n1,\"x\ny\"\"z\"\"\"\n,2\n", want: []string{`2: {"a":"1","b":"x\ny\"z\""}`, `4: {"b":"2"}`}},
		"csv after byte order mark": {in: "\ufeffa,b\n1,2\n", want: []string{`2: {"a":"1","b":"2"}`}},
		"csv with odd names":        {in: " a ,b;c\n1,2\n", want: []string{`2: {"a":"1","b;c":"2"}`}},
		"csv with one line that ends in a carriage return": {in: "a,b\r", format: CSV},
		"csv with typed columns": {
			in: "n,b,s\n0.10,TRUE,1\n007,yes,true\n-1e3, false ,\nNaN,,\n1,falſe,\n", columns: map[string]Column{"n": NumberColumn, "b": BoolColumn},
			want: []string{`2: {"n":0.10,"b":true,"s":"1"}`, `3: {"n":"007","b":"yes","s":"true"}`, `4: {"n":-1e3,"b":false}`, `5: {"n":"NaN"}`, `6: {"n":1,"b":"falſe"}`},
		},
		"csv with dates": {
			format: CSV, in: "d\n1731000000000\n2024-11-07\n1913\n-62135596800000\n", columns: map[string]Column{"d": DateColumn},
			want: []string{`2: {"d":1731000000000}`, `3: {"d":"2024-11-07"}`, `4: {"d":"1913"}`, `5: {"d":-62135596800000}`},
		},
		"csv with cells too many": {in: "a,b\n1,2,3\n4,5\n", want: []string{"2: expected as many cells as in the header row (2), got 3 !", `3: {"a":"4","b":"5"}`}},
		"csv with a stray quote":  {in: "a,b\n1,x\"y\n4,5\n", want: []string{"2: column 4: bare \" in non-quoted-field !", `3: {"a":"4","b":"5"}`}},
		"csv without a closing quote": {
			in:   "a,b\n1,2\n\"" + strings.Repeat("x,y\n", 50_000),
			want: []string{`2: {"a":"1","b":"2"}`, "error the record after the one in line 2 is larger than 0 MiB; is a quote missing?"},
		},
		"csv by name": {in: "[a]\n1\n", format: CSV, want: []string{`2: {"[a]":"1"}`}},
		"csv with lines that end in carriage returns": {in: "id,\"a\rb\"\r1,\"x\ry\"\r\r2,z\r", want: []string{`3: {"id":"1","a\nb":"x\ny"}`, `6: {"id":"2","a\nb":"z"}`}},
		"csv with carriage returns in cells":          {in: "id,\"a\rb\"\r\n1,x\ry\r\n", want: []string{`2: {"id":"1","a\rb":"x\ry"}`}},
		"csv with nothing but a header":               {in: "a,b\n\n", want: []string{"error " + errNoRows.Error()}},
		"csv by name with nothing but a header":       {in: "a,b\n\n", format: CSV},
		"a bulk body":                                 {in: "\n{\"index\":{\"_id\":\"1\"}}\n{\"t\":\"x\"}\n", want: []string{"error " + errBulk.Error()}},
		"lines that are no bulk body":                 {in: "{\"index\":\"a\"}\n{\"index\":{}}\n", want: []string{`1: {"index":"a"}`, `2: {"index":{}}`}},
		"a bulk body by name":                         {in: "{\"delete\":{\"_id\":\"1\"}}\n", format: NDJSON, want: []string{`1: {"delete":{"_id":"1"}}`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, in := range map[string]io.Reader{
				"plain": strings.NewReader(test.in), "by the byte": iotest.OneByteReader(strings.NewReader(test.in)), "gzip": zipped(t, test.in),
			} {
				r, err := NewReader(in, Options{Format: test.format, maxRecord: 100_000})
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				if test.columns != nil {
					r.Type(test.columns)
				}
				if diff := cmp.Diff(test.want, readAll(r)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", how, diff)
				}
			}
		})
	}
}

func TestNewReaderErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in     string
		format Format
		want   string
	}{
		"an object is no array":      {`{"a":1}`, JSON, `line 1: expected a JSON array, found '{'; name the format with --format`},
		"no array":                   {"", JSON, "the input is empty: expected a JSON array"},
		"no header":                  {"", CSV, "the input is empty: expected a CSV header row"},
		"two columns of a name":      {"a,b,a\n", CSV, `CSV header row: two columns are called "a"`},
		"a column without name":      {"a,,c\n", CSV, "CSV header row: column 2 has no name"},
		"a name in another encoding": {"a,caf\xe9\n", CSV, "CSV header row: column 2 is not valid UTF-8"},
		"semicolons":                 {"a;b\n1;2\n", CSV, "CSV header row: the columns must be separated by commas, not by semicolons or tabs"},
		"an unknown format":          {"a", "xml", `unknown format "xml"`},
		"gzip that is cut short":     {"\x1f\x8b", Auto, "reading gzip: the gzip file ends early: part of it is missing"},
		"UTF-16":                     {"\xff\xfe{\x00\"\x00a\x00", Auto, errUTF16.Error()},
		"UTF-16, the other way":      {"\xfe\xff\x00a\x00,\x00b", CSV, errUTF16.Error()},
		"a page of HTML":             {"<html>\n<body>\n", Auto, errOneColumn.Error()},
		"a text":                     {"plain text file\nline two\n", Auto, errOneColumn.Error()},
		"a string":                   {`"a, b"`, Auto, errOneColumn.Error()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := NewReader(strings.NewReader(test.in), Options{Format: test.format})
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// The format in the name of a file is used, but it does not make a bulk API body a file of documents.
func TestLikelyFormat(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"a\n":                 nil,
		"a\n1\n":              {`2: {"a":"1"}`},
		`{"create":{}}`:       {`error ` + errBulk.Error()},
		`{"a":{}}`:            {`1: {"a":{}}`},
		"[{\"a\":1},\n{}]":    {`error ` + errArray.Error()},
		`{"index":{},"b":{}}`: {`1: {"index":{},"b":{}}`},
	} {
		likely := NDJSON
		if in[0] == 'a' {
			likely = CSV
		}
		r, err := NewReader(strings.NewReader(in), Options{Format: Auto, Likely: likely})
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		if diff := cmp.Diff(want, readAll(r)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

// The limit of a record does not limit files.
func TestManyRecords(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for name, in := range map[string]string{
		"lines":                strings.Repeat(`{"a":"1","b":"2"}`+"\n", n),
		"array":                "[" + strings.Repeat(`{"a":"1","b":"2"},`, n-1) + `{"a":"1","b":"2"}]`,
		"csv":                  "a,b\n" + strings.Repeat("1,2\n", n),
		"csv of an old format": "a,b\r" + strings.Repeat("1,2\r", n),
	} {
		r, err := NewReader(strings.NewReader(in), Options{maxRecord: 100})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := readAll(r)
		if len(got) != n || !strings.HasSuffix(got[n-1], `: {"a":"1","b":"2"}`) {
			t.Errorf("%s: %d records, the last is %s", name, len(got), got[len(got)-1])
		}
	}
}

// The records of a file that was cut off are read, and then the error says what is wrong.
func TestGzipThatEndsEarly(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 100_000 {
		lines.WriteString(`{"n":` + strconv.Itoa(i*7919) + "}\n")
	}
	whole, err := io.ReadAll(zipped(t, lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(whole[:len(whole)/2]), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := readAll(r)
	if len(got) < 2 || got[len(got)-1] != "error the gzip file ends early: part of it is missing" {
		t.Errorf("%d records, then %s", len(got)-1, got[len(got)-1])
	}
}

func TestReaderReportsReadErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	for _, head := range []string{"[{\"a\":1},\n{", "{\"a\":1}\n{", "a,b\n1,2\n3,"} {
		r, err := NewReader(io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err != nil {
			t.Fatalf("%q: %v", head, err)
		}
		if _, err := r.Next(); !errors.Is(err, broken) {
			t.Errorf("%q: got %v", head, err)
		}
	}
}

func zipped(t *testing.T, s string) io.Reader {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &buf
}
