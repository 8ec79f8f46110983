package handlers

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
)

// answerFormat is JSON. The hits of a search, most of its answer, are written as they are: encoding/json would read them
// once more to check and compact them.
var answerFormat = huma.Format{Unmarshal: huma.DefaultJSONFormat.Unmarshal, Marshal: func(w io.Writer, v any) error {
	if result, ok := v.(searchResult); ok {
		return result.encode(w)
	}
	return huma.DefaultJSONFormat.Marshal(w, v)
}}

// answerSpaces are buffers that answers are put together in, up to maxAnswerSpace bytes each.
var answerSpaces sync.Pool

const maxAnswerSpace = 256 << 10

// encode writes the answer at once, so that a small one is sent at once.
func (r searchResult) encode(w io.Writer) error {
	space, ok := answerSpaces.Get().(*bytes.Buffer)
	if !ok {
		space = &bytes.Buffer{}
	}
	space.Reset()
	space.WriteString(`{"hits":`)
	hits, err := service.Hits(r.Hits).AppendJSON(space.AvailableBuffer())
	if err != nil {
		return err
	}
	space.Write(hits)
	space.WriteByte(',')
	brace := space.Len()
	// The outer member hides that of the result, and is left out.
	err = huma.DefaultJSONFormat.Marshal(space, struct {
		Hits *json.RawMessage `json:"hits,omitempty"`
		searchResult
	}{searchResult: r})
	if err != nil {
		return err
	}
	answer := space.Bytes()
	_, err = w.Write(append(answer[:brace], answer[brace+1:]...))
	if space.Cap() <= maxAnswerSpace {
		answerSpaces.Put(space)
	}
	return err
}
