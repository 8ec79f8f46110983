package service

import (
	"slices"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// In languages that write compounds as one word, a query's word also means the compounds of the index whose last part it is: Schrank means
// Kleiderschrank.

// maxHeads bounds the words of a query whose compounds are looked up.
const maxHeads = 8

// askCompounds asks for the compounds of a word.
func (t *termPlanner) askCompounds(word string, asked *AskedWords) {
	compounding := analysis.CompoundingOf(t.ix.Settings.Language)
	if compounding != nil && len(asked.Heads) < maxHeads && len(compounding.HeadForms(word, t.stems[word][0])) > 0 {
		asked.Heads = append(asked.Heads, word)
	}
}

// compounds adds the compounds of the word.
func (w *wording) compounds(a mapping.Analysis) {
	t, word := w.planner, inflected(w.raw)
	if !w.included || word == "" || w.begun() && t.onlyBegins(word) {
		return
	}
	for _, c := range t.related.Compounds[word] {
		w.put(a, Alternative{Sequence: t.sequenceOf(c.Word, a), Factor: compoundFactor, Documents: c.Documents})
	}
}

// onlyBegins reports whether documents have the last word of the query in no form, but longer words that begin with it.
func (t *termPlanner) onlyBegins(word string) bool {
	isForm := func(c Completion) bool { return t.sameStem(c.Word, word) }
	return t.related.Whole == 0 && len(t.related.Completions) > 0 && !slices.ContainsFunc(t.related.Completions, isForm)
}
