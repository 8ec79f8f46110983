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
	forms := &formCounts{accelerator: x, found: found, stems: stems, documents: map[string]int64{}}
	for i, w := range asked {
		stem := stems[w]
		if stem != "" && !stopped[stem] && slices.ContainsFunc(found.near[i], func(n service.NearWord) bool { return stems[n.Word] != stem }) {
			forms.add(stem)
			forms.misspelled = append(forms.misspelled, i)
		}
	}
	if err := forms.count(ctx, s, ix); err != nil {
		return err
	}
	// What a word may be a misspelling of is in more documents in all of its forms than as the vocabulary has it, as the word is.
	forms.misspelled = slices.DeleteFunc(forms.misspelled, func(i int) bool { return forms.of(asked[i]) <= found.documents[i] })
	for _, i := range forms.misspelled {
		for _, n := range found.near[i] {
			if documents := forms.of(asked[i]); documents < nearDocuments && n.Documents < nearRarer*documents {
				forms.add(stems[n.Word])
			}
		}
	}
	if err := forms.count(ctx, s, ix); err != nil {
		return err
	}
	for _, i := range forms.misspelled {
		found.near[i] = forms.near(asked[i], found.near[i])
	}
	return nil
}

// formCounts are how many documents have words in some form, as far as that matters.
type formCounts struct {
	accelerator *accelerator
	found       *foundWords
	stems       map[string]string // of words
	documents   map[string]int64  // of stems
	uncounted   []string          // stems
	misspelled  []int             // places of words that may be misspellings of words with other stems
}

// add notes how many documents have a stem, or that these are to be counted.
func (f *formCounts) add(stem string) {
	if _, known := f.documents[stem]; known || stem == "" {
		return
	}
	f.documents[stem] = max(f.accelerator.documentsWith(stem), f.found.begunForm(stem, f.stems))
	if f.documents[stem] < nearDocuments {
		f.uncounted = append(f.uncounted, stem)
	}
}

// count counts the documents of the stems of which that is not known.
func (f *formCounts) count(ctx context.Context, s *Store, ix *service.Index) error {
	if len(f.uncounted) == 0 {
		return nil
	}
	counts, err := s.countLexemes(ctx, ix, f.uncounted)
	if err != nil {
		return err
	}
	for i, stem := range f.uncounted {
		f.documents[stem] = counts[i]
	}
	f.uncounted = nil
	return nil
}

// of is how many documents have a word in some form.
func (f *formCounts) of(word string) int64 { return f.documents[f.stems[word]] }

// near are those of the words close to one that it may be a misspelling of, and its other forms.
func (f *formCounts) near(word string, near []service.NearWord) (list []service.NearWord) {
	documents := f.of(word)
	for _, n := range near {
		if f.stems[n.Word] != f.stems[word] {
			inForms := max(n.Documents, f.of(n.Word))
			if n.Begun || documents >= nearDocuments || inForms < nearRarer*documents {
				continue
			}
			n.Share = nearShare(documents, inForms, f.found.all)
		}
		list = append(list, n)
	}
	return list
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
	return s.stemsOf(ctx, ix, words)
}

// stemsOf are the stems of words; stop words have none.
func (s *Store) stemsOf(ctx context.Context, ix *service.Index, words []string) (map[string]string, error) {
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

// haveLexemes notes which lexemes documents have, of those that postings do not tell of.
func (s *Store) haveLexemes(ctx context.Context, ix *service.Index, lexemes []string, have map[string]bool) error {
	if len(lexemes) == 0 {
		return nil
	}
	counts, err := s.countLexemes(ctx, ix, lexemes)
	if err != nil {
		return err
	}
	for i, lexeme := range lexemes {
		have[lexeme] = counts[i] > 0
	}
	return nil
}

// countLexemes counts the documents that have each of some lexemes.
func (s *Store) countLexemes(ctx context.Context, ix *service.Index, lexemes []string) ([]int64, error) {
	queries := make([]string, len(lexemes))
	for i, lexeme := range lexemes {
		queries[i] = tsquery.Lexeme(service.Lexeme{Text: lexeme})
	}
	return s.count(ctx, s.shape(ix), queries)
}
