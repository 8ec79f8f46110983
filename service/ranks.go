package service

import (
	"slices"

	"github.com/rowansearch/rowan/service/mapping"
)

// maxRanks bounds how often words are ranked in fields for each document. Each rank takes a microsecond, and is a
// parameter of the statement, of which PostgreSQL accepts 65,535.
const maxRanks = 12000

// Ranks returns how many times words are ranked in fields for each document, or a little more.
func (p *Plan) Ranks() (n int) {
	for _, t := range p.Terms {
		n += t.ranks(p.Fields)
	}
	return n
}

// ranks returns how many ranks the term has in these fields: one for each way to find it, except that single words
// with the same share are ranked together.
func (t Term) ranks(fields []Field) (n int) {
	for _, f := range fields {
		seen := map[Share]bool{}
		for _, a := range t.Alternatives[f.Analysis] {
			of := a.Share()
			if a.Factor == 1 || !seen[of] || len(a.Sequence) != 1 {
				n += len(a.Sequence)
			}
			seen[of] = true
		}
	}
	return n
}

// rankable returns the first terms of a query, as many as can be ranked in these fields, preferring those that have to be found to stop
// words and parts of words. The others are ignored, like words beyond query.MaxWords, and so are excess synonyms of the first term.
func rankable(terms []Term, fields []Field) []Term {
	places := make([]int, len(terms))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		switch {
		case terms[a].Optional == terms[b].Optional:
			return 0
		case terms[b].Optional:
			return -1
		}
		return 1
	})
	ranks := 0
	for n, i := range places {
		if ranks += terms[i].ranks(fields); ranks <= maxRanks {
			continue
		}
		if n == 0 {
			return []Term{terms[i].shortened(fields)}
		}
		var list []Term
		for _, i := range slices.Sorted(slices.Values(places[:n])) {
			list = append(list, terms[i])
		}
		return list
	}
	return terms
}

// shortened returns the term with only the first of the ways to find it, as many as can be ranked in these fields;
// if even one is a phrase of too many words, with only the first of these.
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
