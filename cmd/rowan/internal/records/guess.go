package records

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

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

// Whatever is not JSON may be CSV: a text, a page of HTML, a JSON string. What cannot be told from one of these is refused, rather
// than that documents are made of it which nobody has written.
var (
	errOneColumn = errors.New("this does not look like JSON documents, and as CSV it would have a single column: if it is CSV, add --format csv")
	errNoRows    = errors.New("this does not look like JSON documents, and as CSV it would have no row below the header: if it is CSV, add --format csv")
)

// errBulk refuses a body of Elasticsearch's bulk API, of which every other line is no document.
var errBulk = errors.New(`line 1 is an action of Elasticsearch's bulk API, and line 2 its document: ` +
	`jq -cn 'inputs as $action | input + ($action[] | {_id})' joins the two lines of each index or create action; --format ndjson takes each line as a document`)

// isBulkAction tells whether a record is an action of the bulk API: an object with nothing but the name of one, and where it applies.
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
