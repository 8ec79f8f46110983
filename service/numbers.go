package service

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/decimal"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// A number and its unit, or the letters and the number of a model, are written as one word, as two, or with a hyphen: 16gb, 16 GB,
// HL-2030. Vocabularies have no words that begin with a digit, so both spellings are searched without asking whether the index has them.

const (
	// maxUnit is how many letters a unit has at most, minLetters how many letters next to a digit are taken for a
	// word. A single letter is one only if it ends a number: 2m is 2 m, i7 is not i 7.
	maxUnit, minLetters = 4, 2
	// maxNumberParts bounds the ways to take a word apart.
	maxNumberParts = 3
)

// numberParts returns the ways to take a word apart between letters and digits: 16gb, hl2030, wh1000xm4.
func numberParts(word string) (list []WordPair) {
	letters := 0 // of the run of letters that ends here
	for i, r := range word {
		digit := unicode.IsDigit(r)
		switch {
		case !digit && !unicode.IsLetter(r) && !unicode.IsMark(r):
			return nil
		case i > 0 && digit && letters >= minLetters, i > 0 && !digit && letters == 0 && (lettersFirst(word[i:]) >= minLetters || isNumber(word[:i]) && isLetter(word[i:])):
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

// lettersFirst returns how many letters a word begins with.
func lettersFirst(word string) (n int) {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			break
		}
		n++
	}
	return n
}

// eachUnit yields the numbers of a query that a unit follows: the words of each with the unit as part of the last
// one (16gb; 2 and 4ghz), and the places of its terms among all.
func eachUnit(q query.Query, yield func(joined []string, places ...int)) {
	place := 0
	var number []string
	for _, clause := range q.Clauses {
		either := len(clause.Any) > 1
		for _, raw := range clause.Any {
			words := analysis.Texts(raw.Text)
			last := len(words) - 1
			digits, next := leadingNumber(raw.Text)
			switch {
			case raw.Phrase:
				number = nil
			case !either && last == 0 && len(number) > 0 && isUnit(words[0]):
				yield(withLast(number, number[len(number)-1]+words[0]), place-1, place)
				number = nil
			case digits > last:
				number = words
			case digits > 0 && digits == last && next == "-" && isUnit(words[last]):
				yield(withLast(words[:last], words[last-1]+words[last]), place)
				number = nil
			default:
				number = nil
			}
			place++
		}
		if either {
			number = nil // a unit after them belongs to none of them alone
		}
	}
}

// withLast returns words with others in place of the last one.
func withLast(words []string, others ...string) []string {
	return append(slices.Clone(words[:len(words)-1]), others...)
}

// eachNumbered yields the unquoted terms of a query that are one word of letters and digits, split in two, with
// their places among all. The part of a number before its last point may precede the word, and the part after its
// first point may follow it: 2.4ghz is 2, 4 and ghz, usb2.0 is usb, 2 and 0.
func eachNumbered(q query.Query, yield func(raw query.Term, words []string, place int)) {
	for place, raw := range q.Terms() {
		words := analysis.Texts(raw.Text)
		switch n, next := leadingNumber(raw.Text); {
		case raw.Phrase:
		case n == len(words)-1 && (n == 0 || isPoint(next)):
			for _, parts := range numberParts(words[len(words)-1]) {
				yield(raw, withLast(words, parts.First, parts.Second), place)
			}
		case n == 0 && endsInDecimal(raw.Text):
			for _, parts := range numberParts(words[0]) {
				if isNumber(parts.Second) {
					yield(raw, append([]string{parts.First, parts.Second}, words[1:]...), place)
				}
			}
		}
	}
}

// leadingNumber returns how many words at the beginning of a text are one number (2.4 is two), and what is between these and the next word.
func leadingNumber(text string) (n int, next string) {
	words := analysis.Words(text)
	for n < len(words) && isNumber(words[n].Text) && (n == 0 || isPoint(next)) {
		if n++; n == len(words) {
			return n, ""
		}
		next = text[words[n-1].End:max(words[n-1].End, words[n].Start)] // ½ is two words in one character
	}
	return n, next
}

// isDecimal reports whether a text is one number with a point.
func isDecimal(text string) bool {
	n, _ := leadingNumber(text)
	return n > 1 && n == len(analysis.Words(text))
}

// beforeDecimals returns the place of the word of a text behind which there are only decimals, at least the second one: that of 2 in usb-2.0 and of
// rom2 in cd-rom2.0. It is the last word if there are none.
func beforeDecimals(text string) int {
	words := analysis.Words(text)
	last := len(words) - 1
	for place := last; place > 1; place-- {
		before := words[place-1]
		digit, _ := utf8.DecodeLastRuneInString(before.Text)
		if !isNumber(words[place].Text) || !unicode.IsDigit(digit) || !isPoint(text[before.End:max(before.End, words[place].Start)]) {
			break
		}
		last = place - 1
	}
	return last
}

// endsInDecimal reports whether a text is a word that ends in a number, and then, after a point, the decimals of that number: usb2.0.
func endsInDecimal(text string) bool {
	words := analysis.Words(text)
	if len(words) < 2 {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(words[0].Text)
	point := text[words[0].End:max(words[0].End, words[1].Start)] // ½ is two words in one character
	behind := text[words[1].Start:]
	return unicode.IsDigit(last) && isPoint(point) && (len(words) == 2 && isNumber(words[1].Text) || isDecimal(behind))
}

// isPoint reports whether a text is what may stand between the words of a number.
func isPoint(text string) bool { return text == "." || text == "," }

func isNumber(word string) bool {
	for _, r := range word {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return word != ""
}

func isLetter(word string) bool { return utf8.RuneCountInString(word) == 1 && lettersFirst(word) == 1 }

func isUnit(word string) bool {
	n := utf8.RuneCountInString(word)
	return n <= maxUnit && lettersFirst(word) == n
}

// numberWords returns the words that applyNumbers may add.
func numberWords(q query.Query) (words []string) {
	eachUnit(q, func(joined []string, _ ...int) { words = append(words, joined...) })
	eachNumbered(q, func(_ query.Term, apart []string, _ int) { words = append(words, apart...) })
	eachProduct(q, func(p *product) {
		for _, form := range p.forms() {
			words = append(words, form...)
		}
	})
	return words
}

// applyNumbers adds to each term of a query's clauses the other spellings of its numbers.
func (t *termPlanner) applyNumbers(q query.Query, terms []Term) {
	if !t.typos {
		return
	}
	eachUnit(q, func(joined []string, places ...int) {
		if slices.ContainsFunc(places, func(place int) bool { return terms[place].Optional }) {
			return // a word that need not be found is no unit: 5 in 10
		}
		for _, place := range places {
			t.addWritten(&terms[place], joined, 1, 0)
			t.addIdentifier(&terms[place], joined)
		}
	})
	eachNumbered(q, func(raw query.Term, apart []string, place int) {
		t.addWritten(&terms[place], apart, 1, 0)
		last := len(apart) - 1
		switch {
		case isLetter(apart[last]): // what begins with it is no unit: 2 male
		case raw.Prefix && !finished(raw):
			t.addBegun(&terms[place], apart)
		}
		// Texts drop a unit that is a stop word, so 24in is searched as 24, like 24 in.
		if unit := apart[last]; last == 1 && isNumber(apart[0]) && !isLetter(unit) && t.stemmed() && t.stopped(unit) {
			t.addRest(&terms[place], apart[0], restFactor)
		}
	})
	eachProduct(q, func(p *product) {
		for i, place := range p.places {
			for _, form := range p.forms() {
				if hasRun(form, p.words[i]) {
					continue // that is how the term is written
				}
				t.addWritten(&terms[place], form, 1, 0)
				if p.begun {
					t.addBegun(&terms[place], form)
				}
			}
		}
	})
}

// addIdentifier adds a number with its letters to the ways to find a term in identifiers, if the query writes a space between them: many people write § 312 a.
func (t *termPlanner) addIdentifier(term *Term, joined []string) {
	a, sequence := mapping.IdentifierParts, partSequence(joined, false)
	same := func(other Alternative) bool { return slices.Equal(other.Sequence, sequence) }
	if t.analyses[a] && len(joined) == 1 && !slices.ContainsFunc(term.Alternatives[a], same) {
		term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: bareFactor})
	}
}

// excludeNumber excludes a term that is a number from fields of numbers by its value: the digits of 4.2 are also those of 42.
func (t *termPlanner) excludeNumber(term *Term, p *Plan) {
	number, ok := analysis.Number(term.Text)
	if !ok || !t.analyses[mapping.Digits] {
		return
	}
	value, err := decimal.Canonical(number)
	if err != nil {
		return
	}
	delete(term.Alternatives, mapping.Digits)
	without := filter.And{}
	if p.Filter != nil {
		without = append(without, p.Filter)
	}
	for _, f := range t.fields {
		if f.Analysis == mapping.Digits {
			without = append(without, filter.Not{Cond: filter.Equal{Field: f.Name, Kind: mapping.KindNumber, Values: []filter.Value{{Number: value}}}})
		}
	}
	p.Filter = without
}

// addBegun adds words, the last of which may go on: hl20.
func (t *termPlanner) addBegun(term *Term, words []string) {
	for a := range t.analyses {
		if sequence := t.textSequence(a, words); len(sequence) == len(words) {
			last := len(words) - 1
			sequence[last].Text, sequence[last].Prefix = words[last], true
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: writtenFactor * prefixFactor})
		}
	}
}
