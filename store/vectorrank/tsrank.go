package vectorrank

import "github.com/rowansearch/rowan/store/pgbinary"

// RankOf is ts_rank of a lexeme that is so many times in a field, with equal weights: from 0 to below 1. More than
// pgbinary.MaxPositions are as many: PostgreSQL keeps no more places.
func RankOf(times int) float32 { return float32(lexemeShare[min(times, pgbinary.MaxPositions)]) }

// lexemeShare is what a lexeme with n places adds to ts_rank with equal weights, before it is divided by the number
// of lexemes that are asked for. These are the steps of calc_rank_or in PostgreSQL's tsrank.c, in its precisions, so
// that scores are those of a statement to the last bit.
var lexemeShare = func() (shares [pgbinary.MaxPositions + 1]float64) {
	for n := 1; n <= pgbinary.MaxPositions; n++ {
		var sum float32
		for j := range n {
			sum += 1 / float32((j+1)*(j+1))
		}
		shares[n] = float64(float32(1+sum)-1) / 1.64493406685
	}
	return shares
}()

// frequencyOfRank is frequencyOf of searchsql/rank.go: how often a lexeme is in a field that has such a rank there.
func frequencyOfRank(rank float64) float64 {
	return 1/(1.64493407-float64(1.64493407*rank)) - 0.6079271006892089
}

// frequencyOfRanks is frequencyOfSeveral there: from the sum of the ranks of several lexemes.
func frequencyOfRanks(rank float64) float64 {
	if rank < 1.1 {
		return 1/(1.64493407-float64(1.64493407*min(rank, 0.99))) - 0.6079271006892089
	}
	return float64(1.64493407 * rank)
}
