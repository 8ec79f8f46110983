package bounds

import (
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
)

// Query is the part of a search that bounds depend on.
type Query struct {
	Plan    *service.Plan
	Ranking searchsql.Ranking
	// InPattern are the indices of the plan's fields among those that the postings cover.
	InPattern []int
	Terms     []Term
	Phrases   [][]string // the lexemes of each phrase
	// Places are the indices in Block.Postings, by lexeme or row name; Begin returns the lexemes with postings that begin with a prefix.
	Places map[string]int
	Begin  func(prefix string) []string
}

// Block is a block of documents as read.
type Block struct {
	First    int64 // the number of its first document, whether or not that exists
	Measures posting.Measures
	Postings []posting.List   // of each of the search's lexemes
	Phrases  []posting.Bitmap // documents that have each of the search's phrases
	Found    posting.Bitmap   // matching documents, without those that have changed
	Every    posting.Bitmap   // those of them that have all words, in a search for any
}

// EachBegun calls f for each occurrence of a lexeme without postings that begins with prefix, in the order of the lexemes. places are the indices in
// b.Postings.
func (b *Block) EachBegun(places map[string]int, prefix string, f func(lexeme []byte, offset, field int, times byte)) {
	names, _ := posting.BeginningNames(prefix)
	for _, name := range names {
		posting.Beginnings(b.Postings[places[name]].Codes).Begun(prefix, f)
	}
}

// Tally computes the bounds of the documents that a search finds, and keeps the documents with the largest.
type Tally struct {
	query      Query
	space      *blockvalues.Space
	titleWords []int        // by field of the plan: service.TitleWords
	rough      bool         // some bound may be above the score whatever the block
	numbers    *numberLists // while bounds are computed
	codes      posting.CodeList
	// frequencies and bonuses are those of the patterns of the current lexeme; bonuses exclude measured titles.
	frequencies, bonuses []float32
	titles               []titleRanks // of measured titles

	overflow bool // a bound is larger than EveryFirst allows, or a boost is below leastBoost
	inexact  bool // a lexeme occurs posting.AboutTimes or more somewhere: bounds may be far above scores
	// ceiling is the largest bound that is of interest; 0: all are.
	ceiling   float32
	keep      int       // how many documents with the largest bounds to keep
	ranked    []bounded // these, and some more while they are being collected
	threshold float32   // bounds up to it are not among them
	dropped   float32   // the largest bound of the others
	least     float32   // minimum bound of documents to collect
	less      bool      // there are documents with smaller bounds
}

// New returns a tally for a query that uses space to compute bounds.
func New(q Query, space *blockvalues.Space) *Tally {
	t := &Tally{query: q, space: space, rough: len(q.Phrases) > 0 || slices.ContainsFunc(q.Terms, func(of Term) bool { return of.rough })}
	for _, f := range q.Plan.Fields {
		t.titleWords = append(t.titleWords, q.Plan.TitleWords(f))
	}
	return t
}

// Exact reports whether bounds are scores except for the last digits.
func (t *Tally) Exact() bool { return !t.inexact && !t.rough }

// Overflows reports whether some bounds overflow, or boosts are too small for single precision.
func (t *Tally) Overflows() bool { return t.overflow }

// LimitTo excludes documents that score higher than score. Bounds must be exact.
func (t *Tally) LimitTo(score float32) { t.ceiling = t.moreThanBound(score) }

// Last returns the n-th largest bound, from 1 on; ok is false if fewer documents are kept.
func (t *Tally) Last(n int) (bound float32, ok bool) {
	if n < 1 || n > len(t.ranked) {
		return 0, false
	}
	return t.ranked[n-1].bound, true
}

// Drops reports whether a document with a bound of least or more was not kept.
func (t *Tally) Drops(least float32) bool { return t.dropped >= least }

// Collect returns the documents of each block with bounds of least or more; less says that there are other matching documents.
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
