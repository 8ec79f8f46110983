package service

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
)

// A number and its unit, or the letters and the number of a model, are written in one word, in two, or with a hyphen: 16gb, 16 GB,
// HL-2030. Vocabularies have no words that begin with a digit, so that both spellings are looked for without asking whether the
// index has them.

const (
	// maxUnit is how many letters a unit has at most, minLetters how many letters next to a digit are taken for a word: 3d is not
	// 3 d.
	maxUnit, minLetters = 4, 2
	// maxNumberParts bounds the ways to take a word apart.
	maxNumberParts = 3
)

// numberParts are the ways to take a word apart between letters and digits: 16gb, hl2030, wh1000xm4.
func numberParts(word string) (list []WordPair) {
	letters := 0 // of the run of letters that ends here
	for i, r := range word {
		digit := unicode.IsDigit(r)
		switch {
		case !digit && !unicode.IsLetter(r) && !unicode.IsMark(r):
			return nil
		case i > 0 && digit && letters >= minLetters, i > 0 && !digit && letters == 0 && lettersFirst(word[i:]) >= minLetters:
			if list = append(list, WordPair{First: word[:i], Second: word[i:]}); len(list) == maxNumberParts {
				return list
			}
		}
		if letters++; digit {
			letters = 0
		}
	}
	return list
}

// lettersFirst is how many letters a word begins with.
func lettersFirst(word string) (n int) {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			break
		}
		n++
	}
	return n
}

// eachUnit yields the numbers of a query that have a unit behind them, each with it as one word, and the places of their terms
// among all.
func eachUnit(q query.Query, yield func(joined string, places ...int)) {
	place, number := 0, ""
	for _, clause := range q.Clauses {
		raw, words := clause.Any[0], analysis.Texts(clause.Any[0].Text)
		plain := len(clause.Any) == 1 && !raw.Phrase
		switch {
		case plain && len(words) == 1 && number != "" && isUnit(words[0]):
			yield(number+words[0], place-1, place)
			number = ""
		case plain && len(words) == 1 && isNumber(words[0]):
			number = words[0]
		case plain && len(words) == 2 && strings.HasPrefix(raw.Text, words[0]+"-") && isNumber(words[0]) && isUnit(words[1]):
			yield(words[0]+words[1], place)
			number = ""
		default:
			number = ""
		}
		place += len(clause.Any)
	}
}

func isNumber(word string) bool {
	for _, r := range word {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return word != ""
}

func isUnit(word string) bool {
	n := utf8.RuneCountInString(word)
	return n <= maxUnit && lettersFirst(word) == n
}

// numberWords are the words that applyNumbers may add.
func numberWords(q query.Query) (words []string) {
	eachUnit(q, func(joined string, _ ...int) { words = append(words, joined) })
	eachSingle(q, func(_ query.Term, word string, _ int) {
		for _, parts := range numberParts(word) {
			words = append(words, parts.First, parts.Second)
		}
	})
	return words
}

// applyNumbers adds to each term of a query's clauses how its numbers are found in the other spelling.
func (t *termPlanner) applyNumbers(q query.Query, terms []Term) {
	if !t.typos {
		return
	}
	eachUnit(q, func(joined string, places ...int) {
		if slices.ContainsFunc(places, func(place int) bool { return terms[place].Optional }) {
			return // a word that needs not be found is no unit: 5 in 10
		}
		for _, place := range places {
			t.addWritten(&terms[place], []string{joined}, 0)
		}
	})
	eachSingle(q, func(raw query.Term, word string, place int) {
		for _, parts := range numberParts(word) {
			t.addWritten(&terms[place], []string{parts.First, parts.Second}, 0)
			if raw.Prefix && !finished(raw) {
				t.addBegun(&terms[place], parts)
			}
		}
	})
}

// addBegun adds two words of which the second may go on: hl20.
func (t *termPlanner) addBegun(term *Term, parts WordPair) {
	for a := range t.analyses {
		if sequence := t.textSequence(a, []string{parts.First, parts.Second}); len(sequence) == 2 {
			sequence[1].Text, sequence[1].Prefix = parts.Second, true
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: writtenFactor * prefixFactor})
		}
	}
}
