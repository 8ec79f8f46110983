package client

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Document is a JSON object with any properties. Its numbers are read as json.Number, so that they keep all of
// their digits; Decode reads it into a type of your own. ReadBatch returns a nil Document for one that does not
// exist.
type Document map[string]any

// ID returns the identifier of a document that the service has sent, and "" if it has none.
func (d Document) ID() string {
	id, _ := d["_id"].(string)
	return id
}

// Decode reads the document into v, as json.Unmarshal does.
func (d Document) Decode(v any) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// UnmarshalJSON reads numbers as json.Number.
func (d *Document) UnmarshalJSON(text []byte) error {
	return decodeNumbers(text, (*map[string]any)(d))
}

// UnmarshalJSON reads numbers among the values of facets, their statistics and in the filter as json.Number.
func (r *SearchResult) UnmarshalJSON(text []byte) error {
	type plain SearchResult // without this method
	return decodeNumbers(text, (*plain)(r))
}

// UnmarshalJSON reads numbers in the filter as json.Number, so that a definition can be sent back as it was.
func (d *SearchDefinition) UnmarshalJSON(text []byte) error {
	type plain SearchDefinition // without this method
	return decodeNumbers(text, (*plain)(d))
}

// decodeNumbers decodes JSON as json.Unmarshal does, except that numbers whose type is open become json.Number.
func decodeNumbers(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(v)
}

// NewDocument returns v as a document. v must be encoded as a JSON object.
func NewDocument(v any) (Document, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var d Document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("%T is not a JSON object: %w", v, err)
	}
	return d, nil
}

// Hit is a document that was found.
type Hit struct {
	// ID is the identifier of the document.
	ID string
	// Score is 0 without a query.
	Score float64
	// Highlight has, for each field that matched, its texts as HTML, with the matched words in <b>.
	Highlight map[string][]string
	// Explanation describes how the score came about, if the search asked for it.
	Explanation *Explanation
	// Document is the document as it is stored, with its _id but without the other fields above.
	Document Document
}

// UnmarshalJSON separates the document from what the service has added.
func (h *Hit) UnmarshalJSON(text []byte) error {
	var added struct {
		ID          string              `json:"_id"`
		Score       float64             `json:"_score"`
		Highlight   map[string][]string `json:"_highlight"`
		Explanation *Explanation        `json:"_explanation"`
	}
	if err := json.Unmarshal(text, &added); err != nil {
		return err
	}
	var document Document
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	for _, name := range []string{"_score", "_highlight", "_explanation"} {
		delete(document, name)
	}
	*h = Hit{ID: added.ID, Score: added.Score, Highlight: added.Highlight, Explanation: added.Explanation, Document: document}
	return nil
}

// MarshalJSON writes the hit as the service does.
func (h Hit) MarshalJSON() ([]byte, error) {
	whole := make(map[string]any, len(h.Document)+4)
	for name, value := range h.Document {
		whole[name] = value
	}
	whole["_id"], whole["_score"] = h.ID, h.Score
	if h.Highlight != nil {
		whole["_highlight"] = h.Highlight
	}
	if h.Explanation != nil {
		whole["_explanation"] = h.Explanation
	}
	return json.Marshal(whole)
}
