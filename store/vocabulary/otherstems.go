package vocabulary

import (
	"context"
	"slices"

	"github.com/rowansearch/rowan/service"
)

// LeaveOtherStems leaves out of the words that are close to asked ones what these are no misspellings of, because documents have
// them in another form: where there is a plane, planes are no plans. Vocabularies know only words as they are written. Words of the
// same stem stay: fields without stems have them.
func (found *Found) LeaveOtherStems(ctx context.Context, ix Index, asked []string) error {
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
	// What a word may be a misspelling of is in more documents in all of its forms than as the vocabulary has it, as the word is.
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
		found.Near[i] = forms.near(asked[i], found.Near[i])
	}
	return nil
}

// formCounts are how many documents have words in some form, as far as that matters.
type formCounts struct {
	found      *Found
	counted    func(lexeme string) int64 // before
	stems      map[string]string         // of words
	documents  map[string]int64          // of stems
	uncounted  []string                  // stems
	misspelled []int                     // places of words that may be misspellings of words with other stems
}

// add notes how many documents have a stem, or that these are to be counted.
func (f *formCounts) add(stem string) {
	if _, known := f.documents[stem]; known || stem == "" {
		return
	}
	f.documents[stem] = max(f.counted(stem), f.found.begunForm(stem, f.stems))
	if f.documents[stem] < FrequentFrom {
		f.uncounted = append(f.uncounted, stem)
	}
}

// count counts the documents of the stems of which that is not known.
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

// of is how many documents have a word in some form.
func (f *formCounts) of(word string) int64 { return f.documents[f.stems[word]] }

// near are those of the words close to one that it may be a misspelling of, and its other forms.
func (f *formCounts) near(word string, near []service.NearWord) (list []service.NearWord) {
	documents := f.of(word)
	for _, n := range near {
		if f.stems[n.Word] != f.stems[word] {
			inForms := max(n.Documents, f.of(n.Word))
			if n.Begun || documents >= FrequentFrom || inForms < nearRarer*documents {
				continue
			}
			n.Share = nearShare(documents, inForms, f.found.All)
		}
		list = append(list, n)
	}
	return list
}

// stemsNear are the stems of the asked words that have others close to them, of these, and of what the last may be the beginning of.
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

// stopWordsOf are those of the stems of asked words that are stop words of the language. Texts have none of these, so what has one, as a
// name may, is no form of the word: moring is no more, but a misspelled morning.
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

// begunForm is how many documents have one of the words that begin with the prefix and are of that stem.
func (found *Found) begunForm(stem string, stems map[string]string) (most int64) {
	for _, c := range found.Completions {
		if stems[c.Word] == stem {
			most = max(most, c.Documents)
		}
	}
	return most
}
