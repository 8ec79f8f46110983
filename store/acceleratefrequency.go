package store

import (
	"context"
	"math"

	"github.com/rowansearch/rowan/service"
)

// commonTerm returns how many documents the postings say have a term, by its one common lexeme, and the tsquery
// of its other alternatives, which are to be counted besides. ok is false where that does not say enough. To
// count a common word in the table takes longer than to search for it.
func (x *accelerator) commonTerm(t service.Term, fields []service.Field) (documents int64, rest string, ok bool) {
	common := ""
	var others []service.Alternative
	for _, f := range fields {
		for _, one := range t.Alternatives[f.Analysis] {
			if one.Documents > 0 {
				continue
			}
			if len(one.Sequence) != 1 || one.Sequence[0].Prefix {
				return 0, "", false
			}
			lexeme := one.Sequence[0].Text
			switch _, has := x.frequencies[lexeme]; {
			case !has:
				others = append(others, one)
			case common != "" && common != lexeme:
				return 0, "", false
			default:
				common = lexeme
			}
		}
	}
	return x.frequencies[common], tsAny(others, false), common != ""
}

// countTerms counts the documents with each of some terms of a plan, by their places; queries are their tsqueries.
func (s *Store) countTerms(ctx context.Context, p *service.Plan, sh shape, places []int, queries []string) ([]int64, error) {
	counts := make([]int64, len(places))
	x, err := s.accelerator(ctx, p.Index.ID)
	if err != nil {
		return nil, err
	}
	var asked []string
	var askedFor []int
	for i, place := range places {
		query := queries[place]
		if x != nil {
			if n, rest, ok := x.commonTerm(p.Terms[place], p.Fields); ok {
				counts[i], query = n, rest
			}
		}
		if query != "" {
			asked, askedFor = append(asked, query), append(askedFor, i)
		}
	}
	if len(asked) == 0 {
		return counts, nil
	}
	more, err := s.count(ctx, sh, asked)
	if err != nil {
		return nil, err
	}
	for i, n := range more {
		counts[askedFor[i]] += n
	}
	return counts, nil
}

// worthwhile tells whether the postings are likely to answer sooner than the plain statement.
func (a *accelerated) worthwhile() bool {
	expected, rarest := a.expected()
	return expected >= a.limits.expected || rarest >= a.limits.rarest
}

// expected is how many documents have all words, if each is as likely in any of them, and how many have the rarest;
// for any word, the least that have one.
func (a *accelerated) expected() (all, rarest float64) {
	documents := math.Max(float64(a.documents), 1)
	if a.any() {
		most := int64(0)
		for _, l := range a.lexemes {
			most = max(most, a.frequencies[l])
		}
		return float64(most), float64(most)
	}
	all, rarest = documents, documents
	for _, t := range a.terms {
		if t.required {
			n := 0.0
			for _, l := range t.lexemes {
				n += float64(a.frequencies[l])
			}
			all *= min(n/documents, 1)
			rarest = min(rarest, n)
		}
	}
	return all, rarest
}
