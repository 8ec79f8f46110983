package bounds

import (
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
)

// Query is what bounds depend on in a search.
type Query struct {
	Plan    *service.Plan
	Ranking searchsql.Ranking
	// InPattern has the index of each field of the plan among the fields of the postings.
	InPattern []int
	Terms     []Term
	Phrases   [][]string // the lexemes of each phrase
	// Places has the index in a block's Postings of each lexeme and each other row that is read. Begin returns the lexemes with a prefix that have postings.
	Places map[string]int
	Begin  func(prefix string) []string
}

// looksAtTitles reports whether a title in a measured field, given by its index in the plan, may have a lexeme of the query, and the right length, without
// being named: because it lacks another term, as one with a part of the word that names titles may, or because what it has does not name titles.
func (q *Query) looksAtTitles(field int) bool {
	terms := 0
	for _, of := range q.Terms {
		if of.names[field] || of.in(field) {
			terms++
		}
		if of.names[field] && slices.ContainsFunc(of.groups, func(g group) bool { return !g.names || g.fewer > 0 || len(g.phrases) > 0 }) {
			return true
		}
	}
	return terms > 1
}

// Block is a block of documents as read.
type Block struct {
	First    int64 // the number of the document at offset 0, whether or not it exists
	Measures posting.Measures
	Postings []posting.List   // by the indices in Query.Places
	Phrases  []posting.Bitmap // documents that have each of the search's phrases
	Found    posting.Bitmap   // documents that the search finds, without changed ones
	Every    posting.Bitmap   // those of them that have all words, if any word suffices
}

// EachBegun calls f with each occurrence in a block of a lexeme with a prefix and without postings, in the order of the lexemes. places is
// Query.Places.
func (b *Block) EachBegun(places map[string]int, prefix string, f func(lexeme []byte, offset, field int, times byte)) {
	names, _ := posting.BeginningNames(prefix)
	for _, name := range names {
		posting.Beginnings(b.Postings[places[name]].Codes).Begun(prefix, f)
	}
}

// Tally computes the bounds of the documents that a search finds, and keeps the largest.
type Tally struct {
	query      Query
	space      *blockvalues.Space
	titleWords []int        // by field of the plan: service.TitleWords
	naming     []naming     // by field of the plan
	rough      bool         // bounds of some term are above its scores
	numbers    *numberLists // set while bounds are computed
	codes      posting.CodeList
	// frequencies and bonuses are by pattern of the current lexeme; bonuses does not include measured titles.
	frequencies, bonuses []float32
	titles               []titleRanks // measured ones

	overflow bool // a bound is larger than EveryFirst allows, or a boost less than leastBoost
	inexact  bool // some lexeme occurs posting.AboutTimes or more in a field: bounds may be far above scores
	// ceiling is the largest bound of interest; 0 if all are.
	ceiling   float32
	keep      int       // how many documents with the largest bounds are kept
	ranked    []bounded // these, and some more while they are collected
	threshold float32   // documents with bounds up to it are not among them
	dropped   float32   // the largest bound of the others
	least     float32   // the smallest bound of collected documents
	less      bool      // a document had a smaller bound
}

// New returns a tally for a query, whose bounds are computed in space.
func New(q Query, space *blockvalues.Space) *Tally {
	t := &Tally{query: q, space: space, rough: len(q.Phrases) > 0 || slices.ContainsFunc(q.Terms, Term.rough)}
	t.naming = make([]naming, len(q.Plan.Fields))
	for i, f := range q.Plan.Fields {
		t.titleWords, t.naming[i].most = append(t.titleWords, q.Plan.TitleWords(f)), q.Plan.TitleLexemes(f)
		t.naming[i].looked = t.naming[i].most > 0 && q.looksAtTitles(i)
	}
	return t
}

// Exact reports whether bounds are scores but for the last digits.
func (t *Tally) Exact() bool { return !t.inexact && !t.rough }

// Overflows reports whether a bound does not fit, or a boost leaves single precision too few digits.
func (t *Tally) Overflows() bool { return t.overflow }

// LimitTo leaves out documents with scores above the given one, if bounds are exact.
func (t *Tally) LimitTo(score float32) { t.ceiling = t.moreThanBound(score) }

// Last returns the n-th largest bound, n from 1 on; ok is false if fewer documents are kept.
func (t *Tally) Last(n int) (bound float32, ok bool) {
	if n < 1 || n > len(t.ranked) {
		return 0, false
	}
	return t.ranked[n-1].bound, true
}

// Drops reports whether a document with a bound of at least least was not kept.
func (t *Tally) Drops(least float32) bool { return t.dropped >= least }

// Collect returns the documents of each block that have a bound of at least least; less reports whether there are others.
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
