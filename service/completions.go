package service

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
)

// completed is what a last word that may go on is searched for besides itself: the words of the index that begin
// with it, or their lexemes where words are stemmed, and those of few documents that have the other words of the query. Where these words are not known, or follow others, it is all lexemes
// that begin with it.
func (t *termPlanner) completed(words []string, stemmed bool) []Alternative {
	last := words[len(words)-1]
	before, gap := plainSequence(words[:len(words)-1], false), 1
	if stemmed {
		before, gap = t.stemsBefore(words[:len(words)-1])
	}
	if len(before) > 0 {
		return t.completedPhrase(before, gap, last, stemmed)
	}
	if stemmed && len(words) > 1 && t.stopped(last) {
		return nil // AT&T is not all words with t
	}
	if !t.related.Enough || last != t.prefix {
		if tooLong(Lexeme{Text: last}) {
			return nil
		}
		var every []Alternative
		for _, prefix := range analysis.Prefixes(last) {
			one := Alternative{Sequence: []Lexeme{{Text: prefix, Prefix: true}}, Factor: prefixFactor}
			if list := t.related.Completions; last == t.prefix && len(list) > 0 {
				one.Documents = list[0].Documents
				t.besideWhole(&one)
			}
			every = append(every, one)
		}
		if len(every) > 0 {
			return every
		}
	}
	var list []Alternative
	place, written := map[string]int{}, []string{last}
	if stemmed {
		written = t.stems[last]
	}
	add := func(lexeme string, documents int64) {
		if slices.Contains(written, lexeme) || tooLong(Lexeme{Text: lexeme}) {
			return // found as it is written
		}
		if i, ok := place[lexeme]; ok {
			list[i].Documents = max(list[i].Documents, documents)
			return
		}
		place[lexeme] = len(list)
		one := Alternative{Sequence: []Lexeme{{Text: lexeme}}, Factor: prefixFactor, Documents: documents}
		t.besideWhole(&one)
		list = append(list, one)
	}
	for _, c := range t.related.Completions {
		if !stemmed {
			add(c.Word, c.Documents)
		} else if stems := t.stems[c.Word]; len(stems) > 0 {
			add(stems[0], c.Documents)
		}
	}
	for _, c := range t.related.Beside {
		add(c.Word, c.Documents)
	}
	return list
}

// besideWhole has words that begin with the query's last word give what they would if that were none itself. Where it is one, it
// keeps its own rarity: who looks for Lygia Pape does not mean that Pape is as common a word as paper.
func (t *termPlanner) besideWhole(one *Alternative) {
	if share := t.wholeShare(); share > 0 {
		one.Factor, one.Near = one.Factor*share, true
	}
}

const (
	// leastWord is how many letters a word has at the least that a last word is taken for as it is: texts have all that is shorter.
	leastWord = 3
	// seldomMeant is in how many times as many documents stop words that begin with a last word are, each counted for itself, for it not to be
	// taken for the word that it is: very many texts have one with wit.
	seldomMeant = 1000
)

// beginsStopWords tells that a last word, if it is hardly a word yet, will most likely be a stop word: of the words that begin with it stop
// words are in as many documents as all others together. While somebody types "from the", what has these words and no others that
// begin so would not be found.
func (t *termPlanner) beginsStopWords(last string) bool {
	if last != t.prefix {
		return false
	}
	var stopped, others int64
	for _, c := range t.related.Completions {
		if t.stopped(c.Word) {
			stopped += c.Documents
		} else {
			others += c.Documents
		}
	}
	if utf8.RuneCountInString(last) >= leastWord && t.related.Whole*seldomMeant > stopped {
		return false
	}
	return stopped > 0 && stopped >= others
}

// completedPhrase is what the beginning of a word after others is searched for: the words of the index that begin so are
// many, and those that follow the others may be rare ones. A few have lexemes that do not begin with it, as happi of
// happiness with happin.
func (t *termPlanner) completedPhrase(before []Lexeme, gap int, last string, stemmed bool) []Alternative {
	if tooLong(Lexeme{Text: last}) {
		return nil
	}
	var list []Alternative
	if stemmed && t.beginsStopWords(last) {
		list = append(list, Alternative{Sequence: before, Factor: prefixFactor}) // as with the stop word
	}
	add := func(l Lexeme) {
		l.Gap = gap
		list = append(list, Alternative{Sequence: append(slices.Clone(before), l), Factor: prefixFactor})
	}
	for _, prefix := range analysis.Prefixes(last) {
		add(Lexeme{Text: prefix, Prefix: true})
	}
	if !stemmed || last != t.prefix {
		return list
	}
	var stems []string
	for _, c := range t.related.Completions {
		for _, stem := range t.stems[c.Word] {
			if !strings.HasPrefix(stem, last) && !slices.Contains(t.stems[last], stem) && !tooLong(Lexeme{Text: stem}) {
				stems = append(stems, stem)
			}
		}
	}
	slices.Sort(stems)
	for _, stem := range slices.Compact(stems) {
		add(Lexeme{Text: stem})
	}
	return list
}
