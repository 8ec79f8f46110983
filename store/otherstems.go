package store

import (
	"context"
	"slices"

	"github.com/rowansearch/rowan/service"
)

// leaveOtherStems leaves out of the words that are close to asked ones what these are no misspellings of, because documents have
// them in another form: where there is a plane, planes are no plans. Vocabularies know only words as they are written. Words of the
// same stem stay: fields without stems have them.
func (s *Store) leaveOtherStems(ctx context.Context, ix *service.Index, asked []string, found *foundWords) error {
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
		return nil
	}
	lexemes, err := s.Lexemes(ctx, ix.Settings.Language, words)
	if err != nil {
		return err
	}
	stems := make(map[string]string, len(words))
	for i, w := range words {
		if len(lexemes[i]) > 0 {
			stems[w] = lexemes[i][0]
		}
	}
	var queries []string
	var places []int // of the words in asked whose stems these are
	for i, w := range asked {
		stem := stems[w]
		other := func(n service.NearWord) bool { return stems[n.Word] != stem }
		if stem != "" && slices.ContainsFunc(found.near[i], other) {
			queries, places = append(queries, tsLexeme(service.Lexeme{Text: stem})), append(places, i)
		}
	}
	if len(queries) == 0 {
		return nil
	}
	counts, err := s.count(ctx, shapeOf(ix), queries)
	if err != nil {
		return err
	}
	for j, i := range places {
		if n := counts[j]; n > found.documents[i] {
			found.near[i] = nearForm(found.near[i], n, found.all, func(word string) bool { return stems[word] == stems[asked[i]] })
		}
	}
	return nil
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
