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
	// manyRanked is how many documents are fetched at most, to be ranked here.
	manyRanked = 20000
	// lexemesARank is how many lexemes of vectors are sent in the time in which the statement computes a rank of a document, and
	// planningARank in how many documents it does in that in which PostgreSQL reads and plans it.
	lexemesARank, planningARank = 3, 60
)

// sooner tells that documents, of so many lexemes on average, are likely to be ranked from their vectors sooner than by the
// statement: it has a rank for each word and field, whether a document has these or not. How many they are may not be known, and
// is infinite then.
func sooner(documents, lexemes float64, ranks int) bool {
	computed := lexemesARank * float64(ranks)
	if math.IsInf(documents, 1) {
		return lexemes < computed
	}
	return documents <= manyRanked && documents*(lexemes-computed) < planningARank*computed
}

// manyRankable tells whether all that a plan finds can be ranked from vectors.
func manyRankable(sh table.Shape, p *service.Plan, r searchsql.Ranking) bool {
	return p.Limit > 0 && rankable(sh, p, r) && len(p.Own) == 0 && !p.Nothing && countable(sh, p.Facets) && requiresWords(p)
}

// searchMany answers a search by ranking all that it finds, about so many documents, from vectors. done is false where the plain
// statement has to answer. p.Match is decided.
func (s *Store) searchMany(ctx context.Context, p *service.Plan, sh table.Shape, r searchsql.Ranking, documents float64, found *service.Found) (done bool, err error) {
	if !manyRankable(sh, p, r) || !sooner(documents, r.AverageLength, p.Ranks()) {
		return false, nil
	}
	return s.rankMany(ctx, p, sh, r, found)
}

// rankMany does so whatever it takes.
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
