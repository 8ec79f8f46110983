package vectorrank

import "github.com/rowansearch/rowan/store/pgbinary"

// RankOf returns the ts_rank, from 0 to below 1, of a lexeme that occurs the given number of times in a field, with equal weights. Occurrences beyond
// pgbinary.MaxPositions do not count: PostgreSQL keeps no more positions.
func RankOf(times int) float32 { return float32(lexemeShare[min(times, pgbinary.MaxPositions)]) }

// lexemeShare is what a lexeme with n positions adds to ts_rank with equal weights, before the division by the number of searched lexemes. It is
// computed in the steps and precisions of calc_rank_or in PostgreSQL's tsrank.c, so that scores equal a statement's to the last bit.
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

// frequencyOfRank is frequencyOf of searchsql/rank.go: the frequency of a lexeme with this rank in a field.
func frequencyOfRank(rank float64) float64 {
	return 1/(1.64493407-float64(1.64493407*rank)) - 0.6079271006892089
}

// frequencyOfRanks is frequencyOfSeveral there: the frequency of several lexemes, from the sum of their ranks.
func frequencyOfRanks(rank float64) float64 {
	if rank < 1.1 {
		return 1/(1.64493407-float64(1.64493407*min(rank, 0.99))) - 0.6079271006892089
	}
	return float64(1.64493407 * rank)
}
