// Package mapping defines the field types of an index and what each of them means: how its text is
// analysed, how much it weighs, and which kind of value it can be filtered, faceted and sorted by.
// It knows neither SQL nor HTTP; everything else in service builds on it.
package mapping

import "fmt"

// Type is the type of a mapped field, as a client writes it.
type Type string

// The 21 field types.
const (
	Name                 Type = "name"
	Address              Type = "address"
	Float                Type = "float"
	Int                  Type = "int"
	Text                 Type = "text"
	Price                Type = "price"
	LongText             Type = "long_text"
	Sentence             Type = "sentence"
	Tags                 Type = "tags"
	SearchableNumber     Type = "searchable_number"
	Keyword              Type = "keyword"
	CaseSensitiveKeyword Type = "case_sensitive_keyword"
	Identifier           Type = "identifier"
	HTML                 Type = "html"
	Email                Type = "email"
	Category             Type = "category"
	Path                 Type = "path"
	Long                 Type = "long"
	Completion           Type = "completion"
	Bool                 Type = "bool"
	Date                 Type = "date"
)

// Mapping gives a document's property (or a dotted path into its objects) a type.
type Mapping struct {
	Name string `json:"name" doc:"Name of the mapped property, or a dotted path into objects (author.name)." minLength:"1" maxLength:"512" example:"title"`
	Type Type   `json:"type" doc:"Type of the field." example:"sentence"`
}

// Kind says how the values of a field compare: in filters, facets and sorting.
type Kind int

// The kinds of values.
const (
	// KindUnmapped compares by the JSON type of each value; no column backs it.
	KindUnmapped Kind = iota
	// KindFolded compares strings case- and accent-folded, by code point.
	KindFolded
	// KindExact compares strings as they are, by code point.
	KindExact
	// KindLevels is KindFolded, but a level also matches everything below it (category, path).
	KindLevels
	// KindNumber compares numbers exactly (int, long, float, price, searchable_number).
	KindNumber
	// KindBool compares booleans.
	KindBool
	// KindDate compares instants.
	KindDate
	// KindPresence can only be tested for presence (long_text, html).
	KindPresence
	// KindID is the document's _id: strings as they are, by code point.
	KindID
)

// Analysis says how the text of a field becomes lexemes.
type Analysis int

// The analyses. Folded always means accents and case.
const (
	// NotSearched fields have no lexemes.
	NotSearched Analysis = iota
	// Stemmed words in the language of the index, without its stop words.
	Stemmed
	// StemmedHTML is Stemmed after markup is gone.
	StemmedHTML
	// Plain is folded words, not stemmed, no stop words.
	Plain
	// IdentifierParts is the whole value, the value without punctuation, and its parts.
	IdentifierParts
	// Levels is stemmed words, and the whole value and each level of it.
	Levels
	// TagWords is each whole tag, folded, and its stemmed words.
	TagWords
	// Whole is the whole value, folded.
	Whole
	// WholeExact is the whole value as it is.
	WholeExact
	// EmailParts is the whole value, its local part, its domain and the domain's labels.
	EmailParts
	// PathSegments is the whole value and each of its segments.
	PathSegments
	// Digits is the digits of a number as one word.
	Digits
)

// Stems reports whether the lexemes of words are not the words themselves, but what a language's dictionaries make of them.
func (a Analysis) Stems() bool {
	switch a {
	case Stemmed, StemmedHTML, Levels, TagWords:
		return true
	default:
		return false
	}
}

// KeepsStopWords reports whether a text of nothing but stop words has these as lexemes, marked: rowan.stop_words.
func (a Analysis) KeepsStopWords() bool { return a == Stemmed || a == StemmedHTML }

// Weight is the class of a field in ranking, from A (heaviest) to D.
type Weight byte

// Info is what a type means.
type Info struct {
	Analysis Analysis
	Weight   Weight // 'A' to 'D'; 0 for fields that are not searched
	Kind     Kind
	// Separator of levels for KindLevels: " > " or "/".
	Separator string
	// Typos reports whether words of this field may be found by words close to them.
	Typos bool
}

// Title reports whether a word says more in this field than in others.
func (i Info) Title() bool { return i.Weight != 0 && i.Weight <= 'B' }

// Measured reports whether a title is a text, in which a word says more the fewer words there are, rather than a value or a list of values. An identifier
// is like a text of its parts: that which is the query comes before those that it is a part of.
func (i Info) Measured() bool {
	return i.Title() && (i.Analysis == Plain || i.Analysis == Stemmed || i.Analysis == IdentifierParts)
}

// Types lists every type in the order of the specification.
var Types = []Type{
	Name, Address, Float, Int, Text, Price, LongText, Sentence, Tags, SearchableNumber, Keyword,
	CaseSensitiveKeyword, Identifier, HTML, Email, Category, Path, Long, Completion, Bool, Date,
}

var infos = map[Type]Info{
	Name:                 {Analysis: Plain, Weight: 'A', Kind: KindFolded, Typos: true},
	Completion:           {Analysis: Plain, Weight: 'A', Kind: KindFolded, Typos: true},
	Identifier:           {Analysis: IdentifierParts, Weight: 'A', Kind: KindFolded},
	Sentence:             {Analysis: Stemmed, Weight: 'B', Kind: KindFolded, Typos: true},
	Category:             {Analysis: Levels, Weight: 'B', Kind: KindLevels, Separator: " > ", Typos: true},
	Tags:                 {Analysis: TagWords, Weight: 'B', Kind: KindFolded, Typos: true},
	Keyword:              {Analysis: Whole, Weight: 'B', Kind: KindFolded},
	CaseSensitiveKeyword: {Analysis: WholeExact, Weight: 'B', Kind: KindExact},
	Email:                {Analysis: EmailParts, Weight: 'B', Kind: KindFolded},
	Address:              {Analysis: Plain, Weight: 'B', Kind: KindFolded, Typos: true},
	Path:                 {Analysis: PathSegments, Weight: 'B', Kind: KindLevels, Separator: "/"},
	Text:                 {Analysis: Stemmed, Weight: 'C', Kind: KindFolded, Typos: true},
	SearchableNumber:     {Analysis: Digits, Weight: 'C', Kind: KindNumber},
	LongText:             {Analysis: Stemmed, Weight: 'D', Kind: KindPresence, Typos: true},
	HTML:                 {Analysis: StemmedHTML, Weight: 'D', Kind: KindPresence, Typos: true},
	Int:                  {Kind: KindNumber},
	Long:                 {Kind: KindNumber},
	Float:                {Kind: KindNumber},
	Price:                {Kind: KindNumber},
	Bool:                 {Kind: KindBool},
	Date:                 {Kind: KindDate},
}

// Known reports whether t is one of the 21 types.
func (t Type) Known() bool { _, ok := infos[t]; return ok }

// Info returns what t means. It panics for an unknown type: check Known first.
func (t Type) Info() Info {
	info, ok := infos[t]
	if !ok {
		panic(fmt.Sprintf("mapping: unknown type %q", string(t)))
	}
	return info
}

// Searched reports whether text of this type has lexemes.
func (t Type) Searched() bool { return t.Info().Analysis != NotSearched }
