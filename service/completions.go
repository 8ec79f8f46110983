package service

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
)

// completed returns what a last word that may go on is searched for besides itself: the words of the index that begin
// with it, or their lexemes if words are stemmed, and those of documents that have the other words of the query, if these
// are few. If the words that begin with it are not known, or it follows others, it returns all lexemes that begin with it.
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

// besideWhole has a word that begins with the query's last word give what it would if that were no word itself. If
// it is one, it keeps its own rarity: in a search for Lygia Pape, Pape is not as common a word as paper.
func (t *termPlanner) besideWhole(one *Alternative) {
	if share := t.wholeShare(); share > 0 {
		one.Factor, one.Near = one.Factor*share, true
	}
}

const (
	// leastWord is how many letters a last word has at least to be taken for a word as it is: texts have everything shorter.
	leastWord = 3
	// A last word is taken as it is only if the stop words that begin with it, each counted for itself, are in
	// fewer than seldomMeant times as many documents: very many texts have a stop word that begins with wit.
	seldomMeant = 1000
)

// beginsStopWords reports whether a last word that is hardly a word yet will most likely be a stop word: stop words
// that begin with it are in at least as many documents as all other words that do. Otherwise documents with "from
// the" would not be found while somebody types it, unless they had other words that begin so.
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

// completedPhrase returns what the beginning of a word after others is searched for: all lexemes that begin so, because those that
// follow the other words may be rare. A few words have lexemes that do not begin with it: happi of happiness does not begin with happin.
func (t *termPlanner) completedPhrase(before []Lexeme, gap int, last string, stemmed bool) []Alternative {
	if tooLong(Lexeme{Text: last}) {
		return nil
	}
	var list []Alternative
	if stemmed && t.beginsStopWords(last) { // what has a word that begins so comes first: v-model for v-mo
		list = append(list, Alternative{Sequence: before, Factor: restFactor}) // as if it were the stop word
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
