package vectorrank

import (
	"bytes"
	"math"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/searchsql"
)

// Rank ranks a document with a boost by its vectors in PostgreSQL's binary form, one for each of the plan's fields, nil for null. every reports
// whether the document has all required words; ok is false if it has too little of the query. Unless the plan is for any of the words, the document
// is taken to have them all, because they found it. If bytes are not a vector, Rank returns an error, and the ranker must not be used again.
func (r *Ranker) Rank(boost float64, vectors [][]byte) (score float64, every, ok bool, err error) {
	length := 0
	for i, vector := range vectors {
		one := pgbinary.CountLexemes(vector)
		length += one
		r.lengths[i] = one
		err := pgbinary.EachLexeme(vector, func(lexeme []byte, o pgbinary.Occurrences) {
			if len(lexeme) == 0 || !r.first[lexeme[0]] {
				return
			}
			if place, asked := r.slots[string(lexeme)]; asked {
				r.found[i][place] = o
				r.dirty = append(r.dirty, [2]int{i, place})
			}
			for j, p := range r.prefixes {
				if bytes.HasPrefix(lexeme, p) {
					r.begun[i][j] = append(r.begun[i][j], o)
				}
			}
		})
		if err != nil {
			return 0, false, false, err
		}
	}
	score, every, ok = r.score(boost, length)
	for _, d := range r.dirty {
		r.found[d[0]][d[1]] = pgbinary.Occurrences{}
	}
	r.dirty = r.dirty[:0]
	for i := range r.begun {
		for j := range r.begun[i] {
			r.begun[i][j] = r.begun[i][j][:0]
		}
	}
	return score, every, ok, nil
}

// score returns the score of the current document. The conversions prevent processors from fusing multiplication and addition, which PostgreSQL does
// not do.
func (r *Ranker) score(boost float64, length int) (score float64, every, ok bool) {
	k := searchsql.SaturationBase + float64(r.perWord*float64(length))
	every = true
	carried, any := 0.0, false
	for i := range r.named {
		r.named[i] = r.lengths[i] <= r.lexemes[i] && r.names(i)
	}
	for i, t := range r.terms {
		best, has := 0.0, false
		for _, group := range t.groups {
			x, found := r.frequency(group, k)
			has = has || found
			gives := 1 - 1/(1+x)
			if group.Factor != 1 {
				gives = float64(group.Factor * gives)
			}
			best = max(best, gives)
		}
		if t.bonus {
			best += float64(service.TitleBonus * r.bonus(t))
		}
		score += float64(t.weight * best)
		any = any || has
		if !r.plan.Terms[i].Optional {
			every = every && has
		}
		if has && r.plan.Terms[i].Carries() {
			carried += t.carried
		}
	}
	score = float64(boost * score)
	if r.adjacent() {
		score *= 1 + service.AdjacentShare
	}
	if r.plan.Match != service.MatchAny {
		return score, true, true
	}
	return score, every, any && carried >= r.leastCarried
}

// frequency returns how often the alternatives of a group occur in the document, weighted by field and divided by K, which is k for all fields but
// measured titles; has reports whether they do.
func (r *Ranker) frequency(g group, k float64) (x float64, has bool) {
	body, titles := 0.0, 0.0
	for i, f := range r.plan.Fields {
		if len(g.fields[i]) == 0 && len(g.phrases[i]) == 0 {
			continue
		}
		one := float64(f.Weight * r.frequencyIn(i, g))
		has = has || one > 0
		if f.Measured {
			titles += one / searchsql.TitleK(r.lengths[i]+g.Longer)
		} else {
			body += one
		}
	}
	return body/(k+g.k) + titles, has
}

// frequencyIn returns the frequency of a group in one field: of all words together if they are counted so, otherwise of the most frequent
// alternative.
func (r *Ranker) frequencyIn(field int, g group) float64 {
	most := math.Inf(-1)
	if g.several[field] {
		most = frequencyOfRanks(r.ranks(field, g.fields[field]))
	} else {
		for _, slot := range g.fields[field] {
			most = max(most, frequencyOfRank(r.rankOf(field, slot)))
		}
	}
	for _, s := range g.phrases[field] {
		one := 0.0
		if r.stands(field, s) {
			one = math.Inf(1)
			for _, slot := range s.slots {
				one = min(one, r.frequencyOfOne(field, slot))
			}
		}
		most = max(most, one)
	}
	return most
}

// frequencyOfOne returns the frequency of a lexeme, or of all with a prefix, in a field.
func (r *Ranker) frequencyOfOne(field, slot int) float64 {
	if slot < 0 {
		return frequencyOfRanks(r.ranks(field, []int{slot}))
	}
	return frequencyOfRank(r.rankOf(field, slot))
}

// rankOf returns the ts_rank of a lexeme in a field.
func (r *Ranker) rankOf(field, slot int) float64 {
	return float64(RankOf(r.found[field][slot].Count))
}

// rankOfOne returns the rank of a lexeme, or of all with a prefix, up to 1.
func (r *Ranker) rankOfOne(field, slot int) float64 {
	if slot < 0 {
		return min(r.ranks(field, []int{slot}), 1)
	}
	return r.rankOf(field, slot)
}

// ranks returns the ts_rank of all of the lexemes in a field times their number.
func (r *Ranker) ranks(field int, slots []int) float64 {
	var sum float32
	add := func(n int) { sum = float32(float64(sum) + lexemeShare[min(n, pgbinary.MaxPositions)]) }
	for _, slot := range slots {
		if slot >= 0 {
			add(r.found[field][slot].Count)
			continue
		}
		for _, o := range r.begun[field][-1-slot] {
			add(o.Count)
		}
	}
	if len(slots) == 1 {
		return float64(sum)
	}
	return float64(float64(len(slots)) * float64(sum/float32(len(slots))))
}

// bonus returns the best rank of a term in a title, times the title's share.
func (r *Ranker) bonus(t term) float64 {
	best := 0.0
	for i, f := range r.plan.Fields {
		if !f.Title {
			continue
		}
		for _, g := range t.groups {
			share := service.TitleShare(r.words[i], r.lengths[i]+g.Longer, r.named[i])
			for _, s := range g.phrases[i] {
				if r.stands(i, s) {
					rank := math.Inf(1)
					for _, slot := range s.slots {
						rank = min(rank, r.rankOfOne(i, slot))
					}
					best = max(best, float64(float64(g.Factor*rank)*share))
				}
			}
			slots := g.fields[i]
			switch {
			case len(slots) == 0:
			case g.Factor != 1:
				rank := r.ranks(i, slots)
				if g.several[i] {
					rank = min(rank, 1)
				}
				best = max(best, float64(float64(g.Factor*rank)*share))
			default:
				for _, slot := range slots {
					best = max(best, float64(r.rankOf(i, slot)*share))
				}
			}
		}
	}
	return best
}

// names reports whether a measured title has all terms that a title must have for the query to name it.
func (r *Ranker) names(field int) bool {
	for i, t := range r.terms {
		if r.plan.Terms[i].NamesTitle(r.plan.Fields[field]) && !r.hasName(field, t) {
			return false
		}
	}
	return r.lengths[field] > 0
}

// hasName reports whether a measured title has something of a term that names it.
func (r *Ranker) hasName(field int, t term) bool {
	for _, g := range t.groups {
		if !g.Names() || r.lengths[field]+g.Fewer > r.lexemes[field] {
			continue
		}
		for _, slot := range g.fields[field] {
			if r.rankOfOne(field, slot) > 0 {
				return true
			}
		}
		for _, s := range g.phrases[field] {
			if r.stands(field, s) {
				return true
			}
		}
	}
	return false
}
