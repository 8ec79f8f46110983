package document

import (
	"bytes"
	"encoding/json"
)

// Encode returns a value as JSON, without escapes such as \u003c for <, which make texts hard to read, and without a newline at the end.
func Encode(value any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}
