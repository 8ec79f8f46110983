// Package examples contains the sample index films, which rowan serve --sample loads into a new data folder.
package examples

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/rowansearch/rowan/service/mapping"
)

// FilmsIndex is the name of the sample index.
const FilmsIndex = "films"

var (
	//go:embed films.ndjson
	films []byte
	//go:embed films.mappings.json
	filmMappings []byte
)

// FilmMappings returns the mappings of the sample index.
func FilmMappings() ([]mapping.Mapping, error) {
	var mappings []mapping.Mapping
	if err := json.Unmarshal(filmMappings, &mappings); err != nil {
		return nil, fmt.Errorf("films.mappings.json: %w", err)
	}
	return mappings, nil
}

// Films returns the documents of the sample index, each with its _id.
func Films() []json.RawMessage {
	var documents []json.RawMessage
	for line := range bytes.Lines(films) {
		documents = append(documents, json.RawMessage(bytes.TrimSpace(line)))
	}
	return documents
}
