package records

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// sniff returns the format that the first byte other than white space suggests. An empty input counts as
// NDJSON without records.
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

// Anything that is not JSON documents may be CSV: a text, a page of HTML, a JSON string. If the two cannot be told apart, the
// input is refused, rather than made into documents that nobody wrote.
var (
	errOneColumn = errors.New("this does not look like JSON documents, and as CSV it would have a single column: if it is CSV, add --format csv")
	errNoRows    = errors.New("this does not look like JSON documents, and as CSV it would have no row below the header: if it is CSV, add --format csv")
)

// errArray refuses an array in a file with a name of NDJSON.
var errArray = errors.New("this is a JSON array, but the file name says NDJSON, which has one object per line: add --format json to read the array")

// errUTF16 refuses the encoding that PowerShell and Excel call Unicode, which none of the formats allows.
var errUTF16 = errors.New("this is UTF-16, but must be UTF-8: convert it with iconv -f UTF-16 -t UTF-8")

// errBulk refuses a body of Elasticsearch's bulk API, in which every other line is not a document.
var errBulk = errors.New(`line 1 is an action of Elasticsearch's bulk API, and line 2 its document: ` +
	`jq -cn 'inputs as $action | input + ($action[] | {_id})' joins the two lines of each index or create action; --format ndjson takes each line as a document`)

// isBulkAction reports whether a record is an action of the bulk API: an object with only the name of an action and its target.
func isBulkAction(raw []byte) bool {
	var action map[string]map[string]json.RawMessage
	if json.Unmarshal(raw, &action) != nil || len(action) != 1 {
		return false
	}
	for name, target := range action {
		switch name {
		case "index", "create", "update", "delete":
			return target != nil
		}
	}
	return false
}
