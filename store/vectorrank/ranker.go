// Package vectorrank ranks documents from their tsvectors, as PostgreSQL sends them, and cuts a page out of them. It runs no statement:
// the vectors were selected by searchsql.Vectors, or come from the caller.
//
// PostgreSQL takes less time to compute twenty ranks for each of thirty documents than to parse the expressions for them. So a few documents are
// ranked here rather than by the statement, with the same score to the last bit (searchsql/rank.go and score.go define it, and ts_rank is that of
// PostgreSQL's tsrank.c), so that a search may be ranked one way and continued the other.
package vectorrank

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/searchsql"
)

// Ranker ranks the documents of a search. It is for use by one goroutine.
type Ranker struct {
	plan    *service.Plan
	perWord float64        // what each lexeme of a document adds to K
	slots   map[string]int // of the searched lexemes
	first   [256]bool      // first bytes of searched lexemes and prefixes
	terms   []term
	pairs   [][]sequence // lexemes that are searched next to each other, by field
	// leastCarried is the rarity that the found words must carry if any word suffices.
	leastCarried float64

	words    []int                      // by field: service.TitleWords
	lexemes  []int                      // by field: service.TitleLexemes
	named    []bool                     // by field: whether the query names the current document's title
	lengths  []int                      // by field: lexemes of the current document
	found    [][]pgbinary.Occurrences   // by field and lexeme
	prefixes [][]byte                   // searched prefixes
	begun    [][][]pgbinary.Occurrences // each lexeme with a prefix, by field and prefix
	dirty    [][2]int                   // indices into found that are in use
}

// term is a term of the query: its alternatives in each field, by share.
type term struct {
	weight, carried float64
	groups          []group
	bonus           bool
}

// group has the alternatives of one share.
type group struct {
	service.Share
	k      float64 // what the lexemes by which documents count as longer add to K
	fields [][]int // lexemes by field, in PostgreSQL's order
	// several reports, by field, whether the alternatives there are counted together.
	several []bool
	phrases [][]sequence // by field
}

// sequence is a phrase: its lexemes, each with its distance from the one before.
type sequence struct{ slots, gaps []int }

// New returns a ranker for the terms and fields of a plan. ok is false if the plan searches for a prefix with factor 1, or for a lexeme both as a
// whole and as a prefix: PostgreSQL merges the two into one, of either kind, so that vectors do not determine the score.
func New(p *service.Plan, ranking searchsql.Ranking) (r *Ranker, ok bool) {
	r = &Ranker{plan: p, perWord: ranking.PerLexeme(), slots: map[string]int{}}
	b := &searchsql.Builder{Plan: p}
	for _, t := range p.Terms {
		one := term{bonus: b.HasBonus(t)}
		for _, of := range searchsql.Shares(t) {
			g, ok := r.group(t, of)
			if !ok {
				return nil, false
			}
			g.k = ranking.Longer(of.Longer)
			one.groups = append(one.groups, g)
		}
		r.terms = append(r.terms, one)
	}
	r.Weigh()
	r.pairs = make([][]sequence, len(p.Fields))
	neighbours := b.Neighbours()
	for i, f := range p.Fields {
		for _, pair := range neighbours[f.Analysis] {
			r.pairs[i] = append(r.pairs[i], r.sequence(pair.Sequence))
		}
	}
	r.lengths = make([]int, len(p.Fields))
	for _, f := range p.Fields {
		r.words, r.lexemes = append(r.words, p.TitleWords(f)), append(r.lexemes, p.TitleLexemes(f))
	}
	r.named = make([]bool, len(p.Fields))
	r.found, r.begun = make([][]pgbinary.Occurrences, len(p.Fields)), make([][][]pgbinary.Occurrences, len(p.Fields))
	for i := range r.found {
		r.found[i], r.begun[i] = make([]pgbinary.Occurrences, len(r.slots)), make([][]pgbinary.Occurrences, len(r.prefixes))
	}
	return r, true
}

// Weigh takes the weights of the plan's terms, which depend on their rarities. Call it again if these were counted since New.
func (r *Ranker) Weigh() {
	for i, t := range r.plan.Terms {
		r.terms[i].weight, r.terms[i].carried = t.Weight(), t.CarriedWeight()
	}
	r.leastCarried = r.plan.LeastCarried()
}

// Adjoins reports whether scores also depend on positions: on whether words are adjacent as in the query.
func (r *Ranker) Adjoins() bool {
	return slices.ContainsFunc(r.pairs, func(pairs []sequence) bool { return len(pairs) > 0 })
}

// group takes the alternatives of a term that have one share; ok is as for New.
func (r *Ranker) group(t service.Term, of service.Share) (_ group, ok bool) {
	n := len(r.plan.Fields)
	g := group{Share: of, fields: make([][]int, n), several: make([]bool, n), phrases: make([][]sequence, n)}
	for i, f := range r.plan.Fields {
		words, phrases := searchsql.AlternativesOf(f, t, of)
		for _, a := range phrases {
			g.phrases[i] = append(g.phrases[i], r.sequence(a.Sequence))
		}
		g.several[i] = of.Factor != 1 && (len(words) > 1 || len(words) == 1 && words[0].Sequence[0].Prefix)
		if g.fields[i], ok = r.slotsOf(words, of.Factor); !ok {
			return g, false
		}
	}
	return g, true
}

// slotsOf returns the distinct slots of a factor's words in one field, in PostgreSQL's order, in which it adds up the ranks of several.
func (r *Ranker) slotsOf(words []service.Alternative, factor float64) (slots []int, ok bool) {
	slices.SortFunc(words, func(a, b service.Alternative) int { return strings.Compare(a.Sequence[0].Text, b.Sequence[0].Text) })
	for i, a := range words {
		l := a.Sequence[0]
		if l.Prefix && factor == 1 {
			return nil, false
		}
		if i > 0 && words[i-1].Sequence[0].Text == l.Text {
			if words[i-1].Sequence[0].Prefix != l.Prefix {
				return nil, false // PostgreSQL merges them into one, of either kind
			}
			continue
		}
		slots = append(slots, r.place(l))
	}
	return slots, true
}

// prefix returns the slot of the lexemes with a prefix, which is negative: -1, -2 and so on.
func (r *Ranker) prefix(text string) int {
	for i, p := range r.prefixes {
		if string(p) == text {
			return -1 - i
		}
	}
	r.prefixes = append(r.prefixes, []byte(text))
	if text != "" {
		r.first[text[0]] = true
	}
	return -len(r.prefixes)
}

func (r *Ranker) slot(lexeme string) int {
	place, ok := r.slots[lexeme]
	if !ok {
		place = len(r.slots)
		r.slots[lexeme] = place
		if lexeme != "" {
			r.first[lexeme[0]] = true
		}
	}
	return place
}

// place returns the slot of a lexeme, or of all with a prefix.
func (r *Ranker) place(l service.Lexeme) int {
	if l.Prefix {
		return r.prefix(l.Text)
	}
	return r.slot(l.Text)
}

func (r *Ranker) sequence(lexemes []service.Lexeme) (s sequence) {
	for _, l := range lexemes {
		s.slots, s.gaps = append(s.slots, r.place(l)), append(s.gaps, l.Distance())
	}
	return s
}
