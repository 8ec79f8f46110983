package store

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// A few documents are ranked here, from their tsvectors, rather than by the statement: to compute twenty ranks for
// each of thirty documents takes PostgreSQL less time than to read the expressions for it. The score is the same to the
// last bit (searchsql/rank.go and score.go say what it is), so that a search may be ranked one way and continued the other.

// vectorRanker ranks the documents of a search. It is used by one goroutine.
type vectorRanker struct {
	plan    *service.Plan
	perWord float64        // what a lexeme adds to the length's part of the saturation
	slots   map[string]int // of the lexemes that are looked for
	first   [256]bool      // bytes that one of them begins with
	terms   []vectorTerm
	pairs   [][]sequence // lexemes that are looked for next to each other, by field
	// leastCarried is the rarity that what is found has to carry where any word will do.
	leastCarried float64

	taken int // documents

	// facets are counted of the documents that are ranked, if they are selected with the vectors.
	facets  []table.Field
	counts  []blockvalues.Counts
	counted int // bytes of their values, each once

	words    []int                      // by field: service.TitleWords
	lengths  []int                      // by field: lexemes of the document at hand
	found    [][]pgbinary.Occurrences   // by field and lexeme
	prefixes [][]byte                   // beginnings of lexemes that are looked for
	begun    [][][]pgbinary.Occurrences // each lexeme with a prefix, by field and prefix
	dirty    [][2]int                   // places of found that are in use
}

// vectorTerm is a term: what it is found by in each field, for each share.
type vectorTerm struct {
	weight, carried float64
	groups          []vectorGroup
	bonus           bool
}

// vectorGroup are the alternatives of one share.
type vectorGroup struct {
	service.Share
	k      float64 // what the lexemes add to K by which documents are longer
	fields [][]int // lexemes by field, as PostgreSQL sorts them
	// several tells in which fields several alternatives are counted together.
	several []bool
	phrases [][]sequence // by field
}

// sequence are lexemes that follow each other, each so many places after the one before.
type sequence struct{ slots, gaps []int }

// rankedDocument is a document with its score, and with what is shown of it where that has been read.
type rankedDocument struct {
	placed
	seq   int64
	every bool // it has all words
	doc   service.Document
	// keys are those of the order that come before the score, and before is the place that they give the document, from 1: the same
	// for documents that they do not tell apart. There are none where the order is that of the scores.
	keys   []*string
	before int64
}

// placed is where a document stands in the order by score. first tells that it has all words, where such come first.
type placed struct {
	id    string
	first bool
	score float64
}

// compare orders documents as the statement does.
func (p placed) compare(q placed) int {
	if p.first != q.first {
		if p.first {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(q.score, p.score), strings.Compare(p.id, q.id))
}

// newVectorRanker makes a ranker, or nil where the plan asks for a word and all that goes on from it at once.
func newVectorRanker(p *service.Plan, r searchsql.Ranking) *vectorRanker {
	v := &vectorRanker{plan: p, perWord: r.PerLexeme(), slots: map[string]int{}}
	b := &searchsql.Builder{Plan: p}
	for _, t := range p.Terms {
		term := vectorTerm{bonus: b.HasBonus(t)}
		for _, of := range searchsql.Shares(t) {
			g, ok := v.group(t, of)
			if !ok {
				return nil
			}
			g.k = r.Longer(of.Longer)
			term.groups = append(term.groups, g)
		}
		v.terms = append(v.terms, term)
	}
	v.weigh(p.Terms)
	v.pairs = make([][]sequence, len(p.Fields))
	neighbours := b.Neighbours()
	for i, f := range p.Fields {
		for _, pair := range neighbours[f.Analysis] {
			v.pairs[i] = append(v.pairs[i], v.sequence(pair.Sequence))
		}
	}
	v.lengths = make([]int, len(p.Fields))
	for _, f := range p.Fields {
		v.words = append(v.words, p.TitleWords(f))
	}
	v.found, v.begun = make([][]pgbinary.Occurrences, len(p.Fields)), make([][][]pgbinary.Occurrences, len(p.Fields))
	for i := range v.found {
		v.found[i], v.begun[i] = make([]pgbinary.Occurrences, len(v.slots)), make([][]pgbinary.Occurrences, len(v.prefixes))
	}
	return v
}

// group takes the alternatives of a term that have one share; not ok where they are a word and all that goes on from it.
func (v *vectorRanker) group(t service.Term, of service.Share) (_ vectorGroup, ok bool) {
	n := len(v.plan.Fields)
	g := vectorGroup{Share: of, fields: make([][]int, n), several: make([]bool, n), phrases: make([][]sequence, n)}
	for i, f := range v.plan.Fields {
		words, phrases := searchsql.AlternativesOf(f, t, of)
		for _, a := range phrases {
			g.phrases[i] = append(g.phrases[i], v.sequence(a.Sequence))
		}
		g.several[i] = of.Factor != 1 && (len(words) > 1 || len(words) == 1 && words[0].Sequence[0].Prefix)
		if g.fields[i], ok = v.slotsOf(words, of.Factor); !ok {
			return g, false
		}
	}
	return g, true
}

// slotsOf are the places of the words of a factor in one field, each once, in PostgreSQL's order: the ranks of several are added up
// in it.
func (v *vectorRanker) slotsOf(words []service.Alternative, factor float64) (slots []int, ok bool) {
	slices.SortFunc(words, func(a, b service.Alternative) int { return strings.Compare(a.Sequence[0].Text, b.Sequence[0].Text) })
	for i, a := range words {
		l := a.Sequence[0]
		if l.Prefix && factor == 1 {
			return nil, false
		}
		if i > 0 && words[i-1].Sequence[0].Text == l.Text {
			if words[i-1].Sequence[0].Prefix != l.Prefix {
				return nil, false // PostgreSQL takes them for one, either of them
			}
			continue
		}
		slots = append(slots, v.place(l))
	}
	return slots, true
}

// weigh takes the weights of the terms.
func (v *vectorRanker) weigh(terms []service.Term) {
	for i, t := range terms {
		v.terms[i].weight, v.terms[i].carried = t.Weight(), t.CarriedWeight()
	}
	v.leastCarried = v.plan.LeastCarried()
}

// prefix returns the place of the lexemes with a prefix: below zero, from -1 on.
func (v *vectorRanker) prefix(text string) int {
	for i, p := range v.prefixes {
		if string(p) == text {
			return -1 - i
		}
	}
	v.prefixes = append(v.prefixes, []byte(text))
	if text != "" {
		v.first[text[0]] = true
	}
	return -len(v.prefixes)
}

func (v *vectorRanker) slot(lexeme string) int {
	place, ok := v.slots[lexeme]
	if !ok {
		place = len(v.slots)
		v.slots[lexeme] = place
		if lexeme != "" {
			v.first[lexeme[0]] = true
		}
	}
	return place
}

// place is that of a lexeme, or of all with a prefix.
func (v *vectorRanker) place(l service.Lexeme) int {
	if l.Prefix {
		return v.prefix(l.Text)
	}
	return v.slot(l.Text)
}

func (v *vectorRanker) sequence(lexemes []service.Lexeme) (s sequence) {
	for _, l := range lexemes {
		s.slots, s.gaps = append(s.slots, v.place(l)), append(s.gaps, l.Distance())
	}
	return s
}

// stands tells whether a sequence is in a field of the document at hand.
func (v *vectorRanker) stands(field int, s sequence) bool {
	first := v.found[field][s.slots[0]]
	for i := range len(first.Positions) / 2 {
		place, all := first.Position(i), true
		for j, slot := range s.slots[1:] {
			place += s.gaps[j+1]
			if all = v.standsAt(field, slot, place); !all {
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

// standsAt tells whether a lexeme, or one with a prefix, is at a place. To PostgreSQL no phrase is there that ends in a
// prefix of which a lexeme has no places.
func (v *vectorRanker) standsAt(field, slot, place int) bool {
	if slot >= 0 {
		return v.found[field][slot].At(place)
	}
	stands := false
	for _, o := range v.begun[field][-1-slot] {
		if len(o.Positions) == 0 {
			return false
		}
		stands = stands || o.At(place)
	}
	return stands
}

// rank ranks a document by the vectors of the plan's fields; ok is false where it has not enough of the query.
func (v *vectorRanker) rank(boost float64, vectors [][]byte) (score float64, every, ok bool, err error) {
	length := 0
	for i, vector := range vectors {
		one := pgbinary.CountLexemes(vector)
		length += one
		v.lengths[i] = one
		err := pgbinary.EachLexeme(vector, func(lexeme []byte, o pgbinary.Occurrences) {
			if len(lexeme) == 0 || !v.first[lexeme[0]] {
				return
			}
			if place, asked := v.slots[string(lexeme)]; asked {
				v.found[i][place] = o
				v.dirty = append(v.dirty, [2]int{i, place})
			}
			for j, p := range v.prefixes {
				if bytes.HasPrefix(lexeme, p) {
					v.begun[i][j] = append(v.begun[i][j], o)
				}
			}
		})
		if err != nil {
			return 0, false, false, err
		}
	}
	score, every, ok = v.score(boost, length)
	for _, d := range v.dirty {
		v.found[d[0]][d[1]] = pgbinary.Occurrences{}
	}
	v.dirty = v.dirty[:0]
	for i := range v.begun {
		for j := range v.begun[i] {
			v.begun[i][j] = v.begun[i][j][:0]
		}
	}
	return score, every, ok, nil
}

// score is that of the document at hand. The conversions keep processors that could from multiplying and adding in
// one step, which PostgreSQL does not do.
func (v *vectorRanker) score(boost float64, length int) (score float64, every, ok bool) {
	k := searchsql.SaturationBase + float64(v.perWord*float64(length))
	every = true
	carried, any := 0.0, false
	for i, t := range v.terms {
		best, has := 0.0, false
		for _, group := range t.groups {
			tf := v.frequency(group)
			has = has || tf > 0
			saturated := tf + (k + group.k)
			gives := tf / saturated
			if group.Factor != 1 {
				gives = float64(group.Factor*tf) / saturated
			}
			best = max(best, gives)
		}
		if t.bonus {
			best += float64(service.TitleBonus * v.bonus(t))
		}
		score += float64(t.weight * best)
		any = any || has
		if !v.plan.Terms[i].Optional {
			every = every && has
		}
		if has && v.plan.Terms[i].Carries() {
			carried += t.carried
		}
	}
	score = float64(boost * score)
	if v.adjacent() {
		score *= 1 + service.AdjacentShare
	}
	if v.plan.Match != service.MatchAny {
		return score, true, true
	}
	return score, every, any && carried >= v.leastCarried
}

// frequency is how often the alternatives of a group are in the document, its fields weighted.
func (v *vectorRanker) frequency(g vectorGroup) float64 {
	sum := 0.0
	for i, f := range v.plan.Fields {
		if len(g.fields[i]) > 0 || len(g.phrases[i]) > 0 {
			sum += float64(f.Weight * v.frequencyIn(i, g))
		}
	}
	return sum
}

// frequencyIn is that in one field: of words that are counted together, or of what is there most.
func (v *vectorRanker) frequencyIn(field int, g vectorGroup) float64 {
	most := math.Inf(-1)
	if g.several[field] {
		most = frequencyOfRanks(v.ranks(field, g.fields[field]))
	} else {
		for _, slot := range g.fields[field] {
			most = max(most, frequencyOfRank(v.rankOf(field, slot)))
		}
	}
	for _, s := range g.phrases[field] {
		one := 0.0
		if v.stands(field, s) {
			one = math.Inf(1)
			for _, slot := range s.slots {
				one = min(one, v.frequencyOfOne(field, slot))
			}
		}
		most = max(most, one)
	}
	return most
}

// frequencyOfOne is how often a lexeme, or any with a prefix, is in a field.
func (v *vectorRanker) frequencyOfOne(field, slot int) float64 {
	if slot < 0 {
		return frequencyOfRanks(v.ranks(field, []int{slot}))
	}
	return frequencyOfRank(v.rankOf(field, slot))
}

// frequencyOfRank is frequencyOf.
func frequencyOfRank(rank float64) float64 {
	return 1/(1.64493407-float64(1.64493407*rank)) - 0.6079271006892089
}

// frequencyOfRanks is frequencyOfSeveral.
func frequencyOfRanks(rank float64) float64 {
	if rank < 1.1 {
		return 1/(1.64493407-float64(1.64493407*min(rank, 0.99))) - 0.6079271006892089
	}
	return float64(1.64493407 * rank)
}

// rankOf is ts_rank of a lexeme in a field.
func (v *vectorRanker) rankOf(field, slot int) float64 {
	return float64(float32(lexemeShare[min(v.found[field][slot].Count, pgbinary.MaxPositions)]))
}

// rankOfOne is that of a lexeme, or of all with a prefix.
func (v *vectorRanker) rankOfOne(field, slot int) float64 {
	if slot < 0 {
		return min(v.ranks(field, []int{slot}), 1)
	}
	return v.rankOf(field, slot)
}

// ranks is the number of lexemes times ts_rank of all of them in a field.
func (v *vectorRanker) ranks(field int, slots []int) float64 {
	var sum float32
	add := func(n int) { sum = float32(float64(sum) + lexemeShare[min(n, pgbinary.MaxPositions)]) }
	for _, slot := range slots {
		if slot >= 0 {
			add(v.found[field][slot].Count)
			continue
		}
		for _, o := range v.begun[field][-1-slot] {
			add(o.Count)
		}
	}
	if len(slots) == 1 {
		return float64(sum)
	}
	return float64(float64(len(slots)) * float64(sum/float32(len(slots))))
}

// bonus is the best rank of a term in a title, times the title's share.
func (v *vectorRanker) bonus(t vectorTerm) float64 {
	best := 0.0
	for i, f := range v.plan.Fields {
		if !f.Title {
			continue
		}
		for _, g := range t.groups {
			share := service.TitleShare(v.words[i], v.lengths[i]+g.Longer)
			for _, s := range g.phrases[i] {
				if v.stands(i, s) {
					rank := math.Inf(1)
					for _, slot := range s.slots {
						rank = min(rank, v.rankOfOne(i, slot))
					}
					best = max(best, float64(float64(g.Factor*rank)*share))
				}
			}
			slots := g.fields[i]
			switch {
			case len(slots) == 0:
			case g.Factor != 1:
				rank := v.ranks(i, slots)
				if g.several[i] {
					rank = min(rank, 1)
				}
				best = max(best, float64(float64(g.Factor*rank)*share))
			default:
				for _, slot := range slots {
					best = max(best, float64(v.rankOf(i, slot)*share))
				}
			}
		}
	}
	return best
}

// adjacent tells whether words that follow each other in the query do so in a field.
func (v *vectorRanker) adjacent() bool {
	for i, pairs := range v.pairs {
		for _, pair := range pairs {
			if v.stands(i, pair) {
				return true
			}
		}
	}
	return false
}

// lexemeShare is what a lexeme with n places adds to ts_rank with equal weights, before it is divided by the number
// of lexemes that are asked for. These are the steps of calc_rank_or in PostgreSQL's tsrank.c, in its precisions, so
// that scores are those of a statement to the last bit.
var lexemeShare = func() (shares [pgbinary.MaxPositions + 1]float64) {
	for n := 1; n <= pgbinary.MaxPositions; n++ {
		var sum float32
		for j := range n {
			sum += 1 / float32((j+1)*(j+1))
		}
		shares[n] = float64(float32(1+sum)-1) / 1.64493406685
	}
	return shares
}()
