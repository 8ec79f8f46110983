package document

import (
	"bytes"
	"encoding/json"
)

// Encode writes a value as JSON, without \u003c for <, which would make texts hard to read, and without an end of line.
func Encode(value any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}
