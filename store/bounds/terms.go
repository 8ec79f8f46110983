package bounds

import (
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/tsquery"
)

// Term is what bounds the contribution of a term to scores.
type Term struct {
	weight float64 // of the term in scores
	groups []group
	names  []bool // by field of the plan: service.Term.NamesTitle
}

// in reports whether the term counts in a field, given by its index in the plan.
func (t Term) in(field int) bool {
	return slices.ContainsFunc(t.groups, func(g group) bool {
		return slices.ContainsFunc(slices.Concat(g.lexemes, g.phrases, g.prefixes), func(w way) bool { return w.in[field] })
	})
}

// rough reports whether bounds count a word twice in one of the term's groups.
func (t Term) rough() bool {
	return slices.ContainsFunc(t.groups, func(g group) bool { return g.rough })
}

// group has the alternatives of a share that blocks know.
type group struct {
	factor float32
	longer int     // lexemes by which documents count as longer
	k      float32 // what these add to K
	names  bool    // service.Share.Names
	fewer  int     // service.Share.Fewer
	// several reports, by field of the plan, whether alternatives are counted together there.
	several []bool
	// rough reports whether a word is also a prefix: PostgreSQL counts either the word alone or all lexemes with the prefix, bounds both.
	rough   bool
	lexemes []way
	phrases []way
	// prefixes stand for all lexemes with them, together.
	prefixes []way
}

// single reports whether a group is one lexeme.
func (g group) single() bool {
	return len(g.lexemes) == 1 && len(g.phrases)+len(g.prefixes) == 0
}

// way is a lexeme, a prefix, or a phrase, by its index among those of the search, with the fields in which it counts.
type way struct {
	lexeme string
	phrase int
	in     []bool
}

// NewTerm groups the alternatives of a plan's term that have postings by their shares, as frequency of searchsql/rank.go does. common reports whether
// a lexeme has postings; phrases has the indices of the term's phrases among those of the query, by tsquery.
func NewTerm(t service.Term, p *service.Plan, ranking searchsql.Ranking, common func(lexeme string) bool, phrases map[string]int) Term {
	term := Term{weight: t.Weight()}
	for _, f := range p.Fields {
		term.names = append(term.names, t.NamesTitle(f))
	}
	for _, of := range searchsql.Shares(t) {
		g := group{factor: float32(of.Factor), names: of.Names(), longer: of.Longer, fewer: of.Fewer, k: float32(ranking.Longer(of.Longer)), several: make([]bool, len(p.Fields))}
		add := func(ways *[]way, w way, field int) {
			i := slices.IndexFunc(*ways, func(of way) bool { return of.lexeme == w.lexeme && of.phrase == w.phrase })
			if i < 0 {
				i, w.in = len(*ways), make([]bool, len(p.Fields))
				*ways = append(*ways, w)
			}
			(*ways)[i].in[field] = true
		}
		for i, f := range p.Fields {
			words, sequences := searchsql.AlternativesOf(f, t, of)
			g.several[i] = of.Factor != 1 && (len(words) > 1 || len(words) == 1 && words[0].Sequence[0].Prefix)
			for _, one := range words {
				l := one.Sequence[0]
				if l.Prefix {
					add(&g.prefixes, way{lexeme: l.Text}, i)
				} else if common(l.Text) {
					add(&g.lexemes, way{lexeme: l.Text}, i)
				}
				g.rough = g.rough || len(words) > 1 && slices.ContainsFunc(words, func(of service.Alternative) bool {
					return of.Sequence[0].Text == l.Text && of.Sequence[0].Prefix != l.Prefix
				})
			}
			for _, one := range sequences {
				if place, has := phrases[tsquery.Sequence(one, true)]; has {
					add(&g.phrases, way{phrase: place}, i)
				}
			}
		}
		term.groups = append(term.groups, g)
	}
	return term
}
