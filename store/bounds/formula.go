// Package bounds computes from postings how large the scores of documents can be at most, and which documents have the largest bounds.
package bounds

import (
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// A bound is at least the score of a document as searchsql/score.go computes it. For most searches it equals the score except for the last digits:
// how often each lexeme occurs in each field determines everything except the effect of word positions. It is larger
//
//   - for a phrase, which may be in a different field than most occurrences of its lexemes,
//   - for a lexeme that occurs posting.AboutTimes or more in a field: the exact count is not known.
//
// A change of the score there requires the same change here; a test compares the two.

// slack covers the error of PostgreSQL's ranks and of the single-precision sums here, and the effect of adjacent words.
const slack = 1 + 2e-5

// EveryFirst is added to the bounds of documents that have all words, if these come first.
const EveryFirst = 1 << 14

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
