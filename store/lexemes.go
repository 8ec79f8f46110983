package store

import (
	"context"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// lexemeCache remembers what PostgreSQL's dictionaries make of words. A dictionary may be changed by a DBA,
// but then the indices have to be built anew, too; a restart forgets.
type lexemeCache struct {
	lexMu   sync.RWMutex
	lexemes map[string]map[string][]string // by language, by word
}

// maxLexemes bounds the remembered words of a language: about 10 MB.
const maxLexemes = 100000

func newLexemeCache() lexemeCache { return lexemeCache{lexemes: map[string]map[string][]string{}} }

// Lexemes returns the lexemes that the text-search configuration language makes of each word.
func (s *Store) Lexemes(ctx context.Context, language string, words []string) (map[string][]string, error) {
	found := make(map[string][]string, len(words))
	var unknown []string
	s.lexMu.RLock()
	for _, w := range words {
		if l, ok := s.lexemes[language][w]; ok {
			found[w] = l
		} else {
			unknown = append(unknown, w)
		}
	}
	s.lexMu.RUnlock()
	s.counted.lexemeHits.Add(int64(len(found)))
	s.counted.lexemeMisses.Add(int64(len(unknown)))
	if len(unknown) == 0 {
		return found, nil
	}
	rows, _ := s.readPool(ctx).Query(ctx, "SELECT w, tsvector_to_array(to_tsvector($1::text::regconfig, w)) FROM unnest($2::text[]) AS w", language, unknown)
	var word string
	var lexemes []string
	_, err := pgx.ForEachRow(rows, []any{&word, &lexemes}, func() error {
		found[word] = lexemes
		lexemes = nil
		return nil
	})
	if err != nil {
		return nil, clientError(err)
	}
	s.lexMu.Lock()
	defer s.lexMu.Unlock()
	known := s.lexemes[language]
	if known == nil || len(known)+len(unknown) > maxLexemes {
		known = map[string][]string{}
		s.lexemes[language] = known
	}
	for _, w := range unknown {
		known[strings.Clone(w)] = found[w] // w may be a part of a document
	}
	return found, nil
}
