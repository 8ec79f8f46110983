package bounds

import (
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
)

// Query is a search as bounds depend on it.
type Query struct {
	Plan    *service.Plan
	Ranking searchsql.Ranking
	// InPattern are the places of the plan's fields among those that the postings are of.
	InPattern []int
	Terms     []Term
	Phrases   [][]string // the lexemes of each phrase
	// Places are those of what is read of each block, by lexeme; Begin returns the lexemes with postings that begin with a prefix.
	Places map[string]int
	Begin  func(prefix string) []string
}

// Block is a block of documents as it is read.
type Block struct {
	First    int64 // the number that its first document has, or would have
	Measures posting.Measures
	Postings []posting.List   // of each of the search's lexemes
	Phrases  []posting.Bitmap // documents that have each of the search's phrases
	Found    posting.Bitmap   // documents that the search finds, without those that have changed
	Every    posting.Bitmap   // those of them that have all words, where any will do
}

// EachBegun calls f with each occurrence in a block of lexemes without postings that begin with a prefix, the lexemes in their
// order. places are those of what is read, by lexeme.
func (b *Block) EachBegun(places map[string]int, prefix string, f func(lexeme []byte, offset, field int, times byte)) {
	names, _ := posting.BeginningNames(prefix)
	for _, name := range names {
		posting.Beginnings(b.Postings[places[name]].Codes).Begun(prefix, f)
	}
}

// Tally computes the bounds of the documents that a search finds, and knows which are the largest.
type Tally struct {
	query      Query
	space      *blockvalues.Space
	titleWords []int        // by field of the plan: service.TitleWords
	rough      bool         // bounds are more than scores: of some word
	numbers    *numberLists // while bounds are computed
	codes      posting.CodeList
	// frequencies and bonuses are those of the patterns of the lexeme at hand, the latter but for titles that are measured.
	frequencies, bonuses []float32
	titles               []titleRanks // those that are measured

	overflow bool // a bound is larger than EveryFirst allows, or a boost less than leastBoost
	inexact  bool // a lexeme is somewhere posting.AboutTimes or more: bounds may be far above scores
	// ceiling is what bounds of documents are at the most that are of interest; 0: all are.
	ceiling   float32
	keep      int       // how many documents with the largest bounds are kept
	ranked    []bounded // these, and some more while they are collected
	threshold float32   // what is not above it is not among them
	dropped   float32   // the largest bound of the others
	least     float32   // what is collected has bounds of at least this
	less      bool      // there was less
}

// New makes a tally for a query that has bounds computed in space.
func New(q Query, space *blockvalues.Space) *Tally {
	t := &Tally{query: q, space: space, rough: len(q.Phrases) > 0 || slices.ContainsFunc(q.Terms, func(of Term) bool { return of.rough })}
	for _, f := range q.Plan.Fields {
		t.titleWords = append(t.titleWords, q.Plan.TitleWords(f))
	}
	return t
}

// Exact tells that bounds are scores but for the last digits.
func (t *Tally) Exact() bool { return !t.inexact && !t.rough }

// Overflows tells that some bounds do not fit, or that boosts have not enough digits for them.
func (t *Tally) Overflows() bool { return t.overflow }

// LimitTo leaves out documents whose scores are above one, where bounds are exact.
func (t *Tally) LimitTo(score float32) { t.ceiling = t.moreThanBound(score) }

// Last is the bound of the n-th of the documents with the largest, from 1 on; ok is false where fewer are kept.
func (t *Tally) Last(n int) (bound float32, ok bool) {
	if n < 1 || n > len(t.ranked) {
		return 0, false
	}
	return t.ranked[n-1].bound, true
}

// Drops tells that a document is not kept that has at least a bound.
func (t *Tally) Drops(least float32) bool { return t.dropped >= least }

// Collect finds the documents of some blocks, in the places of these, that have at least a bound. less tells that there are others.
func (t *Tally) Collect(blocks []*Block, least float32) (members []posting.Bitmap, less bool) {
	members = make([]posting.Bitmap, len(blocks))
	for i := range members {
		members[i] = t.space.Bitmap()
	}
	t.least, t.less = least, false
	t.addUp(blocks, members)
	return members, t.less
}

func (t *Tally) collect(members posting.Bitmap, offset int, bound float32) {
	if bound < t.least {
		t.less = true
	} else {
		members.Set(offset)
	}
}
