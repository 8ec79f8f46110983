package bounds

import (
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/tsquery"
)

// Term bounds the share of a term in scores.
type Term struct {
	weight float64 // weight of the term
	groups []group
	// rough says that a word is also searched for as a prefix with the same factor, so that bounds count it twice.
	rough bool
}

// group holds the alternatives of a share that the blocks know about.
type group struct {
	factor float32
	longer int     // lexemes by which the documents are longer
	k      float32 // what these add to K
	// several says, for each field of the plan, whether alternatives are counted together there.
	several []bool
	lexemes []way
	phrases []way
	// prefixes stand for all lexemes that begin with them, counted together.
	prefixes []way
}

// single reports whether the group is a single lexeme.
func (g group) single() bool {
	return len(g.lexemes) == 1 && len(g.phrases)+len(g.prefixes) == 0
}

// way is a lexeme, a prefix of lexemes, or a phrase (by its index among those of the search), with the fields in which it counts.
type way struct {
	lexeme string
	phrase int
	in     []bool
}

// NewTerm groups the alternatives of a term that have postings by their shares, as frequency in searchsql/rank.go does. common reports whether a
// lexeme has postings; phrases are the indices of the term's phrases in Query.Phrases, by their tsqueries.
func NewTerm(t service.Term, p *service.Plan, ranking searchsql.Ranking, common func(lexeme string) bool, phrases map[string]int) Term {
	term := Term{weight: t.Weight()}
	for _, of := range searchsql.Shares(t) {
		g := group{factor: float32(of.Factor), longer: of.Longer, k: float32(ranking.Longer(of.Longer)), several: make([]bool, len(p.Fields))}
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
				term.rough = term.rough || len(words) > 1 && slices.ContainsFunc(words, func(of service.Alternative) bool {
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
