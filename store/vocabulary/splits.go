package vocabulary

import (
	"context"
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/table"
)

// A compound that no document has may be in documents as its parts, which need not be next to each other: Hundefutter as Futter für Hunde. Of several
// ways to split it, that with the most frequent parts counts (Koehn and Knight, 2003: by the mean of their frequencies).

// split is a way to split a word: one of the firsts, then one of the heads.
type split struct {
	firsts, heads []string
}

// AddSplits adds the parts of those of the asked words that no document has in any form, and that are neither misspellings by one letter nor unfinished.
func (found *Found) AddSplits(ctx context.Context, ix Index, r table.Relations, asked service.AskedWords, language string) error {
	compounding := analysis.CompoundingOf(language)
	if compounding == nil {
		return nil
	}
	ends := map[string][]string{} // of each word, what may be its head
	var all []string              // words and ends
	for i, w := range asked.Words {
		begun := w == asked.Prefix && len(found.Completions) > 0
		near := slices.ContainsFunc(found.Near[i], func(n service.NearWord) bool { return n.Distance <= 1 })
		if found.Documents[i] == 0 && !begun && !near || slices.Contains(asked.Gone, w) {
			ends[w] = compounding.Ends(w)
			all = append(append(all, w), ends[w]...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	stems, err := ix.Stems(ctx, all)
	if err != nil {
		return err
	}
	splits := map[string][]split{}
	var parts []string
	forms := map[string][]string{} // of each word
	for w, list := range ends {
		if !slices.Contains(asked.Gone, w) { // else it may have come back, but this search goes on without it
			forms[w] = compounding.HeadForms(w, stems[w])
			parts = append(parts, forms[w]...)
		}
		for _, end := range list {
			s := split{compounding.FirstParts(w[:len(w)-len(end)], stems[end]), compounding.HeadForms(end, stems[end])}
			if len(s.firsts) > 0 && len(s.heads) > 0 {
				splits[w], parts = append(splits[w], s), slices.Concat(parts, s.firsts, s.heads)
			}
		}
	}
	known, err := found.known(ctx, ix, r, parts)
	if err != nil {
		return err
	}
	for w, list := range splits {
		if parts, ok := bestSplit(list, known); ok && !slices.ContainsFunc(forms[w], func(form string) bool { return known[form] > 0 }) {
			found.Split[w] = parts
		}
	}
	return nil
}

// bestSplit returns the parts in the most documents, if documents have both.
func bestSplit(splits []split, documents map[string]int64) (parts service.WordPair, ok bool) {
	most := func(words []string) (best string) {
		for _, word := range words {
			if documents[word] > documents[best] {
				best = word
			}
		}
		return best
	}
	var product float64
	for _, s := range splits {
		first, head := most(s.firsts), most(s.heads)
		if both := float64(documents[first]) * float64(documents[head]); both > product {
			parts, product = service.WordPair{First: first, Second: head}, both
		}
	}
	return parts, product > 0
}
