package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
)

// manyBegun is how many documents the words that begin with a prefix may have, each word counted for itself, for
// all of them to be searched for, however many words they are.
const manyBegun = 10000

// begunShare is the part of these that a word must have where they are more, up to begunDocuments, or the frequency from which a
// lexeme surely has postings. It is found as soon as more of it is typed.
const begunShare, begunDocuments = 20, 1250

// frequentAmong are those of words in sum documents that a beginning stands for: rare words beside frequent ones change little in what
// is found and much in how long it takes. Words from common documents on surely have postings.
func frequentAmong(words []service.Completion, sum, common int64) []service.Completion {
	least := min(sum/begunShare, max(common, begunDocuments))
	if frequent := slices.DeleteFunc(slices.Clone(words), func(c service.Completion) bool { return c.Documents < least }); len(frequent) > 0 {
		return frequent
	}
	return words // all are about as rare, as numbers and names are
}

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
	slices.SortFunc(list, byFrequency)
	list = frequentAmong(list[:min(len(list), limit)], sum, x.surelyCommon(s.limits))
	s.words.begun.Put(key, begunWords{completions: list})
	return list, nil
}

// byFrequency orders words by how many documents have them, then by alphabet.
func byFrequency(a, b service.Completion) int {
	return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
}
