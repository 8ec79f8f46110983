package service

import (
	"time"

	"github.com/rowansearch/rowan/service/mapping"
)

// Index is a named container of documents, as the catalog describes it.
type Index struct {
	// ID identifies the index for good; a name may be given to another index after a deletion.
	ID          int64
	Application string
	Name        string
	Mappings    []mapping.Mapping
	Settings    IndexSettings
	// Version grows with every change of mappings or settings. A plan made for one version is not valid for another.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// IndexStats are the counts of an index, made on request.
type IndexStats struct {
	Documents int64
	SizeBytes int64
}

// IndexSettings are the settings of one index.
type IndexSettings struct {
	// Language is a text-search configuration of PostgreSQL: english, german, simple …
	Language     string       `json:"language"`
	Autocomplete Autocomplete `json:"autocomplete"`
	Synonyms     []Synonym    `json:"synonyms"`
	// StopWords need not be found, like the stop words of the language.
	StopWords []string `json:"stop_words"`
}

// Autocomplete says what the suggestions of an index are made of.
type Autocomplete struct {
	Fields []string `json:"fields" doc:"Fields whose values are suggested, in addition to those of type completion." maxItems:"50" example:"[\"title\"]"`
}

// Synonym is a list of equivalents, or words From that also find the words To.
type Synonym struct {
	Equivalent []string
	From, To   []string
}

// DefaultLanguage is the language of an index that was not given one.
const DefaultLanguage = english

// english is the language that has rules of its own, whatever the default is.
const english = "english"

// Mapping returns the mapping of a name.
func (ix *Index) Mapping(name string) (mapping.Mapping, bool) {
	for _, m := range ix.Mappings {
		if m.Name == name {
			return m, true
		}
	}
	return mapping.Mapping{}, false
}
