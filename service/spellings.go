package service

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// spellings returns the words of a term in the other spellings of its language, Muenchen for München, and of versions: v1.2.3 for 1.2.3. A term that
// is excluded, or searched without tolerance for typos, is taken as it is written.
func (t *termPlanner) spellings(raw query.Term, included bool) (list [][]string) {
	if !included || !t.typos {
		return nil
	}
	for _, text := range append(analysis.Spellings(t.ix.Settings.Language, raw.Text), otherVersion(raw)) {
		if words := analysis.Texts(text); len(words) > 0 {
			list = append(list, words)
		}
	}
	return list
}

// otherNumber returns the word of a term in the other grammatical number, if that has another stem: mice for mouse, tvs for tv. It stands for the
// word as another spelling does. "" if there is none.
func (t *termPlanner) otherNumber(raw query.Term) string {
	if !t.typos || !t.searchesWords() {
		return ""
	}
	return analysis.OtherNumber(t.ix.Settings.Language, singleWord(raw))
}

// spelled adds the term's other spellings, and the term without the elided article or preposition that it begins with.
func (w *wording) spelled(a mapping.Analysis) {
	t := w.planner
	others := t.spellings(w.raw, w.included)
	if rest := w.withoutElision(); len(rest) > 0 {
		others = append(others, rest)
	}
	if w.doubled() {
		others = append(others, w.words[:1])
	}
	w.particled(a)
	w.compounds(a)
	w.chinese(a)
	if other := t.otherNumber(w.raw); w.included && t.related.Known[other] {
		factor := spellingFactor
		if a.Stems() && analysis.SharesStem(other) {
			factor = formFactor
		}
		w.addSpelling(a, factor, t.textSequence(a, []string{other})) // nothing goes on from it: men are no manuals
	}
	if words, factor := w.inOtherEnglish(a); words != nil {
		w.addSpelling(a, factor, t.textSequence(a, words))
	}
	for _, words := range others {
		sequence := t.textSequence(a, words)
		if a.Stems() && len(words) > len(w.words) && len(sequence) == 1 && utf8.RuneCountInString(sequence[0].Text) == 1 {
			continue // of I'm, texts have only m, which is also in 5 m
		}
		list := []Alternative{{Sequence: sequence, Factor: 1}}
		// Many words that nobody means begin with a single letter.
		if begun := beginning(w.raw); len(begun) > 0 && utf8.RuneCountInString(words[len(words)-1]) > 1 {
			list = append(list, t.completed(words, a.Stems())...)
		}
		for _, other := range list {
			w.addSpelling(a, spellingFactor*other.Factor, other.Sequence)
		}
	}
}

// inOtherEnglish returns the words of a term with British spellings for American ones, or the other way round, if the index has them, and what
// they give: self-organized for self-organised. nil if there are none.
func (w *wording) inOtherEnglish(a mapping.Analysis) (words []string, factor float64) {
	t := w.planner
	if !w.included {
		return nil, 0
	}
	factor = spellingFactor
	for i, other := range t.otherEnglish(w.raw) {
		if !t.related.Known[other] || a.Stems() && t.sameStem(other, w.words[i]) {
			continue
		}
		if words == nil {
			words = slices.Clone(w.words)
		}
		words[i] = other
		if a.Stems() && t.losesIze(w.words[i], other) {
			factor = formFactor
		}
	}
	return words, factor
}

// losesIze reports whether the stem of word is that of other followed by is: the stemmer takes -ize for an ending,
// and -ise for a part of the word. So organized has the stem of organ, which is not what organised means.
func (t *termPlanner) losesIze(word, other string) bool {
	return len(t.stems[word]) > 0 && len(t.stems[other]) > 0 && t.stems[word][0] == t.stems[other][0]+"is"
}

// addSpelling adds a way to find the term in another spelling, in place of one that gives less for the same lexemes: München is also
// one letter off Muenchen.
func (w *wording) addSpelling(a mapping.Analysis, factor float64, sequence []Lexeme) {
	same := func(other Alternative) bool { return slices.Equal(other.Sequence, sequence) }
	if slices.ContainsFunc(w.term.Alternatives[a], func(other Alternative) bool { return same(other) && other.Factor >= factor }) {
		return
	}
	w.term.Alternatives[a] = slices.DeleteFunc(w.term.Alternatives[a], same)
	w.add(a, factor, sequence)
}

// stoppedSpelling reports whether a term is, in another spelling, a stop word that has lost its accents: ueber.
func (w *wording) stoppedSpelling() bool {
	stopped := func(word string) bool { return analysis.AccentedStopWord(w.planner.ix.Settings.Language, word) }
	return slices.ContainsFunc(w.planner.spellings(w.raw, w.included), func(words []string) bool { return every(words, stopped) })
}

// stoppedContraction reports whether a term is a contraction of stop words that lacks its apostrophe: dont. It may be left out as a stop word may, is as
// frequent, and misspells nothing.
func (w *wording) stoppedContraction() bool {
	return slices.ContainsFunc(w.planner.spellings(w.raw, w.included), func(words []string) bool {
		return len(words) > len(w.words) && every(words, w.planner.stopped)
	})
}

// eliding are the languages that write a short word before a vowel as part of the next one, with an apostrophe:
// those of Lucene's elision filters, and Portuguese (copo d'água).
var eliding = []string{"catalan", "french", "irish", "italian", "portuguese"}

// withoutElision returns the words of a term after its elided word, which is a single letter or a stop word: avion
// for l'avion, acqua for d'acqua. The phrase of both is not all that such a term asks for.
func (w *wording) withoutElision() []string {
	if !w.included || w.raw.Phrase || !slices.Contains(eliding, w.planner.ix.Settings.Language) {
		return nil
	}
	at := strings.IndexAny(w.raw.Text, "'’")
	if at <= 0 {
		return nil
	}
	before := analysis.Texts(w.raw.Text[:at])
	if len(before) != 1 || utf8.RuneCountInString(before[0]) > 1 && !w.planner.stopped(before[0]) {
		return nil
	}
	return w.words[min(1, len(w.words)):]
}

// doubled reports whether a term is an Indonesian word written twice, which is its plural: a search for buku-buku means buku, too.
func (w *wording) doubled() bool {
	return w.included && w.planner.typos && !w.raw.Phrase && w.planner.ix.Settings.Language == "indonesian" && len(w.words) == 2 && w.words[0] == w.words[1]
}
