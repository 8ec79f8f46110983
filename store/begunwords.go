package store

import (
	"context"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// manyBegun is how many documents the words that begin with a prefix may have, each word counted for itself, for
// all of them to be searched for, however many words they are.
const manyBegun = 10000

// begunNumbers are the numbers that one at the end of a query stands for, where very many documents have some: the most frequent
// that begin with it. Vocabularies have no words that begin with a digit, but postings have the lexemes. None where these do not
// tell; then all are searched for.
func (s *Store) begunNumbers(ctx context.Context, ix *service.Index, prefix string, limit int) ([]service.Completion, error) {
	if first, _ := utf8.DecodeRuneInString(prefix); !unicode.IsDigit(first) {
		return nil, nil
	}
	key := wordKey{ix.ID, ix.Version, prefix}
	if list, known := s.words.begun.Get(key); known {
		return list.completions, nil
	}
	x, err := s.accelerator(ctx, ix.ID)
	if x == nil || err != nil {
		return nil, err
	}
	var list []service.Completion
	sum := int64(0)
	for _, lexeme := range x.commonWith(prefix) {
		if n := x.frequencies[lexeme]; lexeme != prefix {
			list = append(list, service.Completion{Word: lexeme, Documents: n})
			sum += n
		}
	}
	if sum <= s.words.manyBegun {
		return nil, nil
	}
	slices.SortFunc(list, vocabulary.ByFrequency)
	list = vocabulary.FrequentAmong(list[:min(len(list), limit)], sum, x.surelyCommon(s.limits))
	s.words.begun.Put(key, begunWords{completions: list})
	return list, nil
}
