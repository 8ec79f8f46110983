// Package bounds tells from postings what the scores of documents can be at the most, and which documents have the largest.
package bounds

import (
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// A bound is at least the score of a document, as searchsql/score.go has it, and for most searches the score itself but for the last
// digits: from how often each lexeme is in each field follows all but where words stand. It is more
//
//   - for a phrase, which may be in another field than its lexemes are in most,
//   - for a lexeme that is in a field posting.AboutTimes or more, which is not known exactly.
//
// Who changes the score there changes the bound here; a test holds one against the other.

// slack covers what PostgreSQL's ranks and the sums here, of single precision, may be off by, and words next to each
// other.
const slack = 1 + 2e-5

// EveryFirst is added to the bounds of documents that have all words, where such come first.
const EveryFirst = 1 << 14

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
