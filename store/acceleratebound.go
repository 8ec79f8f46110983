package store

import (
	"slices"

	"github.com/rowansearch/rowan/service"
)

// A bound is at least the score of a document, as scoresql.go has it, and for most searches the score itself but for the last
// digits: from how often each lexeme is in each field follows all but where words stand. It is more
//
//   - for a phrase, which may be in another field than its lexemes are in most,
//   - for the beginning of a word, in documents that may have it by lexemes without postings (prefixBound): these are not
//     found where it has none at all,
//   - for a lexeme that is in a field aboutTimes or more, which is not known exactly.
//
// Who changes the score there changes the bound here; a test holds one against the other.

// boundSlack covers what PostgreSQL's ranks and the sums here, of single precision, may be off by, and words next to each
// other.
const boundSlack = 1 + 2e-5

// boundTerm is what bounds the share of a term in scores.
type boundTerm struct {
	// weight is what the term counts for; prefix is the largest factor of an alternative that is a prefix, 0 where there
	// is none: how much a prefix adds is known only from all lexemes that begin with it.
	weight, prefix float64
	// begun are the lexemes with postings that begin with the prefix: documents may have others besides.
	begun  []string
	groups []boundGroup
}

// boundGroup are those alternatives of a factor that have postings.
type boundGroup struct {
	factor float32
	// several tells by field of the plan whether alternatives are counted together there; absent is the frequency where none
	// is there, which the inversion of a rank of 0 makes not quite 0; none is the weighted sum of these.
	several []bool
	absent  []float32
	none    float32
	lexemes []boundWay
	phrases []boundWay
}

// single tells that a group is one lexeme.
func (g boundGroup) single() bool { return len(g.lexemes) == 1 && len(g.phrases) == 0 }

// boundWay is a lexeme, or a phrase by its place among those of the search, and the fields in which it counts.
type boundWay struct {
	lexeme string
	phrase int
	in     []bool
}

// boundGroups sorts the alternatives of a term that have postings by their factors, as frequency of ranksql.go does.
func (a *accelerated) boundGroups(t service.Term) (groups []boundGroup) {
	fields := a.plan.Fields
	places := a.phrasesOf(t)
	for _, factor := range factors(t) {
		g := boundGroup{factor: float32(factor), several: make([]bool, len(fields)), absent: make([]float32, len(fields))}
		add := func(ways *[]boundWay, w boundWay, field int) {
			i := slices.IndexFunc(*ways, func(of boundWay) bool { return of.lexeme == w.lexeme && of.phrase == w.phrase })
			if i < 0 {
				i, w.in = len(*ways), make([]bool, len(fields))
				*ways = append(*ways, w)
			}
			(*ways)[i].in[field] = true
		}
		for i, f := range fields {
			words, phrases := alternativesOf(f, t, factor)
			g.several[i] = factor != 1 && (len(words) > 1 || len(words) == 1 && words[0].Sequence[0].Prefix)
			if len(words) > 0 && len(phrases) == 0 {
				g.absent[i] = frequencyOfNone
				g.none += float32(f.Weight) * frequencyOfNone
			}
			for _, one := range words {
				l := one.Sequence[0]
				if _, common := a.frequencies[l.Text]; common && !l.Prefix {
					add(&g.lexemes, boundWay{lexeme: l.Text}, i)
				}
			}
			for _, one := range phrases {
				if place, common := places[tsSequence(one, true)]; common {
					add(&g.phrases, boundWay{phrase: place}, i)
				}
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// prefixBound is the most that a word adds which also stands for all lexemes with a prefix: at most factor of
// it for these, of which any number may be there. exact is what its other lexemes add, for a boost of 1, and share
// the largest of the document's titles. If these give the larger frequency, the prefix can still give the larger bonus; else its
// frequency is saturated to at most 1, and the bonus may come from either.
func prefixBound(exact, factor, share float64) float64 {
	return max(exact+service.TitleBonus*share*factor, factor+service.TitleBonus*share)
}

// frequencyOfNone is the frequency that the score infers where a lexeme is not in a field.
var frequencyOfNone = float32(frequencyOfRank(0))

// rankOfTimes is ts_rank of a lexeme by how often it is in a field. That of manyTimes is more than any.
var rankOfTimes = func() (ranks [manyTimes + 1]float32) {
	for times := range manyTimes {
		n := times
		if times >= aboutTimes {
			n = mostOf(byte(times))
		}
		ranks[times] = float32(lexemeShare[n])
	}
	ranks[manyTimes] = 1e6
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

func frequencyOf32(rank float32) float32 { return 1/(1.64493407*(1-rank)) - 0.60793 }

// maxRank is that of a lexeme that is in a field as often as it can be.
var maxRank = float32(lexemeShare[maxPositions])
