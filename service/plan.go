package service

import (
	"cmp"
	"context"
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
	// Gap is how many words further on it stands than the lexeme before it; 0 means 1, the next word. Stop
	// words leave larger gaps. See Distance.
	Gap int
}

// samePlace is the Gap of a lexeme that stands where the one before it does: another form of the same value.
const samePlace = -1

// Distance is how many places further on than the lexeme before it a lexeme of a sequence stands; 0: in the same place.
func (l Lexeme) Distance() int {
	if l.Gap == samePlace {
		return 0
	}
	return max(l.Gap, 1)
}

// Alternative is one way to find a term: lexemes that follow each other. Factor, above 0 and at most 1,
// says how much of a term's score such a find can give: 1 for the word as written.
type Alternative struct {
	Sequence []Lexeme
	Factor   float64
	// Documents is about how many documents have it, where that is known: it need not be counted then. 0 where
	// it is not.
	Documents int64
	// OfQuery tells that it is the whole query as one value: how many documents have that says nothing of how rare the word is.
	OfQuery bool
	// Longer is by how many lexemes a document would be longer if it had the query's words in place of these: a synonym of fewer
	// words. It is ranked as if it were, so that the synonym gives its share of what the words give in the same document.
	Longer int
	// Near tells that it is a word that the query's word may be a misspelling of, or the beginning of, though it is a word itself.
	// Where documents have the query's word as it is written, those with this one say nothing of how rare it is.
	Near bool
}

// Share is what a find of an alternative gives: the factor, of what it gives in a document that is longer by so many lexemes.
type Share struct {
	Factor float64
	Longer int
}

// Share is that of the alternative.
func (a Alternative) Share() Share { return Share{a.Factor, a.Longer} }

// Term is a word or phrase of a query as each kind of field is searched for it.
type Term struct {
	// Text is the term as it was written.
	Text string
	// Alternatives are the ways to find it, for each analysis of the searched fields. An analysis without
	// any does not know the term (a stop word).
	Alternatives map[mapping.Analysis][]Alternative
	// Repeats is how often the query has the term.
	Repeats int
	// Optional terms add to the score but need not be found.
	Optional bool
	// Part tells that the term is one of the words that another one has between hyphens. It is optional, and counts half.
	Part bool
	// Stopped tells that the term, or one of several of which one is enough, is a stop word, so that fields which leave these
	// out are not searched for it. If such a field has its lexeme all the same, because only the settings of the index make it a
	// stop word, or as the stem of another word, that is no find. So is a term whose stem is one, or that is in quotes and has another
	// stem, which fields without stems may have.
	Stopped bool
	// Rarity is the term's idf; the store fills it in. Carried is the idf of the term together with the words that it may be a
	// misspelling of: what a document carries of the query that has any of these.
	Rarity, Carried float64
	// Looked tells that the index is not asked for the term, where documents must have all of them: it is looked for in the
	// documents that have the other ones. The store fills it in.
	Looked bool
	// Missing tells that no document has the term; the store fills it in.
	Missing bool

	// either tells that the term is several of which one is enough.
	either bool
}

// Field is a searched field. The empty name stands for all properties without a mapping.
type Field struct {
	Name     string
	Analysis mapping.Analysis
	// Weight multiplies the frequency of a word in this field.
	Weight float64
	// Title fields add a bonus for each word that stands in them. In Measured ones, which hold texts rather than values, the
	// bonus is the larger the fewer other words are there: see TitleShare.
	Title, Measured bool
}

// AdjacentShare is what a document's score rises by, as a share of it, where words stand next to each other as they
// do in the query: enough to settle ties.
const AdjacentShare = 1e-6

// Plan is a search that is ready to be run.
type Plan struct {
	Index *Index
	// Version is that of the catalog which the plan was made by: Target.Version. It may be AnyVersion.
	Version int64
	// Fields are the searched fields. All tells that they are all that the index has.
	Fields []Field
	All    bool
	// Terms are the words of the query; none matches everything.
	Terms    []Term
	Excluded []Term
	// Match is all, any or auto.
	Match Match
	// Threshold is the share of the query's rarity that the found words of a document must carry when not
	// all words have to be there; 0 asks for any word.
	Threshold float64
	// Nothing tells that the query can find nothing.
	Nothing bool
	// Filter always holds. Own holds conditions of disjunctive facets, by field: the hits fulfil all of
	// them, the facet of a field all but its own.
	Filter filter.Cond
	Own    map[string]filter.Cond
	Sort   []filter.SortKey
	Facets []string
	Limit  int
	Offset int
	// After continues after a hit, in the order of Sort.
	After *Cursor
	// Words is what the vocabulary was like when an earlier search looked up what the words stand for; nil if this one did.
	Words *SeenWords
	// Recount has the documents with each term counted, though their number is remembered.
	Recount bool
	// Explain asks for the parts of each score.
	Explain bool
}

// AnyVersion stands for every version of a catalog: whoever asks by it finds out afterwards whether what was asked for is still the same.
const AnyVersion int64 = -1

// MadeBy tells whether a plan, or whatever else was made by a version of the catalog, holds where that has another one by now.
func MadeBy(version, now int64) bool { return version == AnyVersion || version == now }

// SeenWords is what a vocabulary was like when it was asked what words stand for. Search returns ErrStale if it has changed since.
type SeenWords struct {
	State   string
	Current bool // it was found to be so since the search began
}

// mostAllFirst is the number of words up to which documents that have all of them come before others. Of a short query each word
// is meant: with two, on a catalogue of products, nDCG@10 is 0.03 higher so. Of a longer one a long text may have all and be about
// something else: from six words on, on pages of the web, it is 0.09 lower so, and on four collections of shorter texts the same.
const mostAllFirst = 5

// AllFirst tells that documents with all words come before the others, whatever their scores.
func (p *Plan) AllFirst() bool { return p.Match == MatchAny && p.Required() <= mostAllFirst }

// Required is how many terms a document must have to have all words.
func (p *Plan) Required() (n int) {
	for _, t := range p.Terms {
		if !t.Optional {
			n++
		}
	}
	return n
}

// Cursor is a place in a list of hits, with what the order depends on: it stays the same order while documents
// are being written.
type Cursor struct {
	// Place holds what the last hit was ordered by, as the store writes it; nil where it had no value. There is none
	// after a page that was not proven: then the list begins anew.
	Place []*string `json:"p,omitempty"`
	// Shown are the ids of the hits of such a page, which do not come again.
	Shown []string `json:"s,omitempty"`
	// Gone are words that were planned as unknown ones, or as their parts: see AskedWords.
	Gone []string `json:"g,omitempty"`
	// Of is a hash of what was asked for, so that a cursor is not taken for one of another search.
	Of    uint32 `json:"o"`
	Match Match  `json:"m"`
	// Rarities are those of the terms. Carried is what documents carry with each, where that is something else. AverageLength is
	// that of the documents.
	Rarities      []float64 `json:"r,omitempty"`
	Carried       []float64 `json:"c,omitempty"`
	AverageLength float64   `json:"l,omitempty"`
	// Missing are the places of the terms that no document had.
	Missing []int `json:"n,omitempty"`
	// Shares are those of words that are no words of the query.
	Shares *WordShares `json:"w,omitempty"`
}

// WithOwn is the plan with the own conditions of its facets in its filter.
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

// partShare is what a part of a word counts, as a share of what it would as a word of its own.
const partShare = 0.5

// Share is what the term counts of what it would as a word of its own.
func (t Term) Share() float64 {
	if t.Part {
		return partShare
	}
	return 1
}

// Weight is what a term counts for in scores: its rarity, as often as the query has it.
func (t Term) Weight() float64 { return float64(t.Repeats) * t.Share() * t.Rarity }

// Carries tells that a document with the term carries some of the query, where any of the words is enough: the parts of a word
// stand for it in documents that have them apart.
func (t Term) Carries() bool { return !t.Optional || t.Part }

// CarriedWeight is what a document with the term carries of the query.
func (t Term) CarriedWeight() float64 { return float64(t.Repeats) * t.Share() * t.Carried }

// LeastCarried is the weight that the found words of a document must carry together when not all have to be there: the
// threshold's share of that of all words that some document has, but for the last digits. It is known once rarities are.
func (p *Plan) LeastCarried() float64 {
	total := 0.0
	for _, t := range p.Terms {
		if !t.Optional && !t.Missing {
			total += t.CarriedWeight()
		}
	}
	return p.Threshold * total * (1 - 1e-9)
}

// Light tells of each term whether it is one of those that are too light even together: a document that has no other terms carries
// too little of the query to be found. So where any of the words is enough, whoever looks for documents need not go through all that
// have a common word. These are the non-essential lists of MaxScore (Turtle and Flood, Query Evaluation, 1995), by what a document
// must carry in place of the scores on the page.
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
	// Place is what the hit was ordered by, for a cursor.
	Place []*string
	// Boost and Words are there when the plan asks for explanations.
	Boost float64
	Words []WordScore
	// Adjacent tells that words stand next to each other as they do in the query.
	Adjacent bool
}

// WordScore is what the score of a hit knows of one term.
type WordScore struct {
	// Fields are the frequencies in each of the plan's fields.
	Fields []float64 `json:"fields"`
	// Saturated is the saturated, weighted and length-normalised frequency over all fields, from 0 to 1.
	Saturated float64 `json:"saturated"`
	// Bonus is the rank in a title, from 0 to 1, times the TitleShare of a measured one, from 1 to 3.
	Bonus float64 `json:"bonus"`
}

// Found is the outcome of a plan, all of it of one snapshot.
type Found struct {
	// Hits are in the order of the plan: a cursor goes on after the last of them, whatever the order that a page shows them in.
	Hits          []FoundHit
	Total         int64
	TotalAllWords int64
	// Match is what was in force: all or any.
	Match  Match
	Facets map[string][]FacetValue
	Stats  map[string]FacetStats
	// Rarities are those of the terms, Carried what documents carry with them, Missing the places of those that no document
	// has, AverageLength that of the documents.
	Rarities      []float64
	Carried       []float64
	Missing       []int
	AverageLength float64
	// Unproven tells that other documents may have higher scores than the last hits.
	Unproven bool
}

// State tells what the answers of an index depend on besides the catalog. Where it is the same as it was, so is every
// answer. The zero State is not known, and the same as no other.
type State struct {
	// Logged is how many documents were written since what is derived from them was last brought up to date. DealtWith grows
	// whenever it is.
	Logged, DealtWith int64
	// Server is the run of the primary that the answers are of.
	Server int64
	// Documents and AverageLength are the statistics that scores are made of now.
	Documents     int64
	AverageLength float64
	// Counted is what they, and all counts of words, are of, where the index is at rest. "" while some are of a little earlier.
	Counted string
}

// Searcher runs searches.
type Searcher interface {
	Search(ctx context.Context, p *Plan) (*Found, error)
	// State returns the state of an index, if version is that of the application's catalog: else ErrStale.
	State(ctx context.Context, ix *Index, version int64) (State, error)
	// Lexemes returns the lexemes that the language makes of each word: none for a stop word, and none for what is
	// beyond the first 50,000 words that nobody has asked for before. The same word may be asked for several times.
	Lexemes(ctx context.Context, language string, words []string) ([][]string, error)
	// Likely returns a function that is false for words that can have none of the sought lexemes, or none that begins as
	// one of them; nil where nothing is known of that.
	Likely(ctx context.Context, language string, sought []string) (likely func(word string) bool, err error)
	// Related returns words of the index that words of a query may stand for: those that are close to them, that begin with
	// the last, or that documents have written together or apart.
	Related(ctx context.Context, ix *Index, asked AskedWords) (*RelatedWords, error)
	// Suggest returns up to limit suggestions for q, the best first, if version is that of the application's catalog: else ErrStale.
	// Where there are none it need not look. The first whole of them have all words of q, the others only its last.
	Suggest(ctx context.Context, ix *Index, version int64, q string, limit int) (list []string, whole int, err error)
	// Current returns ErrStale if version is not that of the application's catalog, or if the vocabulary of the index is not as it was seen: seen is
	// RelatedWords.Seen, "" where that does not matter.
	Current(ctx context.Context, ix *Index, version int64, seen string) error
}

// AskedWords are words of a query that may stand for others.
type AskedWords struct {
	// Words are asked for those close to them. Of these no document has Gone any more, whatever is remembered of them.
	Words, Gone []string
	// Pairs are asked whether the index has them as one word.
	Pairs []WordPair
	// Forms are asked only whether the index has them, Lexemes whether documents have them as the stem of a word.
	Forms, Lexemes []string
	// Prefix, a folded word, is asked for up to Limit words that begin with it; "" for none. Beside are the words that have to be
	// there, too.
	Prefix string
	Beside []string
	// Letters, of scripts without spaces, are asked for pairs that have them: up to Limit that begin with each, and as many that end with it.
	Letters []string
	Limit   int
}

// RelatedWords are words of an index that words of a query may stand for.
type RelatedWords struct {
	// Near are the words close to each of the asked ones, nearest first, then most frequent; none for one that is
	// common enough to be meant.
	Near map[string][]NearWord
	// Known are those of the asked ones that the index has, as far as is remembered: words of documents that have changed
	// or gone may be among them.
	Known map[string]bool
	// Lexemes are those of the asked ones that documents have.
	Lexemes map[string]bool
	// Joined are those of the asked pairs that the index has as one word, with the number of documents; of two frequent words
	// without a hyphen only where the one word is frequent, too.
	Joined map[WordPair]int64
	// JoinedForms are other forms of the asked pairs that the index does not have as one word, by the same rule: datasets of data set.
	JoinedForms map[WordPair][]Completion
	// Going are up to five words that begin with the last of the asked pairs as one word, and go on, if its second word may; those in the
	// most documents first.
	Going []Completion
	// Parted are those of the asked words that the index has as two words, and hardly or not at all as one: the two that are in
	// the most documents, and a single letter and the rest, before or behind it. Of the prefix also up to three of each kind that go on. Of
	// those that it does not have, also two words with a letter between them that both share.
	Parted map[string][]WordPair
	// Seldom are those of the asked words that are in few documents, with all words that go on from the prefix.
	Seldom map[string]bool
	// Lettered are the asked words, taken apart behind a first letter, that the index does not have as one word but documents have
	// with a hyphen or an apostrophe there (T-shirt), where the letter is a stop word: no phrase can ask for these.
	Lettered map[WordPair]bool
	// Completions begin with the prefix and go on; those in the most documents first. Whole is how many documents have the prefix
	// as a word. WholeShare is how rare the first of them is, as a share of how rare that word is; 0 where it is none.
	Completions []Completion
	Whole       int64
	WholeShare  float64
	// Enough tells that Completions are what the prefix is to stand for: either they are all, or all would be
	// too many. Else the lexemes themselves are searched for the prefix: there are more words, in few documents,
	// or it is not known.
	Enough bool
	// Around are the pairs that each of the asked letters is in, those in the most documents first.
	Around map[string][]Completion
	// Beside are lexemes that begin with the prefix, too, where Completions are not all: those of titles and names of the documents that have
	// the words beside it, where these are few.
	Beside []Completion
	// Seen is the state of the vocabulary that they are of, if they were looked up for an earlier search; else "". Nobody changes
	// these then.
	Seen string
}

// WordPair is two words of a query, one after the other or with a hyphen or other punctuation between them, that may be one in
// documents.
type WordPair struct {
	First, Second string
	Hyphen        bool
	// Begun tells that the second is not finished. Of a word that is taken apart, that it goes on from what the query has.
	Begun bool
	// Shared tells of a word that is taken apart that its letter in the middle belongs to both: hardrive.
	Shared bool
}

// Joined is the one word.
func (p WordPair) Joined() string { return p.First + p.Second }

// NearWord is a word of an index that is close to a word of a query.
type NearWord struct {
	Word      string
	Distance  int
	Documents int64
	// Share is how rare it is, as a share, above 0 and at most 1, of how rare the query's word is. Where the index does not know that,
	// it is how likely it is to be meant, beside the others that are as close.
	Share float64
	// Begun tells that only its beginning is as close: the query's word has to be begun, too.
	Begun bool
}

// Completion is a word of an index that begins as the last word of a query does.
type Completion struct {
	Word string
	// Documents is about how many have it.
	Documents int64
}
