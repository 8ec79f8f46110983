package service

import (
	"encoding/json"

	"github.com/rowansearch/rowan/service/document"
)

// Document is a stored document.
type Document struct {
	ID string
	// Body is the document as its client sent it, without _id and autocomplete.
	Body json.RawMessage
	// Autocomplete holds the suggestions that the index makes of the document; nil if it makes none.
	Autocomplete []string
}

// Size returns about how many bytes of memory the body and the suggestions take: a short text may make very many strings.
func (d Document) Size() int { return len(d.Body) + sizeOfStrings(d.Autocomplete) }

// sizeOfString is how many bytes a string, or a slice, takes besides its text, with its share of what holds it.
const sizeOfString = 64

func sizeOfStrings(list []string) int {
	size := sizeOfString * len(list)
	for _, s := range list {
		size += len(s)
	}
	return size
}

// MarshalJSON writes the document as clients see it: the body, with _id first and autocomplete where there is any.
func (d Document) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil, nil) }

// AppendJSON appends the document as clients see it to dst. more holds further members, each already
// encoded and written in the order given, after _id ("_score", "_highlight").
func (d Document) AppendJSON(dst []byte, more []Member) ([]byte, error) {
	id, err := json.Marshal(d.ID)
	if err != nil {
		return nil, err
	}
	dst = append(append(dst, `{"_id":`...), id...)
	for _, m := range more {
		dst = append(dst, ',', '"')
		dst = append(dst, m.Name...)
		dst = append(dst, '"', ':')
		dst = append(dst, m.Value...)
	}
	if d.Autocomplete != nil {
		a, err := json.Marshal(d.Autocomplete)
		if err != nil {
			return nil, err
		}
		dst = append(append(dst, `,"autocomplete":`...), a...)
	}
	if len(d.Body) > 2 {
		dst = append(dst, ',')
		return document.AppendCompact(dst, d.Body[1:]), nil
	}
	return append(dst, '}'), nil
}

// Member is a member of a JSON object, its value already encoded. Its name needs no escaping.
type Member struct {
	Name  string
	Value []byte
}

// ActionResult is the outcome of one action of a batch, in the order of the request.
type ActionResult struct {
	ID     string          `json:"_id" doc:"Identifier of the affected document." example:"42"`
	Result document.Result `json:"result" doc:"Outcome." example:"created"`
}
