package service

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// A word with hyphens, or other punctuation, is a phrase of its parts. If these are joined by hyphens or slashes,
// documents that have the parts more often, anywhere, come first. If no document has the word, or the search finds
// nothing, its parts become words of their own: people paste usb-c-hub from an address. So do a name and a number
// that are one word: godfather2.

// compounds yields the place of each clause that is a word with hyphens or slashes, and the word's parts.
func compounds(q query.Query, yield func(place int, parts []query.Term)) {
	eachRun(q, func(place int, parts []query.Term) {
		raw, last := q.Clauses[place].Any[0], parts[len(parts)-1]
		// Punctuation around its words, such as the end of a sentence, is no part of it.
		if !raw.Phrase && len(addressed(raw)) == 0 && isCompound(raw.Text[parts[0].Start-raw.Start:last.End-raw.Start]) {
			yield(place, parts)
		}
	})
}

// eachRun yields the place of each clause that is several words without a space (igf-1, and/or, wi-fi), a name with a
// number, an address of a page, or a phrase whose quote was never closed, and these words. E-mail addresses are not taken for such words.
func eachRun(q query.Query, yield func(place int, parts []query.Term)) {
	for place, clause := range q.Clauses {
		raw := clause.Any[0]
		if len(clause.Any) > 1 || raw.Phrase && !raw.Open {
			continue
		}
		if parts := runOf(raw); len(parts) > 0 { // it may have only letters that no word has
			parts[len(parts)-1].Prefix = raw.Prefix && !finished(raw)
			yield(place, parts)
		}
	}
}

// runOf returns the words that a term of a query is without a space; nil if it is only one.
func runOf(raw query.Term) (parts []query.Term) {
	if isEmail(raw.Text) {
		return nil
	}
	if parts = addressed(raw); len(parts) > 0 || strings.Contains(raw.Text, "//") {
		return parts
	}
	for _, token := range analysis.Words(raw.Text) {
		parts = append(parts, query.Term{Text: raw.Text[token.Start:token.End], Start: raw.Start + token.Start, End: raw.Start + token.End})
	}
	switch {
	case len(parts) > 1:
		return parts
	case len(parts) == 1 && !raw.Phrase:
		return nameAndNumber(parts[0])
	}
	return nil
}

// nameAndNumber returns the parts of a word of letters, at least as many as say something, with digits behind them; nil for others.
func nameAndNumber(word query.Term) []query.Term {
	number := strings.TrimLeftFunc(word.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) })
	at := len(word.Text) - len(number)
	name := query.Term{Text: word.Text[:at], Start: word.Start, End: word.Start + at}
	if !isNumber(number) || !saysSomething(name) {
		return nil
	}
	return []query.Term{name, {Text: number, Start: name.End, End: word.End}}
}

// IsNameWithNumber reports whether a word is such a name with a number, whose letters end at the given byte.
func IsNameWithNumber(word string, at int) bool {
	parts := nameAndNumber(query.Term{Text: word})
	return parts != nil && len(parts[0].Text) == at
}

// telling returns the parts that a document with one of them is about: the number that ends a name is not by itself, nor is its version.
func telling(parts []query.Term) []query.Term {
	last := len(parts) - 1
	if last > 0 && (parts[last-1].End == parts[last].Start && isNumber(parts[last].Text) || isVersion(parts[last].Text)) {
		return parts[:last]
	}
	return parts
}

// saysSomething reports whether a part by itself is more than a letter or two: no part of AT&T is. C# is one word.
func saysSomething(part query.Term) bool {
	return utf8.RuneCountInString(strings.Join(analysis.Texts(part.Text), "")) > 2
}

// takeApart replaces those of such words that find nothing by their parts.
func (t *termPlanner) takeApart(q query.Query) query.Query {
	var clauses []query.Clause
	done := 0
	eachRun(q, func(place int, parts []query.Term) {
		if !slices.Contains(t.gone, q.Clauses[place].Any[0].Text) {
			return
		}
		clauses = append(clauses, q.Clauses[done:place]...)
		for _, part := range parts {
			clauses = append(clauses, query.Clause{Any: []query.Term{part}})
		}
		done = place + 1
	})
	q.Clauses = append(clauses, q.Clauses[done:]...)
	return q
}

// parts returns the hyphenated parts of a query's words as terms. known are the terms that there are already.
func (t *termPlanner) parts(q query.Query, known []Term) (terms []Term) {
	compounds(q, func(place int, parts []query.Term) {
		if _, together := t.meantTogether(q.Clauses[place].Any[0]); together {
			return // the part that texts keep is one of the ways to find the whole
		}
		for _, part := range parts {
			folded := analysis.Fold(part.Text)
			same := func(other Term) bool { return analysis.Fold(other.Text) == folded }
			if utf8.RuneCountInString(folded) < 2 || t.mayBeStopped(folded) || slices.ContainsFunc(known, same) || slices.ContainsFunc(terms, same) {
				continue
			}
			if term := t.part(part); !term.unknown() {
				terms = append(terms, term)
			}
		}
	})
	return terms
}

// part plans a part as a word of a text, or as a part of an identifier: otherwise a text that mentions core-js would say more than the name core-js.
// Addresses and whole values are not taken apart.
func (t *termPlanner) part(raw query.Term) Term {
	term := t.term(raw, true)
	maps.DeleteFunc(term.Alternatives, func(a mapping.Analysis, _ []Alternative) bool { return !a.Stems() && a != mapping.Plain })
	if t.analyses[mapping.IdentifierParts] {
		term.Alternatives[mapping.IdentifierParts] = []Alternative{{Sequence: partSequence(analysis.Texts(raw.Text), false), Factor: 1}}
	}
	term.Optional, term.Part = true, true
	return term
}

// isCompound reports whether a text is words with hyphens or slashes between them. Each of these begins with a letter:
// rad53-dependent is about rad53, but 19 by itself says nothing of covid-19, nor 20p of l5-20p.
func isCompound(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || isHyphen(r) }) // vga/dvi
	for _, part := range parts {
		first, _ := utf8.DecodeRuneInString(part)
		if unicode.IsDigit(first) || strings.ContainsFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
			return false
		}
	}
	return len(parts) > 1
}

// isHyphen reports whether r is a character that people use as a hyphen.
func isHyphen(r rune) bool { return r == '-' || r == '‐' || r == '‑' || r == '–' }
