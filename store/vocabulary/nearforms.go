package vocabulary

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// A misspelled word may be meant in a form that no document has: ajusts, if documents have adjust. A small index has few of the forms of its words.
// So if the index has a word in no form, and it is neither one error from one of the index's words nor two of them as one, its stem is compared with
// the stems of the index's words. These may differ by one error: with two, 72 of 800 correct words that none of 19,406 products has found something
// different, with one 45; of 1,500 misspelled ones, 348 more found what is meant, with one 318.

const (
	// longestEnding is the maximum number of letters of a word after its stem: functionalities.
	longestEnding = 8
	// maxFormCandidates bounds the number of words whose beginnings a stem is compared with, maxFormStems that of those whose stems it is compared
	// with: in both cases, those in the most documents.
	maxFormCandidates, maxFormStems = 1000, 200
	// formErrors is the maximum distance of the stems.
	formErrors = 1
)

// nearForms finds words that the index has in other forms than those that the asked words misspell.
type nearForms struct {
	found  *Found
	places []int    // indices among the asked words
	stems  []string // of these words
	// candidates are, for each stem, words of the index that begin with it but for errors.
	candidates [][]service.NearWord
}

// AddNearForms adds to the words close to asked ones those whose other forms the asked ones misspell.
func (found *Found) AddNearForms(ctx context.Context, ix Index, r table.Relations, asked service.AskedWords) error {
	f := &nearForms{found: found}
	if err := f.misspelled(ctx, ix, asked); err != nil || len(f.places) == 0 {
		return err
	}
	err := ix.Ask(ctx, nearFormsSQL(r, f.stems), func(place int, word string, documents int64) {
		if !slices.Contains(asked.Gone, word) {
			f.add(place-1, word, documents)
		}
	})
	if err != nil {
		return err
	}
	for word, documents := range found.log.Words {
		for i := range f.places {
			f.add(i, word, max(documents, 1))
		}
	}
	var words []string
	for i, list := range f.candidates {
		slices.SortFunc(list, inMoreDocuments)
		f.candidates[i] = list[:min(len(list), maxFormStems)]
		for _, c := range f.candidates[i] {
			words = append(words, c.Word)
		}
	}
	stems, err := ix.Stems(ctx, words)
	if err != nil {
		return err
	}
	for i := range f.places {
		f.settle(i, stems)
	}
	return nil
}

// misspelled notes the asked words that may be misspelled forms of the index's words, with their stems.
func (f *nearForms) misspelled(ctx context.Context, ix Index, asked service.AskedWords) error {
	var places []int
	var words []string
	for i, w := range asked.Words {
		begun := w == asked.Prefix && len(f.found.Completions) > 0
		near := slices.ContainsFunc(f.found.Near[i], func(n service.NearWord) bool { return n.Distance <= 1 })
		// Words that are thought to be gone may have come back since that was counted.
		known := f.found.Documents[i] > 0 || slices.Contains(asked.Gone, w)
		if spelling.Limit(w) > 0 && !known && !begun && !near && len(f.found.Parted[w]) == 0 {
			places, words = append(places, i), append(words, w)
		}
	}
	if len(words) == 0 {
		return nil
	}
	stems, err := ix.Stems(ctx, words)
	if err != nil {
		return err
	}
	for i, place := range places {
		if stem := stems[words[i]]; spelling.MayBeBegunWrong(stem) {
			f.places, f.stems = append(f.places, place), append(f.stems, stem)
		}
	}
	f.candidates = make([][]service.NearWord, len(f.places))
	return nil
}

// nearFormsSQL selects words that may begin with one of the stems but for errors.
func nearFormsSQL(r table.Relations, stems []string) sqltext.Statement {
	keys := make([]string, len(stems))
	for i, stem := range stems {
		hashes, _ := spelling.QueryKeys(stem, formErrors)
		keys[i] = sqltext.Integers(hashes)
	}
	return sqltext.Statement{SQL: fmt.Sprintf(`SELECT a.place::int, n.word, n.documents
FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) WITH ORDINALITY AS a(stem, keys, place)
CROSS JOIN LATERAL (SELECT w.word, w.documents FROM %s w WHERE w.keys && a.keys::int[]
  AND char_length(w.word) BETWEEN char_length(a.stem) - %d AND char_length(a.stem) + %d ORDER BY w.documents DESC LIMIT %d) n`,
		r.Words(), formErrors, longestEnding, maxFormCandidates), Args: []any{stems, keys}, Prepared: true}
}

// add adds a word of the index to the candidates of a stem, if it begins with that but for errors.
func (f *nearForms) add(i int, word string, documents int64) {
	if !spelling.BeginsWithin(f.stems[i], word, formErrors) {
		return
	}
	if at := slices.IndexFunc(f.candidates[i], func(c service.NearWord) bool { return c.Word == word }); at >= 0 {
		f.candidates[i][at].Documents = max(f.candidates[i][at].Documents, documents)
		return
	}
	f.candidates[i] = append(f.candidates[i], service.NearWord{Word: word, Documents: documents})
}

// settle adds to the words close to an asked one those whose stems are close to its stem, for each stem the word in the most documents. It adds none
// if a candidate has the same stem: then the index has the word in another form.
func (f *nearForms) settle(i int, stems map[string]string) {
	stem := f.stems[i]
	list := slices.Clone(f.found.Near[f.places[i]])
	taken := map[string]bool{}
	for _, c := range f.candidates[i] {
		of := stems[c.Word]
		if of == stem {
			return
		}
		if of == "" || taken[of] {
			continue
		}
		if c.Distance = spelling.Distance(stem, of, formErrors); c.Distance <= formErrors {
			taken[of] = true
			list = append(list, c)
		}
	}
	f.found.Near[f.places[i]] = nearestFirst(list)
}

// otherSpellings yields the places of asked words that are also asked for in another spelling, each with the place of that one.
func otherSpellings(asked []string, spelled map[string]string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i, word := range asked {
			if other := slices.Index(asked, spelled[word]); other >= 0 && !yield(i, other) {
				return
			}
		}
	}
}

// AddNearSpelled adds to the words close to asked ones those close to their other spellings, if the index has neither of the two.
func (found *Found) AddNearSpelled(asked []string, spelled map[string]string) {
	for i, other := range otherSpellings(asked, spelled) {
		if found.Documents[i]+found.Documents[other] > 0 {
			continue
		}
		byWord := func(a, b service.NearWord) int {
			return cmp.Or(strings.Compare(a.Word, b.Word), cmp.Compare(a.Distance, b.Distance))
		}
		var list, begun []service.NearWord
		for _, n := range slices.Concat(found.Near[i], found.Near[other]) {
			if n.Begun {
				begun = append(begun, n)
			} else {
				list = append(list, n)
			}
		}
		slices.SortFunc(list, byWord)
		list = slices.CompactFunc(list, func(a, b service.NearWord) bool { return a.Word == b.Word })
		found.Near[i] = append(sortNear(list), begun...)
	}
}
