package service

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
// number of those that count.
func rankable(terms []Term, fields []Field) []Term {
	ranks := 0
	for i, t := range terms {
		if ranks += t.ranks(fields); ranks > maxRanks {
			return terms[:max(i, 1)]
		}
	}
	return terms
}
