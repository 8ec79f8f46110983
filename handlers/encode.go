package handlers

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
)

// answerFormat is JSON. The hits of a search, most of its answer, are written as they are: encoding/json would parse them
// again to check and compact them.
var answerFormat = huma.Format{Unmarshal: huma.DefaultJSONFormat.Unmarshal, Marshal: func(w io.Writer, v any) error {
	space, ok := answerSpaces.Get().(*bytes.Buffer)
	if !ok {
		space = &bytes.Buffer{}
	}
	space.Reset()
	if err := encodeAnswer(space, v); err != nil {
		return err
	}
	var err error
	if held, ok := w.(*heldAnswer); ok {
		err = held.writeWhole(space.Bytes())
	} else {
		_, err = w.Write(space.Bytes())
	}
	if space.Cap() <= maxAnswerSpace {
		answerSpaces.Put(space)
	}
	return err
}}

// answerSpaces are the buffers in which answers are assembled, up to maxAnswerSpace bytes each.
var answerSpaces sync.Pool

const maxAnswerSpace = 256 << 10

func encodeAnswer(space *bytes.Buffer, v any) error {
	r, ok := v.(searchResult)
	if !ok {
		return huma.DefaultJSONFormat.Marshal(space, v)
	}
	space.WriteString(`{"hits":`)
	hits, err := service.Hits(r.Hits).AppendJSON(space.AvailableBuffer())
	if err != nil {
		return err
	}
	space.Write(hits)
	brace := space.Len()
	// The outer Hits hides that of searchResult, and is omitted.
	err = huma.DefaultJSONFormat.Marshal(space, struct {
		Hits *json.RawMessage `json:"hits,omitempty"`
		searchResult
	}{searchResult: r})
	if err != nil {
		return err
	}
	space.Bytes()[brace] = ',' // joins the two objects into one
	return nil
}
