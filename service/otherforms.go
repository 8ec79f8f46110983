package service

import (
	"context"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// Stemmers have two stems for some words that are forms of one: huis and huizen, ürün and ürünler. Such a form is
// searched for, too, if the index has it: one made with the endings of the language, or one that is the stem of the
// other. So are the British and American spellings of an English word.

const (
	// maxWordsOfForms bounds the words of a query whose other forms are looked for.
	maxWordsOfForms = 16
	// shortestForm is how many letters a stem has at least to be taken for such a form, shortestInflected a word that may have forms.
	shortestForm, shortestInflected = 3, 2
)

// askForms asks for other forms and spellings of the words of a query, and for their compounds.
func (t *termPlanner) askForms(ctx context.Context, q query.Query, asked *AskedWords) error {
	t.askEnglish(q, asked)
	t.askParticled(q, asked)
	t.askChinese(q, asked)
	if !t.searchesWords() || !t.hasForms() {
		return nil
	}
	var words []string
	for _, raw := range q.Terms() {
		if word := inflected(raw); word != "" && len(words) < maxWordsOfForms && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if err := t.stem(ctx, words); err != nil {
		return err
	}
	for _, word := range words {
		if t.stopped(word) {
			continue
		}
		t.askCompounds(word, asked)
		if !t.stemmed() {
			continue
		}
		for _, form := range t.formsOf(word) {
			asked.Forms = append(asked.Forms, form.word)
		}
		if t.stems[word][0] != word && analysis.StemsAreWords(t.ix.Settings.Language) {
			asked.Lexemes = append(asked.Lexemes, word)
		}
	}
	return nil
}

// askEnglish asks for the American spellings of British words, and the other way round, and for words in the other grammatical number.
func (t *termPlanner) askEnglish(q query.Query, asked *AskedWords) {
	for _, raw := range q.Terms() {
		for _, other := range append(t.otherEnglish(raw), t.otherNumber(raw)) {
			if other != "" && len(asked.Forms) < maxWordsOfForms {
				asked.Forms = append(asked.Forms, other)
			}
		}
	}
}

// otherEnglish returns the other spellings of the words of a term, British or American: "" for one that has none.
func (t *termPlanner) otherEnglish(raw query.Term) (others []string) {
	if !t.typos || t.ix.Settings.Language != english || !t.searchesWords() || raw.Phrase {
		return nil
	}
	for _, word := range analysis.Texts(raw.Text) {
		others = append(others, analysis.OtherEnglish(inflectedWord(word)))
	}
	return others
}

// hasForms reports whether other forms are looked for.
func (t *termPlanner) hasForms() bool {
	return t.typos && analysis.HasOtherForms(t.ix.Settings.Language)
}

// inflected returns the word of a term that may have other forms; "" if it has none.
func inflected(raw query.Term) string {
	return inflectedWord(singleWord(raw))
}

// inflectedWord returns a word if it may have other forms, and else "".
func inflectedWord(word string) string {
	if first, _ := utf8.DecodeRuneInString(word); !unicode.IsLetter(first) || utf8.RuneCountInString(word) < shortestInflected || analysis.HasSign(word) {
		return ""
	}
	return word
}

// otherForm is a word that may be another form of a word, and what a match of it gives.
type otherForm struct {
	word   string
	factor float64
}

// formsOf returns the words that may be other forms of a word.
func (t *termPlanner) formsOf(word string) (list []otherForm) {
	add := func(form string, factor float64) {
		if !slices.ContainsFunc(list, func(other otherForm) bool { return other.word == form }) {
			list = append(list, otherForm{form, factor})
		}
	}
	for _, form := range analysis.OtherForms(t.ix.Settings.Language, word) {
		add(form, otherFormFactor)
	}
	if stem := t.stems[word][0]; stem != word && utf8.RuneCountInString(stem) >= shortestForm && analysis.StemsAreWords(t.ix.Settings.Language) {
		add(stem, formFactor)
	}
	return list
}

// otherForms adds the stems of other forms of the word that the index has, and the word as the stem of others.
func (w *wording) otherForms(a mapping.Analysis) {
	t := w.planner
	word := inflected(w.raw)
	if word == "" || !w.included || !t.hasForms() || t.stopped(word) {
		return
	}
	for _, form := range t.formsOf(word) {
		if t.related.Known[form.word] && !t.sameStem(form.word, word) {
			w.addSpelling(a, form.factor, t.stemSequence([]string{form.word}))
		}
	}
	if t.related.Lexemes[word] {
		w.addSpelling(a, formFactor, plainSequence([]string{word}, false))
	}
}
