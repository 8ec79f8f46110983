package vocabulary

import (
	"context"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// LeaveOtherStems removes from the words close to asked ones those that these do not misspell, because documents have the asked words in other forms:
// if there is a plane, planes are not plans. Vocabularies only know words as written. Words with the same stem stay: fields that are not stemmed have
// them. So do words that an asked one may misspell although it looks like a form of others (seemsForm). begun is the asked word that words begin
// with, "" if there is none.
func (found *Found) LeaveOtherStems(ctx context.Context, ix Index, language, begun string, asked []string) error {
	stems, err := found.stemsNear(ctx, ix, asked)
	if err != nil || len(stems) == 0 {
		return err
	}
	stopped, err := stopWordsOf(ctx, ix, asked, stems)
	if err != nil {
		return err
	}
	counted, err := ix.Counted(ctx)
	if err != nil {
		return err
	}
	forms := &formCounts{found: found, counted: counted, stems: stems, documents: map[string]int64{}}
	for i, w := range asked {
		stem := stems[w]
		if stem != "" && !stopped[stem] && slices.ContainsFunc(found.Near[i], func(n service.NearWord) bool { return stems[n.Word] != stem }) {
			forms.add(stem)
			forms.misspelled = append(forms.misspelled, i)
		}
	}
	if err := forms.count(ctx, ix); err != nil {
		return err
	}
	// The number of documents of a close word only grows if all of its forms count, so that it remains close to a word whose own number does not
	// grow.
	forms.misspelled = slices.DeleteFunc(forms.misspelled, func(i int) bool { return forms.of(asked[i]) <= found.Documents[i] })
	for _, i := range forms.misspelled {
		for _, n := range found.Near[i] {
			if documents := forms.of(asked[i]); documents < FrequentFrom && n.Documents < nearRarer*documents {
				forms.add(stems[n.Word])
			}
		}
	}
	if err := forms.count(ctx, ix); err != nil {
		return err
	}
	for _, i := range forms.misspelled {
		found.Near[i] = forms.near(asked[i], found.Near[i], asked[i] != begun && found.seemsForm(language, i))
	}
	return nil
}

// formCounts counts the documents that have words in any form, as far as that matters.
type formCounts struct {
	found      *Found
	counted    func(lexeme string) int64 // counted before
	stems      map[string]string         // of words
	documents  map[string]int64          // by stem
	uncounted  []string                  // stems
	misspelled []int                     // indices of words that may be misspellings of words with other stems
}

// add notes how many documents have a stem, or that they must be counted.
func (f *formCounts) add(stem string) {
	if _, known := f.documents[stem]; known || stem == "" {
		return
	}
	f.documents[stem] = max(f.counted(stem), f.found.begunForm(stem, f.stems))
	if f.documents[stem] < FrequentFrom {
		f.uncounted = append(f.uncounted, stem)
	}
}

// count counts the documents with the stems for which that is not known.
func (f *formCounts) count(ctx context.Context, ix Index) error {
	if len(f.uncounted) == 0 {
		return nil
	}
	counts, err := ix.Count(ctx, f.uncounted)
	if err != nil {
		return err
	}
	for i, stem := range f.uncounted {
		f.documents[stem] = counts[i]
	}
	f.uncounted = nil
	return nil
}

// of returns how many documents have a word in any form.
func (f *formCounts) of(word string) int64 { return f.documents[f.stems[word]] }

// leastMisspelled is the number of documents that must have a word for one that seems to be a form of another to be taken for a misspelling of it, unless
// fewer have that.
const leastMisspelled = 5

// seemsForm reports whether an asked word may be a misspelling although documents have its stem: business without its i is no form of bus. Stemmers remove
// whatever looks like an ending. What people write otherwise, in English, is mostly written so somewhere in a collection, except for forms in -s.
// Of the 1,306 such misspellings in a list of common ones, in 36,000 films, 188 find the word that is meant, 47 only others; so do 66 of the 1,064 correct
// words that the films have in other forms only. In 19,406 products it is 37 and 7 of 251, and 20 of 1,035. Languages with more forms
// would lose by it. Of 2,878 real misspellings in nine of them, 27 more would find the word that is meant among ten hits, and 33 only other words; so
// would 189 of the 3,305 correct words that the texts have in other forms only. (German, French, Spanish, Italian, Dutch, Portuguese, Swedish, Danish,
// Russian; 2,200 to 26,000 sentences each.)
func (found *Found) seemsForm(language string, asked int) bool {
	return language == "english" && found.Documents[asked] == 0 && !found.regular[asked]
}

// regular reports whether an English word is another one, which is among those close to it, with a regular -s. A longer ending is taken to be one: the
// other word is then too far from it.
func regular(word string, near []service.NearWord) bool {
	root, ok := strings.CutSuffix(word, "s")
	if !ok || strings.HasSuffix(root, "s") {
		return false
	}
	for _, longer := range []string{"se", "xe", "ze", "che", "she", "ie", "oe"} {
		if strings.HasSuffix(root, longer) {
			return true
		}
	}
	if before, ok := strings.CutSuffix(root, "y"); ok && strings.Trim(before[max(0, len(before)-1):], "aeiou") != "" {
		return false // a wrong plural of robbery
	}
	return slices.ContainsFunc(near, func(n service.NearWord) bool { return n.Word == root })
}

// near returns those of the close words that word may be a misspelling of, and its other forms. only reports whether these may only seem to be
// its forms.
func (f *formCounts) near(word string, near []service.NearWord, only bool) (list []service.NearWord) {
	documents := f.of(word)
	for _, n := range near {
		if f.stems[n.Word] != f.stems[word] {
			inForms := max(n.Documents, f.of(n.Word))
			meant := only && n.Distance == 1 && n.Documents >= min(leastMisspelled, documents)
			if n.Begun || !meant && (documents >= FrequentFrom || inForms < nearRarer*documents) {
				continue
			}
			n.Share = nearShare(documents, inForms, f.found.All)
		}
		list = append(list, n)
	}
	return list
}

// stemsNear returns the stems of the asked words that have close ones, of these, and of the completions of the last word.
func (found *Found) stemsNear(ctx context.Context, ix Index, asked []string) (map[string]string, error) {
	var words []string
	for i, w := range asked {
		if len(found.Near[i]) > 0 {
			words = append(words, w)
			for _, n := range found.Near[i] {
				words = append(words, n.Word)
			}
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	for _, c := range found.Completions {
		words = append(words, c.Word)
	}
	return ix.Stems(ctx, words)
}

// stopWordsOf returns which stems of asked words are stop words of the language. Texts have no lexemes for these, so that a document with such a
// lexeme, from a name for example, does not have a form of the word: moring is not a form of more, but a misspelled morning.
func stopWordsOf(ctx context.Context, ix Index, asked []string, stems map[string]string) (map[string]bool, error) {
	var list []string
	for _, w := range asked {
		if stem := stems[w]; stem != "" && stem != w {
			list = append(list, stem)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	of, err := ix.Stems(ctx, list)
	if err != nil {
		return nil, err
	}
	stopped := map[string]bool{}
	for _, stem := range list {
		_, has := of[stem]
		stopped[stem] = !has
	}
	return stopped, nil
}

// begunForm returns the largest number of documents that have a completion of the prefix with the given stem.
func (found *Found) begunForm(stem string, stems map[string]string) (most int64) {
	for _, c := range found.Completions {
		if stems[c.Word] == stem {
			most = max(most, c.Documents)
		}
	}
	return most
}
