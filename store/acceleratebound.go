package store

import (
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/tsquery"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// A bound is at least the score of a document as searchsql/score.go computes it. For most searches it equals the score except for the last digits:
// how often each lexeme occurs in each field determines everything except the effect of word positions. It is larger
//
//   - for a phrase, which may be in a different field than most occurrences of its lexemes,
//   - for a lexeme that occurs posting.AboutTimes or more in a field: the exact count is not known.
//
// A change of the score there requires the same change here; a test compares the two.

// boundSlack covers the error of PostgreSQL's ranks and of the single-precision sums here, and the effect of adjacent words.
const boundSlack = 1 + 2e-5

// boundTerm bounds the share of a term in scores.
type boundTerm struct {
	weight float64 // weight of the term
	groups []boundGroup
}

// boundGroup holds the alternatives of a share that the blocks know about.
type boundGroup struct {
	factor float32
	longer int     // lexemes by which the documents are longer
	k      float32 // what these add to K
	// several says, for each field of the plan, whether alternatives are counted together there.
	several []bool
	lexemes []boundWay
	phrases []boundWay
	// prefixes stand for all lexemes that begin with them, counted together.
	prefixes []boundWay
}

// single reports whether the group is a single lexeme.
func (g boundGroup) single() bool {
	return len(g.lexemes) == 1 && len(g.phrases)+len(g.prefixes) == 0
}

// boundWay is a lexeme, a prefix of lexemes, or a phrase (by its index among those of the search), with the fields in which it counts.
type boundWay struct {
	lexeme string
	phrase int
	in     []bool
}

// boundGroups groups the alternatives of a term that have postings by their shares, as frequency in searchsql/rank.go does.
func (a *accelerated) boundGroups(t service.Term) (groups []boundGroup) {
	fields := a.plan.Fields
	places := a.phrasesOf(t)
	for _, of := range searchsql.Shares(t) {
		g := boundGroup{factor: float32(of.Factor), longer: of.Longer, k: float32(a.ranking.Longer(of.Longer)), several: make([]bool, len(fields))}
		add := func(ways *[]boundWay, w boundWay, field int) {
			i := slices.IndexFunc(*ways, func(of boundWay) bool { return of.lexeme == w.lexeme && of.phrase == w.phrase })
			if i < 0 {
				i, w.in = len(*ways), make([]bool, len(fields))
				*ways = append(*ways, w)
			}
			(*ways)[i].in[field] = true
		}
		for i, f := range fields {
			words, phrases := searchsql.AlternativesOf(f, t, of)
			g.several[i] = of.Factor != 1 && (len(words) > 1 || len(words) == 1 && words[0].Sequence[0].Prefix)
			for _, one := range words {
				l := one.Sequence[0]
				if _, common := a.frequencies[l.Text]; l.Prefix {
					add(&g.prefixes, boundWay{lexeme: l.Text}, i)
				} else if common {
					add(&g.lexemes, boundWay{lexeme: l.Text}, i)
				}
				a.rough = a.rough || len(words) > 1 && slices.ContainsFunc(words, func(of service.Alternative) bool {
					return of.Sequence[0].Text == l.Text && of.Sequence[0].Prefix != l.Prefix
				})
			}
			for _, one := range phrases {
				if place, common := places[tsquery.Sequence(one, true)]; common {
					add(&g.phrases, boundWay{phrase: place}, i)
				}
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// rankOfTimes is ts_rank of a lexeme by how often it occurs in a field. For posting.ManyTimes it is larger than any rank.
var rankOfTimes = func() (ranks [posting.ManyTimes + 1]float32) {
	for times := range posting.ManyTimes {
		n := times
		if times >= posting.AboutTimes {
			n = posting.MostOf(byte(times))
		}
		ranks[times] = vectorrank.RankOf(n)
	}
	ranks[posting.ManyTimes] = 1e6
	return ranks
}()

// frequencyOfSum returns the frequency that the score infers from a sum of ranks, like frequencyOfSeveral or frequencyOf.
func frequencyOfSum(rank float32, several bool) float32 {
	switch {
	case several && rank >= 1.1:
		return 1.64493407 * rank
	case several:
		return frequencyOf32(min(rank, 0.99))
	}
	return frequencyOf32(min(rank, maxRank))
}

func frequencyOf32(rank float32) float32 { return 1/(1.64493407*(1-rank)) - 0.6079271 }

// maxRank is the rank of a lexeme that occurs in a field as often as possible.
var maxRank = vectorrank.RankOf(pgbinary.MaxPositions)
