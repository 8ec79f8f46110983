package handlers

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/danielgtaylor/huma/v2"
)

// answerFormat is JSON. The hits of a search, most of its answer, are written as they are: encoding/json would read them
// once more to check and compact them.
var answerFormat = huma.Format{Unmarshal: huma.DefaultJSONFormat.Unmarshal, Marshal: func(w io.Writer, v any) error {
	if result, ok := v.(searchResult); ok {
		return result.encode(w)
	}
	return huma.DefaultJSONFormat.Marshal(w, v)
}}

// encode writes the answer.
func (r searchResult) encode(w io.Writer) error {
	hits, err := r.Hits.MarshalJSON()
	if err != nil {
		return err
	}
	var rest bytes.Buffer
	// The outer member hides that of the result, and is left out.
	err = huma.DefaultJSONFormat.Marshal(&rest, struct {
		Hits *json.RawMessage `json:"hits,omitempty"`
		searchResult
	}{searchResult: r})
	if err != nil {
		return err
	}
	answer := make([]byte, 0, len(hits)+rest.Len()+len(`{"hits":,`))
	answer = append(append(append(answer, `{"hits":`...), hits...), ',')
	_, err = w.Write(append(answer, rest.Bytes()[1:]...))
	return err
}
