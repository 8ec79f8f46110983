package service

import (
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// Simplified and traditional Chinese match each other: 电脑 finds 電腦. A character may have several forms in the other script, and many Japanese
// characters have one, too. So only spellings that the index has are searched.

// chineseSpellings returns the words of each other spelling of a term.
func (t *termPlanner) chineseSpellings(raw query.Term) (list [][]string) {
	if !t.typos || !t.searchesWords() {
		return nil
	}
	for _, text := range analysis.ChineseSpellings(raw.Text) {
		list = append(list, analysis.Texts(text))
	}
	return list
}

// askChinese asks which other spellings of a query's terms the index has, and which pairs contain other spellings of its single letters.
func (t *termPlanner) askChinese(q query.Query, asked *AskedWords) {
	n := 0
	for _, raw := range q.Terms() {
		spellings := t.chineseSpellings(raw)
		if len(spellings) == 0 {
			continue
		}
		if n++; n > maxWordsOfForms {
			return
		}
		for _, words := range spellings {
			asked.Forms = append(asked.Forms, words...)
			if !raw.Phrase && len(words) == 1 {
				asked.addLetter(words[0])
			}
		}
	}
}

// chinese adds the other spellings of a term.
func (w *wording) chinese(a mapping.Analysis) {
	t := w.planner
	if !w.included {
		return
	}
	for _, words := range t.chineseSpellings(w.raw) {
		if every(words, func(word string) bool { return t.related.Known[word] }) {
			w.addSpelling(a, spellingFactor, t.textSequence(a, words))
		}
		if !w.raw.Phrase && len(words) == 1 {
			w.around(a, words[0], spellingFactor)
		}
	}
}
