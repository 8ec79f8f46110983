package store

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

const (
	// manyRanked is the maximum number of documents that are fetched to be ranked here.
	manyRanked = 20000
	// lexemesARank is the number of lexemes of vectors that are sent in the time in which the statement computes one rank of a document,
	// planningARank the number of documents for which it computes a rank in the time in which PostgreSQL parses and plans one.
	lexemesARank, planningARank = 3, 60
)

// sooner reports whether documents with the given mean number of lexemes are probably ranked sooner from their vectors than by the statement, which
// computes a rank for each word and field, whether or not a document has them. documents is infinite if their number is unknown.
func sooner(documents, lexemes float64, ranks int) bool {
	computed := lexemesARank * float64(ranks)
	if math.IsInf(documents, 1) {
		return lexemes < computed
	}
	return documents <= manyRanked && documents*(lexemes-computed) < planningARank*computed
}

// manyRankable reports whether everything that a plan finds can be ranked from vectors.
func manyRankable(sh table.Shape, p *service.Plan, r searchsql.Ranking) bool {
	return p.Limit > 0 && rankable(sh, p, r) && len(p.Own) == 0 && !p.Nothing && countable(sh, p.Facets) && requiresWords(p)
}

// searchMany answers a search by ranking everything that it finds, about the given number of documents, from vectors. done is false if the plain
// statement has to answer. p.Match must have been decided.
func (s *Store) searchMany(ctx context.Context, p *service.Plan, sh table.Shape, r searchsql.Ranking, documents float64, found *service.Found) (done bool, err error) {
	if !manyRankable(sh, p, r) || !sooner(documents, r.AverageLength, p.Ranks()) {
		return false, nil
	}
	return s.rankMany(ctx, p, sh, r, found)
}

// rankMany is searchMany without the checks whether ranking from vectors is possible and probably sooner.
func (s *Store) rankMany(ctx context.Context, p *service.Plan, sh table.Shape, r searchsql.Ranking, found *service.Found) (done bool, err error) {
	many := newVectorSearch(*p, sh, r, manyRanked, found)
	if many == nil {
		return false, nil
	}
	err = s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		list, err := many.open(ctx, conn)
		if done = err == nil && many.ranker.taken <= manyRanked; !done {
			return err
		}
		return many.answer(ctx, conn, list)
	})
	if takenBack(err, p, r, found) {
		return false, nil
	}
	return done, err
}
