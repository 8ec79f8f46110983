package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/tsquery"
)

// wordsIndex implements vocabulary.Index.
type wordsIndex struct {
	store *Store
	ix    *service.Index
}

// Stems implements vocabulary.Index.
func (x wordsIndex) Stems(ctx context.Context, words []string) (map[string]string, error) {
	lexemes, err := x.store.Lexemes(ctx, x.ix.Settings.Language, words)
	if err != nil {
		return nil, err
	}
	stems := make(map[string]string, len(words))
	for i, w := range words {
		if len(lexemes[i]) > 0 {
			stems[w] = lexemes[i][0]
		}
	}
	return stems, nil
}

// Counted implements vocabulary.Index.
func (x wordsIndex) Counted(ctx context.Context) (func(lexeme string) int64, error) {
	of, err := x.store.accelerator(ctx, x.ix.ID)
	return of.documentsWith, err
}

// Count implements vocabulary.Index.
func (x wordsIndex) Count(ctx context.Context, lexemes []string) ([]int64, error) {
	queries := make([]string, len(lexemes))
	for i, lexeme := range lexemes {
		queries[i] = tsquery.Lexeme(service.Lexeme{Text: lexeme})
	}
	return x.store.count(ctx, x.store.shape(x.ix), queries)
}

// Ask implements vocabulary.Index.
func (x wordsIndex) Ask(ctx context.Context, st sqltext.Statement, take func(place int, word string, documents int64)) error {
	return x.store.ask(ctx, st, func(rows pgx.Rows) error {
		var place int
		var word string
		var documents int64
		_, err := pgx.ForEachRow(rows, []any{&place, &word, &documents}, func() error {
			take(place, word, documents)
			return nil
		})
		return err
	})
}

// haveLexemes sets in have which of the lexemes occur in documents, by counting them.
func (s *Store) haveLexemes(ctx context.Context, ix *service.Index, lexemes []string, have map[string]bool) error {
	if len(lexemes) == 0 {
		return nil
	}
	counts, err := wordsIndex{s, ix}.Count(ctx, lexemes)
	if err != nil {
		return err
	}
	for i, lexeme := range lexemes {
		have[lexeme] = counts[i] > 0
	}
	return nil
}
