package store

import (
	"context"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// manyBegun is the number of documents, added up over the words with a prefix, up to which all of these words are searched for, however many they
// are.
const manyBegun = 10000

// begunNumbers returns the numbers that a number at the end of a query stands for if very many documents have some: the most frequent ones that begin
// with it. Vocabularies have no words that begin with a digit, but postings have the lexemes. It returns none if postings cannot tell; then all are
// searched for.
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
