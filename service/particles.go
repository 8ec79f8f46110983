package service

import (
	"slices"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// Who looks for a Korean noun, with whichever particle or none, means it with all others, too: 서울 and 서울의 mean 서울에서. A noun of two syllables
// or more is the beginning of such words. Many other words begin with a shorter one, so those with particles are looked for that the index has.

// particledWord is the word of a term that may have particles, or be one with them; "" for others. Words in other letters (LG) are
// taken for such in a query that is otherwise Korean.
func (t *termPlanner) particledWord(raw query.Term) string {
	word := singleWord(raw)
	if last, _ := utf8.DecodeLastRuneInString(word); !t.korean && !analysis.IsHangul(string(last)) {
		return ""
	}
	return word
}

// isKorean tells that a query has a word of Korean.
func isKorean(q query.Query) bool {
	return slices.ContainsFunc(q.Clauses, func(clause query.Clause) bool {
		return slices.ContainsFunc(clause.Any, func(raw query.Term) bool { return analysis.IsHangul(singleWord(raw)) })
	})
}

// askParticled asks for forms of the Korean words of a query that the index may have.
func (t *termPlanner) askParticled(q query.Query, asked *AskedWords) {
	if !t.typos || !t.searchesWords() {
		return
	}
	t.korean = isKorean(q)
	n := 0
	for _, clause := range q.Clauses {
		for _, raw := range clause.Any {
			word := t.particledWord(raw)
			if word == "" {
				continue
			}
			if n++; n > maxWordsOfForms {
				return
			}
			noun := analysis.WithoutParticle(word)
			if noun != "" {
				asked.Forms = append(asked.Forms, analysis.NounForms(word)...)
			} else {
				noun = word
			}
			if !analysis.IsSyllables(noun) {
				asked.Forms = append(asked.Forms, analysis.ShortForms(noun)...)
			}
		}
	}
}

// particled adds what a Korean word is found by with other particles.
func (w *wording) particled(a mapping.Analysis) {
	t := w.planner
	word := t.particledWord(w.raw)
	if !w.included || !t.typos || word == "" {
		return
	}
	has := func(form string) bool { return t.related.Known[form] }
	noun := analysis.WithoutParticle(word)
	if noun == "" || slices.ContainsFunc(analysis.NounForms(word), has) {
		noun = word
	}
	switch {
	case !analysis.IsSyllables(noun):
		for _, form := range append(analysis.ShortForms(noun), noun) {
			if form != word && (form == noun || has(form)) {
				w.addSpelling(a, prefixFactor, plainSequence([]string{form}, false))
			}
		}
	case noun != word || !w.begun():
		w.add(a, prefixFactor, plainSequence([]string{noun}, true))
	}
}
