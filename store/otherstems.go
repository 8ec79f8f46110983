package store

import (
	"context"
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/tsquery"
)

// leaveOtherStems leaves out of the words that are close to asked ones what these are no misspellings of, because documents have
// them in another form: where there is a plane, planes are no plans. Vocabularies know only words as they are written. Words of the
// same stem stay: fields without stems have them.
func (s *Store) leaveOtherStems(ctx context.Context, ix *service.Index, asked []string, found *foundWords) error {
	stems, err := s.stemsNear(ctx, ix, asked, found)
	if err != nil || len(stems) == 0 {
		return err
	}
	stopped, err := s.stopWordsOf(ctx, ix, asked, stems)
	if err != nil {
		return err
	}
	x, err := s.accelerator(ctx, ix.ID)
	if err != nil {
		return err
	}
	documents := make([]int64, len(asked)) // that have each in some form, as far as that matters
	var queries []string
	var places []int // of the words in asked whose stems these are
	for i, w := range asked {
		stem := stems[w]
		if stem == "" || stopped[stem] || !slices.ContainsFunc(found.near[i], func(n service.NearWord) bool { return stems[n.Word] != stem }) {
			continue
		}
		documents[i] = max(x.documentsWith(stem), found.begunForm(stem, stems))
		if documents[i] < nearDocuments {
			queries, places = append(queries, tsquery.Lexeme(service.Lexeme{Text: stem})), append(places, i)
		}
	}
	if len(queries) > 0 {
		counts, err := s.count(ctx, s.shape(ix), queries)
		if err != nil {
			return err
		}
		for j, i := range places {
			documents[i] = counts[j]
		}
	}
	for i, w := range asked {
		if documents[i] > found.documents[i] {
			found.near[i] = nearForm(found.near[i], documents[i], found.all, func(word string) bool { return stems[word] == stems[w] })
		}
	}
	return nil
}

// stemsNear are the stems of the asked words that have others close to them, of these, and of what the last may be the beginning of.
func (s *Store) stemsNear(ctx context.Context, ix *service.Index, asked []string, found *foundWords) (map[string]string, error) {
	var words []string
	for i, w := range asked {
		if len(found.near[i]) > 0 {
			words = append(words, w)
			for _, n := range found.near[i] {
				words = append(words, n.Word)
			}
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	for _, c := range found.completions {
		words = append(words, c.Word)
	}
	lexemes, err := s.Lexemes(ctx, ix.Settings.Language, words)
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

// stopWordsOf are those of the stems of asked words that are stop words of the language. Texts have none of these, so what has one, as a
// name may, is no form of the word: moring is no more, but a misspelled morning.
func (s *Store) stopWordsOf(ctx context.Context, ix *service.Index, asked []string, stems map[string]string) (map[string]bool, error) {
	var list []string
	for _, w := range asked {
		if stem := stems[w]; stem != "" && stem != w {
			list = append(list, stem)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	lexemes, err := s.Lexemes(ctx, ix.Settings.Language, list)
	if err != nil {
		return nil, err
	}
	stopped := map[string]bool{}
	for i, stem := range list {
		stopped[stem] = len(lexemes[i]) == 0
	}
	return stopped, nil
}

// documentsWith is how many documents have a lexeme, as far as that was counted with the postings: to count those of a frequent one takes
// longer than to search for it. 0 where it was not, or there are no postings.
func (x *accelerator) documentsWith(lexeme string) int64 {
	if x == nil {
		return 0
	}
	if n := x.frequencies[lexeme]; n > 0 {
		return n
	}
	n, _ := x.rarer.Of(lexeme)
	return n
}

// begunForm is how many documents have one of the words that begin with the prefix and are of that stem.
func (f *foundWords) begunForm(stem string, stems map[string]string) (most int64) {
	for _, c := range f.completions {
		if stems[c.Word] == stem {
			most = max(most, c.Documents)
		}
	}
	return most
}

// nearForm are those of near that a word may be a misspelling of which documents of all have in some form, and its other forms.
func nearForm(near []service.NearWord, documents, all int64, form func(word string) bool) (list []service.NearWord) {
	for _, n := range near {
		if !form(n.Word) {
			if n.Begun || documents >= nearDocuments || n.Documents < nearRarer*documents {
				continue
			}
			n.Share = nearShare(documents, n.Documents, all)
		}
		list = append(list, n)
	}
	return list
}

// haveLexemes notes which lexemes documents have, of those that postings do not tell of.
func (s *Store) haveLexemes(ctx context.Context, ix *service.Index, lexemes []string, have map[string]bool) error {
	if len(lexemes) == 0 {
		return nil
	}
	queries := make([]string, len(lexemes))
	for i, lexeme := range lexemes {
		queries[i] = tsquery.Lexeme(service.Lexeme{Text: lexeme})
	}
	counts, err := s.count(ctx, s.shape(ix), queries)
	if err != nil {
		return err
	}
	for i, lexeme := range lexemes {
		have[lexeme] = counts[i] > 0
	}
	return nil
}
