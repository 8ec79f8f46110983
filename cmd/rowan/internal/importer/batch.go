package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/cmd/rowan/internal/records"
)

// batch is a sequence of records that are written together.
type batch struct {
	// seq numbers the batches of an import from 0.
	seq     int64
	actions []action
	bytes   int
	// generated reports whether an _id in it was generated, because its record had none.
	generated bool
	// state is the checkpoint once this batch and all before it are settled.
	state Checkpoint
	// offset is how many bytes of the input had been read when the batch was complete.
	offset int64
}

func (b *batch) add(a action) {
	b.actions = append(b.actions, a)
	b.bytes += len(a.json)
	b.generated = b.generated || a.generated
}

// action is a record in the form in which a batch carries it.
type action struct {
	line int64
	id   string
	json []byte
	// generated reports whether id was generated, because the record had none.
	generated bool
}

// newAction returns the action that writes a record, which is the number-th of the input, or a *records.Bad.
func newAction(record records.Record, number int64, source, idField string) (action, error) {
	bad := func(format string, args ...any) (action, error) {
		return action{}, &records.Bad{Line: record.Line, Message: fmt.Sprintf(format, args...)}
	}
	if !utf8.Valid(record.Raw) {
		return bad("not valid UTF-8")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(record.Raw, &members); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			before := record.Raw[:min(int(syntax.Offset), len(record.Raw))]
			line := record.Line + int64(bytes.Count(before, []byte{'\n'}))
			message := fmt.Sprintf("not valid JSON: %v (byte %d of the record)", syntax, syntax.Offset)
			if int(syntax.Offset) >= len(record.Raw) {
				message += "; in NDJSON, each document is on one line, as jq -c . writes it"
			}
			return action{}, &records.Bad{Line: line, Message: message}
		}
		return bad("expected a JSON object")
	}
	if members == nil {
		return bad("expected a JSON object, found null")
	}
	if _, hit := members["_source"]; hit { // documents cannot have a property of that name
		return bad("a hit of Elasticsearch or OpenSearch, which has the document in _source: extract it with jq -c '._source + {_id}'")
	}
	id, err := documentID(members, idField)
	if err != nil {
		return bad("%v", err)
	}
	generated := id == ""
	if generated {
		id = generatedID(source, number, record.Text)
	}
	quoted, err := json.Marshal(id)
	if err != nil {
		return bad("%v", err)
	}
	raw := bytes.TrimSpace(record.Raw)
	encoded := make([]byte, 0, len(raw)+len(quoted)+40)
	encoded = append(append(encoded, `{"action":"upsert","_id":`...), quoted...)
	encoded = append(append(encoded, `,"body":`...), raw...)
	return action{line: record.Line, id: id, json: append(encoded, '}'), generated: generated}, nil
}

// documentID returns the _id of a record, or "" if one has to be generated.
func documentID(members map[string]json.RawMessage, idField string) (string, error) {
	name := idField
	if name == "" {
		name = "_id"
	}
	raw, ok := members[name]
	switch {
	case !ok && idField == "":
		return "", nil
	case !ok:
		return "", fmt.Errorf("no property %q to take the _id from", name)
	case raw[0] == '"':
		var id string
		if err := json.Unmarshal(raw, &id); err != nil {
			return "", err
		}
		if id == "" {
			return "", fmt.Errorf("%s is empty", name)
		}
		return id, nil
	case name != "_id" && (raw[0] == '-' || (raw[0] >= '0' && raw[0] <= '9')):
		return string(raw), nil
	case name == "_id":
		return "", errors.New("_id is not a string")
	default:
		return "", fmt.Errorf("%s is neither a string nor a number, so it cannot be the _id", name)
	}
}

// generatedID returns the _id of a record that has none. It depends only on the input, so that importing a
// file again, as a whole or from a checkpoint, writes the same documents rather than second ones; the number
// distinguishes equal records of an input.
func generatedID(source string, number int64, text []byte) string {
	h := sha256.New()
	h.Write([]byte(source + "\x00" + strconv.FormatInt(number, 10) + "\x00"))
	h.Write(text)
	return strings.ToLower(base32.HexEncoding.EncodeToString(h.Sum(nil)[:15])) // 15 bytes: 24 characters, no padding
}

// encode joins actions into the body of a batch.
func encode(actions []action) []byte {
	size := 2
	for _, a := range actions {
		size += len(a.json) + 1
	}
	body := append(make([]byte, 0, size), '[')
	for i, a := range actions {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, a.json...)
	}
	return append(body, ']')
}
