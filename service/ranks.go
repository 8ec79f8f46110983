package service

import "github.com/rowansearch/rowan/service/mapping"

// maxRanks bounds how often words are ranked in fields for each document. Each takes a microsecond, and is a parameter of the
// statement, of which PostgreSQL takes 65,535.
const maxRanks = 12000

// Ranks is how many times words are ranked in fields for each document, or a little more.
func (p *Plan) Ranks() (n int) {
	for _, t := range p.Terms {
		n += t.ranks(p.Fields)
	}
	return n
}

// ranks is how many ranks the term has in these fields: one for each way to find it, but for all words together that give the same
// share of it.
func (t Term) ranks(fields []Field) (n int) {
	type share struct {
		factor float64
		longer int
	}
	for _, f := range fields {
		seen := map[share]bool{}
		for _, a := range t.Alternatives[f.Analysis] {
			of := share{a.Factor, a.Longer}
			if a.Factor == 1 || !seen[of] || len(a.Sequence) != 1 {
				n += len(a.Sequence)
			}
			seen[of] = true
		}
	}
	return n
}

// rankable are the first terms of a query, as many as can be ranked in these fields. The others are ignored, as words are beyond the
// number of those that count, and so are synonyms of the first one that are too many.
func rankable(terms []Term, fields []Field) []Term {
	ranks := 0
	for i, t := range terms {
		if ranks += t.ranks(fields); ranks <= maxRanks {
			continue
		}
		if i == 0 {
			return []Term{t.shortened(fields)}
		}
		return terms[:i]
	}
	return terms
}

// shortened is the term with as many of the ways to find it as can be ranked in these fields, the first ones, and where even one is a
// phrase of too many words, with the first of these.
func (t Term) shortened(fields []Field) Term {
	ways, words := 0, 0
	for _, list := range t.Alternatives {
		ways = max(ways, len(list))
		for _, one := range list {
			words = max(words, len(one.Sequence))
		}
	}
	for t.ranks(fields) > maxRanks && (ways > 1 || words > 1) {
		if ways > 1 {
			ways /= 2
		} else {
			words /= 2
		}
		lists := make(map[mapping.Analysis][]Alternative, len(t.Alternatives))
		for a, list := range t.Alternatives {
			for _, one := range list[:min(ways, len(list))] {
				one.Sequence = one.Sequence[:min(words, len(one.Sequence))]
				lists[a] = append(lists[a], one)
			}
		}
		t.Alternatives = lists
	}
	return t
}
