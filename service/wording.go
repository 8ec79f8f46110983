package service

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// wording is a word or phrase of a query on its way to a term.
type wording struct {
	planner  *termPlanner
	raw      query.Term
	included bool     // asked for; an excluded term is taken literally
	words    []string // folded
	folded   string   // as a whole value
	term     Term
}

// singleWord returns the folded word of a term that is one word; "" for other terms, and for phrases.
func singleWord(raw query.Term) string {
	if words := analysis.Texts(raw.Text); !raw.Phrase && len(words) == 1 {
		return words[0]
	}
	return ""
}

// term plans one word or phrase; included is false for one that is excluded.
func (t *termPlanner) term(raw query.Term, included bool) Term {
	w := &wording{planner: t, raw: raw, included: included, words: analysis.Texts(raw.Text), folded: analysis.Whole(analysis.Fold(raw.Text)),
		term: Term{Text: raw.Text, Repeats: 1, Alternatives: map[mapping.Analysis][]Alternative{}}}
	// Punctuation need not be found, unless it is all that is asked for.
	w.term.Optional = len(w.words) == 0
	if t.searchesWords() {
		w.stop()
	}
	for a := range t.analyses {
		w.plan(a)
	}
	return w.term
}

// stop decides whether the term, as a stop word, need not be found, in whichever fields. An excluded term is meant
// even if it is a stop word of the index: texts have such a word, unlike a stop word of the language.
func (w *wording) stop() {
	if w.stopped() || w.stoppedContraction() {
		w.term.Optional, w.term.Stopped = true, true
		return
	}
	w.term.Optional = every(w.words, w.planner.mayBeStopped) || w.stoppedSpelling() || w.begun() && !w.raw.Phrase && len(w.words) == 1 && w.planner.beginsStopWords(w.words[0])
}

// stopped reports whether the term is asked for and has only stop words: texts are not searched for it.
func (w *wording) stopped() bool { return w.included && every(w.words, w.planner.stopped) }

// plan adds the ways to find the term in fields of an analysis.
func (w *wording) plan(a mapping.Analysis) {
	switch a {
	case mapping.Whole:
		w.value(a, analysis.WholeMark, w.folded, w.planner.whole)
	case mapping.WholeExact:
		w.value(a, analysis.ExactMark, analysis.Whole(w.raw.Text), w.planner.wholeExact)
	case mapping.EmailParts:
		w.parts(a)
	case mapping.PathSegments:
		w.parts(a)
		w.spacedPath(a)
	case mapping.Digits:
		w.digits(a)
	case mapping.IdentifierParts:
		w.parts(a)
		w.add(a, 1, partSequence(w.words, false))
		if w.begun() {
			w.add(a, w.begunFactor(a), partSequence(w.words, true))
		}
		w.version(a)
		w.spacedIdentifier(a)
	case mapping.Plain:
		w.add(a, 1, plainSequence(w.words, false))
		if isPossessive(w.raw, w.planner.ix.Settings.Language) {
			w.add(a, 1, plainSequence(w.words[:len(w.words)-1], false))
		}
		if bare := w.uninflected(); len(bare) < len(w.words) {
			w.add(a, 1, plainSequence(bare, false))
		}
		w.related(a)
		w.spelled(a)
		w.form(a)
	default:
		if !w.stopped() {
			w.add(a, 1, w.planner.stemSequence(w.uninflected()))
		}
		w.kept(a)
		w.related(a)
		w.spelled(a)
		w.otherForms(a)
		if a == mapping.Levels || a == mapping.TagWords {
			w.value(a, analysis.WholeMark, w.folded, w.planner.whole)
		}
	}
}

// form returns the stem of a term that is a single word, if it differs from the word: run for running. Otherwise it returns "".
func (t *termPlanner) form(raw query.Term) string {
	words := analysis.Texts(raw.Text)
	if len(words) != 1 || len(t.stems[words[0]]) == 0 || t.stems[words[0]][0] == words[0] {
		return ""
	}
	return t.stems[words[0]][0]
}

// form adds the stem of a word, so that names that have it are found, too. For a word in quotes, or if the stem is
// a stop word, as will is for willing, a name that has the stem as a word is no match.
func (w *wording) form(a mapping.Analysis) {
	form := w.planner.form(w.raw)
	switch {
	case form == "" || !w.included:
	case w.raw.Phrase || w.planner.stopped(form):
		w.term.Stopped = true
	default:
		w.addSpelling(a, formFactor, plainSequence([]string{form}, false))
	}
}

// every reports whether all words are of a kind.
func every(words []string, is func(word string) bool) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !is(word) })
}

// uninflected returns the words without the ending that Turkish writes after the apostrophe of a name: Broncos'un and Broncos'a are forms
// of Broncos. A single letter before the apostrophe (O'Brien, L'Oréal) is no name, and may be a stop word, which would find nothing.
func (w *wording) uninflected() []string {
	if at := strings.IndexAny(w.raw.Text, "'’"); at > 0 && !w.raw.Phrase && w.planner.ix.Settings.Language == "turkish" {
		words := analysis.Texts(w.raw.Text[:at])
		if slices.ContainsFunc(words, func(word string) bool { return utf8.RuneCountInString(word) > 1 && !w.planner.stopped(word) }) {
			return words
		}
	}
	return w.words
}

// begun reports whether the term is the last one and may go on. Identifiers, paths and the like ignore punctuation after it.
func (w *wording) begun() bool { return w.included && w.raw.Prefix }

// goesOn reports whether the last word of the term may go on, which has no punctuation after it then: what it may go on to is found.
func (w *wording) goesOn() bool { return w.included && len(beginning(w.raw)) > 0 }

// add adds a way to find the term, unless sequence is empty or has a lexeme that no document can have.
func (w *wording) add(a mapping.Analysis, factor float64, sequence []Lexeme) {
	w.put(a, Alternative{Sequence: sequence, Factor: factor})
}

func (w *wording) put(a mapping.Analysis, one Alternative) {
	if len(one.Sequence) > 0 && !slices.ContainsFunc(one.Sequence, tooLong) {
		w.term.Alternatives[a] = append(w.term.Alternatives[a], one)
	}
}

// value adds the term as a whole value, and the whole query as one.
func (w *wording) value(a mapping.Analysis, mark, own, query string) {
	w.add(a, 1, marked(mark, own, false))
	w.ofQuery(a, mark, query, own)
}

// ofQuery adds the whole query as a value, unless that is the term's own value.
func (w *wording) ofQuery(a mapping.Analysis, mark, query, own string) {
	if w.included && query != own {
		w.put(a, Alternative{Sequence: marked(mark, query, false), Factor: 1, OfQuery: true})
	}
}

// spacedPath adds the whole query as a path, or as a segment of one: names of folders and files may have spaces, as
// keywords may. A query with a slash may go on; other words are hardly ever the beginning of a segment.
func (w *wording) spacedPath(a mapping.Analysis) {
	query, own := analysis.Terms(w.planner.wholeExact, a), analysis.Terms(w.raw.Text, a)
	if len(query) == 0 || len(own) == 0 {
		return
	}
	w.ofQuery(a, analysis.PartMark, query[0], own[0])
	if w.included && w.planner.begun && query[0] != own[0] && strings.Contains(query[0], "/") {
		begun, factor := goingOn(query[0], w.planner.whole), partPrefixFactor
		if begun != query[0] {
			factor = spellingFactor // all of its names are whole; prefixes that give as much as words cannot be answered from postings
		}
		w.put(a, Alternative{Sequence: marked(analysis.PartMark, begun, true), Factor: factor, OfQuery: true})
	}
}

// maxSpaced is how many bytes an identifier has at most that a query writes with spaces. Longer beginnings cannot be answered from postings.
const maxSpaced = 31

// spacedIdentifier adds the whole query as an identifier without punctuation: people write long numbers in groups, and the letters and the number
// of a model as two words. Without a digit, a query is words.
func (w *wording) spacedIdentifier(a mapping.Analysis) {
	bare := bareOf(w.planner.wholeExact, a)
	if !w.included || len(bare) > maxSpaced || !hasDigit(bare) || bare == bareOf(w.raw.Text, a) {
		return
	}
	w.put(a, Alternative{Sequence: marked(analysis.PartMark, bare, false), Factor: bareFactor, OfQuery: true})
	if w.planner.begun {
		w.put(a, Alternative{Sequence: marked(analysis.PartMark, bare, true), Factor: partPrefixFactor, OfQuery: true})
	}
}

// bareOf returns a text as a value without its punctuation, "" if there is none or it must not go.
func bareOf(text string, a mapping.Analysis) string {
	if terms := analysis.Terms(text, a); len(terms) > 1 {
		return terms[1]
	}
	return ""
}

// goingOn returns the prefix of what a path may go on to, given how it is written: /a/bc is not below /a/b/.
func goingOn(path, written string) string {
	if strings.HasSuffix(written, "/") {
		return strings.TrimRight(path, "/") + "/"
	}
	return path
}

// parts adds the forms by which values and their parts are found: the first as written, the others without punctuation.
func (w *wording) parts(a mapping.Analysis) {
	factor := 1.0
	for _, text := range analysis.Terms(w.raw.Text, a) {
		w.add(a, factor, marked(analysis.PartMark, text, false))
		if w.begun() {
			if a == mapping.PathSegments {
				text = goingOn(text, w.folded)
			}
			w.add(a, w.begunFactor(a), marked(analysis.PartMark, text, true))
		}
		factor = bareFactor
	}
}

// begunFactor is what a value that begins with the term gives.
func (w *wording) begunFactor(a mapping.Analysis) float64 {
	if a == mapping.IdentifierParts && len(w.words) > 0 && every(w.words, isNumber) {
		return numberBegunFactor
	}
	return partPrefixFactor
}

// digits adds the forms by which numbers are found: their digits as written and, if that differs, without zeros that say nothing.
// A number written in this way has both, at one position; one that has only the first is another number: 1250 for 12.50.
func (w *wording) digits(a mapping.Analysis) {
	texts := analysis.Terms(w.raw.Text, a)
	if len(texts) == 0 {
		return
	}
	written := marked(analysis.PartMark, texts[0], false)
	factor := 1.0
	if len(texts) > 1 {
		plain := marked(analysis.PartMark, texts[1], false)
		w.add(a, 1, []Lexeme{written[0], {Text: plain[0].Text, Gap: samePlace}})
		w.put(a, Alternative{Sequence: plain, Factor: spellingFactor, Longer: 1, Fewer: 1})
		factor = bareFactor
	}
	w.add(a, factor, written)
	// A number goes on from its digits as written: 12.57 does not begin with 12.5 if that stands for 12.50, nor
	// does a code with 1 if that stands for 0001.
	if w.begun() {
		w.add(a, partPrefixFactor, marked(analysis.PartMark, texts[0], true))
	}
}

// related adds the words that a word may be the beginning or a misspelling of.
func (w *wording) related(a mapping.Analysis) {
	if begun := beginning(w.raw); w.included && len(begun) > 0 {
		list := w.planner.completed(begun, a.Stems())
		if rest := w.withoutElision(); len(list) == 0 && len(rest) == 1 && a.Stems() {
			list = w.planner.completed(rest, true) // dell'a is on the way to dell'amore, though a is a stop word
		}
		w.term.Alternatives[a] = append(w.term.Alternatives[a], list...)
	}
	if !w.included || w.raw.Phrase || len(w.words) != 1 {
		return
	}
	w.around(a, w.words[0], 1)
	if analysis.HasSign(w.words[0]) {
		return // g++ is no slip for c++
	}
	other := w.planner.isHalfStopped(w.words[0]) || w.planner.related.Known[w.planner.otherNumber(w.raw)] || w.stoppedContraction() // else it may be a misspelling
	for _, n := range w.planner.related.Near[w.words[0]] {
		factor := typoFactor
		switch {
		case n.Begun:
			factor = begunTypoFactor
		case n.Distance > 1:
			factor = twoTyposFactor
		}
		if n.Begun && !w.begun() || w.planner.tooSlight(n.Word) || other && !w.planner.sameStem(n.Word, w.words[0]) {
			continue
		}
		w.put(a, Alternative{Sequence: w.planner.sequenceOf(n.Word, a), Factor: factor * w.planner.nearShare(w.words[0], n), Documents: n.Documents, Near: true})
	}
}

// around adds the pairs that have a letter of a script without spaces, at the given share of their factor. If the term is that letter and may go
// on, the pairs that begin with it are among its completions instead.
func (w *wording) around(a mapping.Analysis, letter string, share float64) {
	for _, c := range w.planner.related.Around[letter] {
		factor := endingFactor
		if strings.HasPrefix(c.Word, letter) {
			if w.goesOn() && letter == w.words[0] {
				continue
			}
			factor = prefixFactor
		}
		w.put(a, Alternative{Sequence: w.planner.sequenceOf(c.Word, a), Factor: factor * share, Documents: c.Documents})
	}
}

func marked(mark, text string, prefix bool) []Lexeme {
	if text == "" {
		return nil
	}
	return []Lexeme{{Text: mark + text, Prefix: prefix}}
}

// tooLong reports whether a lexeme is longer than any that documents have.
func tooLong(l Lexeme) bool { return len(l.Text) > analysis.MaxLexeme }

// sequenceOf returns a word of the index as fields of an analysis have it.
func (t *termPlanner) sequenceOf(word string, a mapping.Analysis) []Lexeme {
	if a.Stems() {
		return t.stemSequence([]string{word})
	}
	return plainSequence([]string{word}, false)
}

// plainSequence returns the words as they are, the last as a prefix if prefix is true.
func plainSequence(words []string, prefix bool) []Lexeme {
	sequence := make([]Lexeme, len(words))
	for i, w := range words {
		sequence[i] = Lexeme{Text: w, Prefix: prefix && i == len(words)-1}
	}
	return sequence
}

// partSequence is plainSequence for parts of values.
func partSequence(words []string, prefix bool) []Lexeme {
	return withMark(analysis.PartMark, plainSequence(words, prefix))
}

// withMark marks the lexemes of a sequence, and returns it.
func withMark(mark string, sequence []Lexeme) []Lexeme {
	for i := range sequence {
		sequence[i].Text = mark + sequence[i].Text
	}
	return sequence
}

// stemSequence returns the lexemes of words, with gaps where stop words stood.
func (t *termPlanner) stemSequence(words []string) []Lexeme {
	sequence, _ := t.stemsBefore(words)
	return sequence
}

// stemsBefore is stemSequence, and also returns the gap before a word that follows.
func (t *termPlanner) stemsBefore(words []string) (sequence []Lexeme, next int) {
	next = 1
	for _, w := range words {
		gap := next
		next++
		if len(t.stems[w]) == 0 {
			continue
		}
		l := Lexeme{Text: t.stems[w][0], Gap: gap}
		if len(sequence) == 0 {
			l.Gap = 0
		}
		sequence, next = append(sequence, l), 1
	}
	return sequence, next
}

// dropped reports whether a word is a stop word of the language.
func (t *termPlanner) dropped(word string) bool { return len(t.stems[word]) == 0 }

// stopped reports whether a word is a stop word, of the language or of the index.
func (t *termPlanner) stopped(word string) bool { return t.dropped(word) || t.words.stop[word] }

// mayBeStopped reports whether a word is a stop word, or one of the language without its accents.
func (t *termPlanner) mayBeStopped(word string) bool {
	return t.stopped(word) || analysis.AccentedStopWord(t.ix.Settings.Language, word)
}

// sameStem reports whether two words are forms of one.
func (t *termPlanner) sameStem(a, b string) bool {
	return len(t.stems[a]) > 0 && slices.Equal(t.stems[a], t.stems[b])
}

// tooSlight reports whether a word is too short for others to be misspellings of it: a stop word of up to three letters. Names
// have many of these, and a longer word with all of their letters is mostly meant as it is: ford is not for, nor wars was.
func (t *termPlanner) tooSlight(word string) bool {
	return utf8.RuneCountInString(word) <= 3 && t.stopped(word)
}
