package service

import (
	"cmp"
	"maps"
	"slices"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
)

// Lexeme is a word as it stands in the index.
type Lexeme struct {
	Text string
	// Prefix asks for every lexeme that begins with Text.
	Prefix bool
	// Gap is how many words after the preceding lexeme it stands; 0 means 1, the next word. Stop words leave larger gaps. See Distance.
	Gap int
}

// samePlace is the Gap of a lexeme at the same position as the preceding one: another form of the same value.
const samePlace = -1

// Distance returns how many positions after the preceding lexeme of its sequence a lexeme stands; 0 means the same position.
func (l Lexeme) Distance() int {
	if l.Gap == samePlace {
		return 0
	}
	return max(l.Gap, 1)
}

// Alternative is one way to find a term: lexemes that follow each other. Factor, above 0 and at most 1, is the
// share of the term's score that such a match can give: 1 for the word as written.
type Alternative struct {
	Sequence []Lexeme
	Factor   float64
	// Documents is about how many documents have it, if that is known and so need not be counted; otherwise 0.
	Documents int64
	// OfQuery reports whether it is the whole query as one value: how many documents have that says nothing about how rare the word is.
	OfQuery bool
	// Longer is by how many lexemes a document would be longer if it had the query's words in place of these, for a synonym of fewer words.
	// The document is ranked as if it were that long, so that the synonym gives its share of what the words would give in the same document.
	// Other words of the query give more in the shorter document: Longer makes up for that, too. Fewer is just how many lexemes fewer it has.
	Longer, Fewer int
	// Near reports whether it is another word, which the query's word may be a misspelling or the beginning of, though that is a
	// word itself. If documents have the query's word as written, the documents with this one say nothing about how rare it is.
	Near bool
}

// Share is what a match of an alternative gives: Factor times what it would give in a document that is Longer lexemes longer. It names titles of Fewer
// lexemes fewer: see Plan.TitleLexemes.
type Share struct {
	Factor        float64
	Longer, Fewer int
}

// Share returns the share of the alternative.
func (a Alternative) Share() Share { return Share{a.Factor, a.Longer, a.Fewer} }

// Term is a word or phrase of a query, in the forms in which each kind of field is searched for it.
type Term struct {
	// Text is the term as it was written.
	Text string
	// Alternatives are the ways to find the term, for each analysis of the searched fields. An analysis without any does not know the term (a stop word).
	Alternatives map[mapping.Analysis][]Alternative
	// Repeats is how often the query has the term.
	Repeats int
	// Optional terms add to the score but need not be found.
	Optional bool
	// Part reports whether the term is one of the hyphenated words of another term. It is optional, and counts half.
	Part bool
	// Stopped reports whether the term, or one of the terms that it joins by OR, is a stop word, so that fields which leave
	// these out are not searched for it. If such a field has its lexeme all the same, because only the settings of the index
	// make it a stop word, or as the stem of another word, that is no match. Stopped is also set for a term whose stem is a
	// stop word, and for a quoted one that differs from its stem, since fields without stemming may have that stem as a word.
	Stopped bool
	// Rarity is the term's idf; the store fills it in. Carried is the idf of the term together with the words that
	// it may be a misspelling of: what a document with any of these carries of the query.
	Rarity, Carried float64
	// Looked reports whether the term, in a search for documents with all terms, is not looked up in the index but
	// looked for in the documents that have the other terms. The store fills it in.
	Looked bool
	// Missing reports whether no document has the term; the store fills it in.
	Missing bool

	// either reports whether the term joins several by OR: one of them is enough.
	either bool
	// kept reports whether only texts of nothing but stop words may have the term.
	kept bool
}

// Field is a searched field. The empty name stands for all properties without a mapping.
type Field struct {
	Name     string
	Analysis mapping.Analysis
	// Weight multiplies the frequency of a word in this field.
	Weight float64
	// Title fields add a bonus for each word that stands in them. In Measured ones, which hold texts rather than
	// values, the bonus grows as the number of other words falls: see TitleShare.
	Title, Measured bool
}

// AdjacentShare is the share by which a document's score rises if words stand next to each other as they do in the query: enough to settle ties.
const AdjacentShare = 1e-6

// Plan is a search that is ready to be run.
type Plan struct {
	Index *Index
	// Version is the version of the catalog from which the plan was made: Target.Version. It may be AnyVersion.
	Version int64
	// Fields are the searched fields. All reports whether they are all that the index has.
	Fields []Field
	All    bool
	// Terms are the words of the query; none matches everything.
	Terms    []Term
	Excluded []Term
	// OnlyStopped reports whether the terms, but for a last one that goes on, are stop words. Stemmed fields are then searched for those of the language:
	// a text of nothing but stop words keeps these.
	OnlyStopped bool
	// Match is all, any or auto.
	Match Match
	// Threshold is the share of the query's rarity that the found words of a document must carry when it need not have all words; 0 asks for any word.
	Threshold float64
	// Nothing reports whether the query can find nothing.
	Nothing bool
	// Filter always applies. Own holds the conditions of disjunctive facets, by field: the hits fulfil all of them,
	// and the documents counted for the facet of a field all but its own.
	Filter filter.Cond
	Own    map[string]filter.Cond
	Sort   []filter.SortKey
	Facets []string
	Limit  int
	Offset int
	// After is the hit to continue after, in the order of Sort.
	After *Cursor
	// Words is the state of the vocabulary when an earlier search looked up what the words stand for; nil if this search did.
	Words *SeenWords
	// Recount asks to count the documents with each term even if their number is cached.
	Recount bool
	// Explain asks for the parts of each score.
	Explain bool
}

// AnyVersion stands for every version of a catalog: whoever uses it checks afterwards whether what was asked for is still the same.
const AnyVersion int64 = -1

// MadeBy reports whether a plan, or anything else made from a version of the catalog, is still valid if the catalog is now at version now.
func MadeBy(version, now int64) bool { return version == AnyVersion || version == now }

// SeenWords is the state of a vocabulary when it was asked what words stand for. Search returns ErrStale if it has changed since.
type SeenWords struct {
	State   string
	Current bool // the state was confirmed after the search began
}

// mostAllFirst is the number of words up to which documents that have all of them come before others. In a short query each word is meant:
// with two words, on a catalogue of products, this raises nDCG@10 by 0.03. A long text may have all words of a longer query and be about
// something else: from six words on, this lowers it by 0.09 on web pages and leaves it unchanged on four collections of shorter texts.
const mostAllFirst = 5

// AllFirst reports whether documents with all words come before the others, whatever their scores.
func (p *Plan) AllFirst() bool { return p.Match == MatchAny && p.Required() <= mostAllFirst }

// Required returns how many terms a document must have to have all words.
func (p *Plan) Required() (n int) {
	for _, t := range p.Terms {
		if !t.Optional {
			n++
		}
	}
	return n
}

// WithOwn returns the plan with the own conditions of its facets moved into its filter.
func (p *Plan) WithOwn() Plan {
	all := *p
	if len(p.Own) > 0 {
		every := filter.And{}
		if p.Filter != nil {
			every = append(every, p.Filter)
		}
		for _, name := range slices.Sorted(maps.Keys(p.Own)) {
			every = append(every, p.Own[name])
		}
		all.Filter, all.Own = every, nil
	}
	return all
}

// partShare is what a part of a hyphenated word counts, relative to a word of its own.
const partShare = 0.5

// Share returns what the term counts, relative to a word of its own.
func (t Term) Share() float64 {
	if t.Part {
		return partShare
	}
	return 1
}

// Weight returns what a term counts in scores: its rarity times its share, as often as the query has it.
func (t Term) Weight() float64 { return float64(t.Repeats) * t.Share() * t.Rarity }

// Carries reports whether a document with the term carries some of the query when any of the words is enough: the
// parts of a word stand for it in documents that have them apart.
func (t Term) Carries() bool { return !t.Optional || t.Part }

// CarriedWeight returns what a document with the term carries of the query.
func (t Term) CarriedWeight() float64 { return float64(t.Repeats) * t.Share() * t.Carried }

// LeastCarried returns the weight that the found words of a document must carry together when it need not have all: the threshold's
// share of the weight of all words that some document has, less a margin for rounding errors. The rarities must be known.
func (p *Plan) LeastCarried() float64 {
	total := 0.0
	for _, t := range p.Terms {
		if !t.Optional && !t.Missing {
			total += t.CarriedWeight()
		}
	}
	return p.Threshold * total * (1 - 1e-9)
}

// Light reports for each term whether it is one of those that are too light even together: a document that has no
// other terms carries too little of the query to be found. So if any of the words is enough, the search need not go
// through all documents that have a common word. These are the non-essential lists of MaxScore (Turtle and Flood,
// Query Evaluation, 1995), with the weight that a document must carry in place of the scores on the page.
func (p *Plan) Light() []bool {
	light := make([]bool, len(p.Terms))
	if p.Match != MatchAny || p.Threshold == 0 {
		return light
	}
	carried := func(i int) float64 {
		if !p.Terms[i].Carries() {
			return 0
		}
		return p.Terms[i].CarriedWeight()
	}
	places := make([]int, len(p.Terms))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(x, y int) int { return cmp.Compare(carried(x), carried(y)) })
	least, sum := p.LeastCarried()*(1-1e-9), 0.0
	for _, i := range places {
		if sum += carried(i); sum >= least {
			break
		}
		light[i] = true
	}
	return light
}

// FoundHit is a hit as the store returns it.
type FoundHit struct {
	Document Document
	Score    float64
	// Place holds the values by which the hit was ordered, for a cursor.
	Place []*string
	// Boost and Words are set if the plan asks for explanations.
	Boost float64
	Words []WordScore
	// Adjacent reports whether words stand next to each other as they do in the query.
	Adjacent bool
}

// WordScore is what one term contributes to the score of a hit.
type WordScore struct {
	// Fields are the frequencies in each of the plan's fields.
	Fields []float64 `json:"fields"`
	// Saturated is the saturated, weighted and length-normalised frequency over all fields, from 0 to 1.
	Saturated float64 `json:"saturated"`
	// Bonus is the rank in a title, from 0 to 1, in a measured title times its TitleShare, from 1 to 5.
	Bonus float64 `json:"bonus"`
}

// Found is the outcome of a plan, all of it from one snapshot.
type Found struct {
	// Hits are in the order of the plan: a cursor continues after the last of them, in whatever order a page shows them.
	Hits          []FoundHit
	Total         int64
	TotalAllWords int64
	// Match is the one in force: all or any.
	Match  Match
	Facets map[string][]FacetValue
	Stats  map[string]FacetStats
	// Rarities are the rarities of the terms, Carried is what documents with each carry, Missing are the indexes of
	// those that no document has, and AverageLength is the average length of the documents.
	Rarities      []float64
	Carried       []float64
	Missing       []int
	AverageLength float64
	// Unproven reports whether other documents may have higher scores than the last hits.
	Unproven bool
}
