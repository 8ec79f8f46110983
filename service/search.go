package service

import (
	"encoding/json"
	"slices"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/filter"
)

// MaxPerPage is the largest number of hits on a page.
const MaxPerPage = 1000

// Match says which documents a query of several words finds.
type Match string

// The ways to match.
const (
	// MatchAll finds documents that have all words.
	MatchAll Match = "all"
	// MatchAny finds documents that have any of the words.
	MatchAny Match = "any"
	// MatchAuto is MatchAll if that finds enough; otherwise it finds the documents that have the words that matter.
	MatchAuto Match = "auto"
)

// FilterInput is a filter as a client sent it: absent, a string, or an object.
type FilterInput struct {
	// Raw is the JSON of the filter; nil when there is none.
	Raw json.RawMessage
}

// FacetsInput holds the names of facets as a client sent them: absent, in one string, or as a list.
type FacetsInput struct {
	// Expression holds the names separated by spaces or commas; nil if they were not sent as a string.
	Expression *string
	// Names is nil if they were not sent as a list.
	Names []string
}

// sent reports whether the client sent facets, even if only an empty list.
func (f FacetsInput) sent() bool { return f.Expression != nil || f.Names != nil }

// List reads the names. Error code: invalid_facets.
func (f FacetsInput) List() ([]string, error) {
	if f.Expression == nil {
		return f.Names, nil
	}
	names, err := filter.ParseNames(*f.Expression)
	if err != nil {
		return nil, expressionError(CodeInvalidFacets, "The list of facets", "body.facets", *f.Expression, err)
	}
	return names, nil
}

// SearchRequest is one search. The zero value matches everything.
type SearchRequest struct {
	Query   string
	Page    *int // from 1; nil means 1
	PerPage *int // 0 to 1000, more means 1000; nil means the default of the search, then of the application
	// Facets are the fields to count; the zero value means those of the defined search.
	Facets      FacetsInput
	Filter      FilterInput
	Filters     FilterInput
	Sort        *string
	Match       Match // "" means the default of the search, then auto
	Disjunctive []string
	Explain     bool
	// Cursor continues after the hit where an earlier response ended.
	Cursor string
	// Unrecorded marks a search of the dashboard: analytics leave it out.
	Unrecorded bool
}

// SearchResponse answers a search.
type SearchResponse struct {
	Hits             Hits
	IDs              []string
	Total            int64
	TotalAllWords    int64
	Query            string
	Page             int
	PerPage          int
	ProcessingTimeMS int64
	Autocomplete     []string
	Params           EffectiveParams
	Index            string
	Search           string
	Sort             string
	Facets           map[string][]FacetValue
	FacetStats       map[string]FacetStats
	// Filter and Filters echo what the request sent, under the name that it used.
	Filter, Filters json.RawMessage
	Cursor          string
}

// EffectiveParams are the parameters that were in force.
type EffectiveParams struct {
	Match         Match    `json:"match" doc:"Which documents were found: all (those with all words) or any."`
	Page          int      `json:"page" doc:"Page."`
	PerPage       int      `json:"per_page" doc:"Hits per page."`
	Sort          string   `json:"sort" doc:"Sort expression."`
	Facets        []string `json:"facets" doc:"Fields that were counted."`
	Fields        []string `json:"fields" doc:"Fields that were searched."`
	TypoTolerance bool     `json:"typo_tolerance" doc:"Whether words close to the query's words were searched too."`
}

// FacetValue is one value of a facet, as stored, with the number of documents that have it.
type FacetValue struct {
	Value any   `json:"value" doc:"The value, as it is stored; numbers without trailing zeros."`
	Count int64 `json:"count" doc:"Number of documents found with this value."`
}

// FacetStats summarizes a facet of numbers or dates: numbers as json.RawMessage, dates as strings.
type FacetStats struct {
	Min   any   `json:"min" doc:"Smallest value."`
	Max   any   `json:"max" doc:"Largest value."`
	Avg   any   `json:"avg" doc:"Mean of the values."`
	Count int64 `json:"count" doc:"Number of values."`
}

// Hit is one document that a search found.
type Hit struct {
	Document
	Score     float64
	Highlight map[string][]string
	// Explanation is how the score came about; nil unless requested.
	Explanation *Explanation
}

// Explanation is how a score came about.
type Explanation struct {
	Score float64           `json:"score" doc:"The score: the sum of the words' scores times boost."`
	Boost float64           `json:"boost" doc:"The document's boost."`
	Words []WordExplanation `json:"words" doc:"What each word of the query contributed."`
	// Adjacent documents score a millionth more.
	Adjacent bool `json:"adjacent" doc:"Whether words stand next to each other as in the query, which breaks ties: it raises the score by a millionth."`
}

// WordExplanation is what one word of the query contributed to a score: share × repeats × rarity × (frequency + title bonus).
type WordExplanation struct {
	Word       string             `json:"word" doc:"The word, as it was written."`
	Rarity     float64            `json:"rarity" doc:"How rare the word is in the index (idf)."`
	Repeats    int                `json:"repeats" doc:"How often the query contains the word."`
	Share      float64            `json:"share" doc:"Weight of the word: 1, or a half for a part of a hyphenated word."`
	Frequency  float64            `json:"frequency" doc:"How often the document contains the word, weighted by field, relative to its length and saturated: 0 to 1."`
	TitleBonus float64            `json:"title_bonus" doc:"Bonus for a word in a title; larger in a short title."`
	Score      float64            `json:"score" doc:"What the word added, before boost: share × repeats × rarity × (frequency + title_bonus)."`
	Fields     map[string]float64 `json:"fields" doc:"How often each field contains the word, as the ranking counts it; * stands for the properties without a mapping."`
}

// Hits are the found documents in rank order. They encode as an object keyed by _id, in that order.
type Hits []Hit

// MarshalJSON writes an object keyed by _id whose keys are in rank order.
func (hits Hits) MarshalJSON() ([]byte, error) { return hits.AppendJSON(nil) }

// AppendJSON appends to buf what MarshalJSON returns.
func (hits Hits) AppendJSON(buf []byte) ([]byte, error) {
	size := 2
	for _, h := range hits {
		size += len(h.Body) + 3*len(h.ID) + 1024 // with highlights
	}
	buf = append(slices.Grow(buf, size), '{')
	for i, h := range hits {
		if i > 0 {
			buf = append(buf, ',')
		}
		id, err := json.Marshal(h.ID)
		if err != nil {
			return nil, err
		}
		buf = append(append(buf, id...), ':')
		if buf, err = h.appendJSON(buf); err != nil {
			return nil, err
		}
	}
	return append(buf, '}'), nil
}

func (h Hit) appendJSON(buf []byte) ([]byte, error) {
	score, err := json.Marshal(h.Score)
	if err != nil {
		return nil, err
	}
	more := []Member{{"_score", score}}
	if h.Highlight != nil {
		marked, err := document.Encode(h.Highlight)
		if err != nil {
			return nil, err
		}
		more = append(more, Member{"_highlight", marked})
	}
	if h.Explanation != nil {
		explained, err := json.Marshal(h.Explanation)
		if err != nil {
			return nil, err
		}
		more = append(more, Member{"_explanation", explained})
	}
	return h.AppendJSON(buf, more)
}

// SearchDefinition is a search with a name: an index and how it is searched.
type SearchDefinition struct {
	Name  string `json:"name"`
	Index string `json:"index"`
	// PerPage (0 to 1000), Facets, Sort and Match are the defaults for requests that do not set them.
	PerPage *int `json:"per_page,omitempty"`
	// Fields are the searched fields with their weights; empty means all fields with the weights of their types.
	Fields map[string]float64 `json:"fields,omitempty"`
	Facets []string           `json:"facets,omitempty"`
	// Filter, a string or an object, always applies.
	Filter json.RawMessage `json:"filter,omitempty"`
	Sort   string          `json:"sort,omitempty"`
	Match  Match           `json:"match,omitempty"`
	// TypoTolerance reports whether words close to the query's words are searched, too; nil means true.
	TypoTolerance *bool `json:"typo_tolerance,omitempty"`
}

// Suggestions answers the autocomplete endpoint.
type Suggestions struct {
	Query        string   `json:"query" doc:"The query, as sent."`
	Autocomplete []string `json:"autocomplete" doc:"Up to 10 suggestions, as stored: first those that begin with the query, most frequent first." nullable:"false"`
}

// tolerant reports whether words close to the query's words are searched, too.
func (d *SearchDefinition) tolerant() bool { return d.TypoTolerance == nil || *d.TypoTolerance }

// filtered reports whether the filter of a definition may leave documents out.
func (d *SearchDefinition) filtered() bool {
	if d.Filter == nil {
		return false
	}
	node, err := filter.ParseJSON(d.Filter)
	all, ok := node.(filter.Conjunction)
	return err != nil || !ok || len(all) > 0
}
