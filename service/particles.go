package service

import (
	"slices"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// A query for a Korean noun, with any particle or none, also means the noun with all other particles: 서울 and 서울의 match 서울에서. A noun of two or
// more syllables is searched as a prefix. Too many other words begin with a shorter noun, so only its particled forms that the index has are searched.

// koreanEnd is a term whose last word is Korean and may have a particle.
type koreanEnd struct {
	before   []string // the words before the last one: 2024 in 2024년에
	attached string   // the word of another script that directly precedes the last one, if any
	last     string
	noun     string // last without a particle; last itself if it has none
}

// koreanEndOf splits a term at its last word. ok is false for quoted terms and for those that do not end in Korean.
func koreanEndOf(raw query.Term) (e koreanEnd, ok bool) {
	tokens := analysis.Words(raw.Text)
	n := len(tokens)
	if raw.Phrase || n == 0 || !analysis.IsHangul(tokens[n-1].Text) {
		return e, false
	}
	for _, token := range tokens[:n-1] {
		e.before = append(e.before, token.Text)
	}
	if e.last = tokens[n-1].Text; n > 1 && tokens[n-2].End == tokens[n-1].Start {
		e.attached = tokens[n-2].Text
	}
	e.noun = analysis.WithoutParticle(e.attached, e.last)
	return e, true
}

// askParticled asks which forms of a query's Korean words the index has.
func (t *termPlanner) askParticled(q query.Query, asked *AskedWords) {
	if !t.typos || !t.searchesWords() {
		return
	}
	n := 0
	for _, raw := range q.Terms() {
		e, ok := koreanEndOf(raw)
		if !ok {
			continue
		}
		if n++; n > maxWordsOfForms {
			return
		}
		if e.noun != e.last {
			asked.Forms = append(asked.Forms, analysis.NounForms(e.last)...)
		}
		switch {
		case e.noun == "":
		case !analysis.IsSyllables(e.noun):
			asked.Forms = append(asked.Forms, analysis.ShortForms(e.attached, e.noun)...)
		case len(e.before) == 0:
			asked.Nouns = append(asked.Nouns, e.noun)
		}
	}
}

// particled adds the forms of a Korean word with other particles.
func (w *wording) particled(a mapping.Analysis) {
	t := w.planner
	e, ok := koreanEndOf(w.raw)
	if !w.included || !t.typos || !ok {
		return
	}
	has := func(form string) bool { return t.related.Known[form] }
	noun := e.noun
	if slices.ContainsFunc(analysis.NounForms(e.last), has) {
		noun = e.last // a noun that only looks particled
	}
	switch {
	case noun == "": // LG가
		w.addSpelling(a, prefixFactor, t.textSequence(a, e.before))
	case !analysis.IsSyllables(noun):
		for _, form := range append(analysis.ShortForms(e.attached, noun), noun) {
			if form != e.last && (form == noun || has(form)) {
				w.addSpelling(a, prefixFactor, t.endingIn(a, e.before, Lexeme{Text: form}))
			}
		}
	case noun != e.last || !w.goesOn():
		w.add(a, prefixFactor, t.endingIn(a, e.before, Lexeme{Text: noun, Prefix: true}))
	}
	if len(e.before) > 0 {
		return
	}
	for _, c := range t.related.Compounds[e.noun] {
		if analysis.Within(c.Word, noun) {
			w.put(a, Alternative{Sequence: t.sequenceOf(c.Word, a), Factor: compoundFactor, Documents: c.Documents})
		}
	}
}

// endingIn returns the lexemes of words followed by a Korean one, which no language stems.
func (t *termPlanner) endingIn(a mapping.Analysis, words []string, last Lexeme) []Lexeme {
	before, gap := plainSequence(words, false), 1
	if a.Stems() {
		before, gap = t.stemsBefore(words)
	}
	if len(before) > 0 {
		last.Gap = gap
	}
	return append(before, last)
}
