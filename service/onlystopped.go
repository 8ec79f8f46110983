package service

import (
	"slices"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// Stemmed texts lack the stop words of their language, but a text of nothing else keeps them, marked: it is the title It, or To Be or Not to Be. A query of
// nothing but stop words also asks for these. The mark tells them from stems: a search for but is none for buts.

// hasOnlyStopped reports whether there are words, none of which need be found, except a last one that goes on to a stop word of the language. Most words
// do not: the Matrix names the title Matrix, which has no stop words.
func (t *termPlanner) hasOnlyStopped(terms []Term) bool {
	has := false
	for _, term := range terms {
		switch {
		case term.Optional:
			has = has || term.worded()
		case t.prefix == "" || analysis.Fold(term.Text) != t.prefix || !t.goesOnToStopWord():
			return false
		}
	}
	return has
}

// goesOnToStopWord reports whether the last word may become a stop word of the language that the index has.
func (t *termPlanner) goesOnToStopWord() bool {
	return slices.ContainsFunc(t.related.Completions, func(c Completion) bool { return t.dropped(c.Word) })
}

// kept adds stop words of the language as texts of nothing else have them. Beside other words they are not looked for there.
func (w *wording) kept(a mapping.Analysis) {
	if !a.KeepsStopWords() || w.included && !w.planner.onlyStopped {
		return
	}
	factor := 1.0
	for _, words := range append([][]string{w.words}, w.planner.spellings(w.raw, w.included)...) {
		if every(words, w.planner.dropped) {
			w.addSpelling(a, factor, stopSequence(words, false))
		}
		factor = spellingFactor
	}
	if begun := beginning(w.raw); w.included && len(begun) > 0 && every(begun[:len(begun)-1], w.planner.dropped) {
		w.add(a, prefixFactor, stopSequence(begun, true))
	}
}

// stopSequence is plainSequence for stop words.
func stopSequence(words []string, prefix bool) []Lexeme {
	return withMark(analysis.StopMark, plainSequence(words, prefix))
}

// keptIn returns terms as planned for a query of nothing but stop words, given how they were planned before. That other texts may have the letters of a
// word (W.H.O.) does not count.
func keptIn(before, terms []Term) []Term {
	for i, term := range before {
		elsewhere := false
		for _, list := range term.Alternatives {
			elsewhere = elsewhere || slices.ContainsFunc(list, func(one Alternative) bool { return one.Factor > writtenFactor || len(one.Sequence) == 1 })
		}
		terms[i].kept = !elsewhere && !terms[i].unknown()
	}
	return terms
}

// requireStopped has the terms found if none of them need be, because all are stop words: those that names, for example, have, otherwise those that texts
// of nothing but stop words have. Punctuation among them need still not be found.
func requireStopped(terms []Term) {
	if slices.ContainsFunc(terms, func(term Term) bool { return !term.Optional }) {
		return
	}
	worded := slices.ContainsFunc(terms, Term.worded)
	counts := func(term Term) bool { return term.worded() == worded }
	kept := !slices.ContainsFunc(terms, func(term Term) bool { return counts(term) && !term.kept })
	for i, term := range terms {
		if counts(term) && term.kept == kept {
			terms[i].Optional = false
		}
	}
}
