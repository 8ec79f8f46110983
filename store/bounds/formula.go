// Package bounds computes upper bounds on the scores of documents from postings, and finds the documents with the largest bounds.
package bounds

import (
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/vectorrank"
)

// A bound is at least the score of a document, as defined in searchsql/score.go. For most searches it equals the score but for the last digits: how
// often each lexeme occurs in each field determines everything but the positions of words. It is larger
//
//   - for a phrase, which may occur in another field than most occurrences of its lexemes,
//   - for a lexeme that occurs in a field posting.AboutTimes times or more, because that number is not known exactly,
//   - for a word that is also a prefix with the same share, because PostgreSQL counts only one of the two.
//
// A change of the score there requires the same change here; a test compares the two.

// slack covers the rounding errors of PostgreSQL's ranks and of the sums here, which are of single precision, and the share for adjacent words.
const slack = 1 + 2e-5

// EveryFirst is added to the bounds of documents that have all words, if these come first.
const EveryFirst = 1 << 14

// rankOfTimes is the ts_rank of a lexeme by how often it occurs in a field. That of posting.ManyTimes is above all others.
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

// frequencyOfSum returns the frequency that the score infers from a sum of ranks: frequencyOfSeveral or frequencyOf.
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

// maxRank is the rank of a lexeme that occurs in a field as often as PostgreSQL counts.
var maxRank = vectorrank.RankOf(pgbinary.MaxPositions)
