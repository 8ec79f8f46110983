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

// A bound is at least the score of a document, as searchsql/score.go has it, and for most searches the score itself but for the last
// digits: from how often each lexeme is in each field follows all but where words stand. It is more
//
//   - for a phrase, which may be in another field than its lexemes are in most,
//   - for a lexeme that is in a field posting.AboutTimes or more, which is not known exactly.
//
// Who changes the score there changes the bound here; a test holds one against the other.

// boundSlack covers what PostgreSQL's ranks and the sums here, of single precision, may be off by, and words next to each
// other.
const boundSlack = 1 + 2e-5

// boundTerm is what bounds the share of a term in scores.
type boundTerm struct {
	weight float64 // what the term counts for
	groups []boundGroup
}

// boundGroup are those alternatives of a share that blocks tell of.
type boundGroup struct {
	factor float32
	longer int     // lexemes by which documents are longer
	k      float32 // what these add to K
	// several tells by field of the plan whether alternatives are counted together there.
	several []bool
	lexemes []boundWay
	phrases []boundWay
	// prefixes stand for all lexemes that begin so, together.
	prefixes []boundWay
}

// single tells that a group is one lexeme.
func (g boundGroup) single() bool {
	return len(g.lexemes) == 1 && len(g.phrases)+len(g.prefixes) == 0
}

// boundWay is a lexeme, or the beginning of some, or a phrase by its place among those of the search, and the fields in which it
// counts.
type boundWay struct {
	lexeme string
	phrase int
	in     []bool
}

// boundGroups sorts the alternatives of a term that have postings by their shares, as frequency of searchsql/rank.go does.
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

// rankOfTimes is ts_rank of a lexeme by how often it is in a field. That of posting.ManyTimes is more than any.
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

// frequencyOfSum is the frequency that the score infers from a sum of ranks: frequencyOfSeveral, or frequencyOf.
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

// maxRank is that of a lexeme that is in a field as often as it can be.
var maxRank = vectorrank.RankOf(pgbinary.MaxPositions)
