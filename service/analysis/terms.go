package analysis

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/mapping"
)

// Terms returns the lexemes by which a word or phrase of a query is found as a value, or as a part of one, in
// fields whose analysis keeps values whole. For words inside values see Words.
func Terms(raw string, a mapping.Analysis) []string {
	switch a {
	case mapping.IdentifierParts:
		wholes := IdentifierWholes(raw)
		if len(wholes) > 1 && isFigure(wholes[1]) {
			return wholes[:1] // 4.0 is no 40
		}
		if !slices.ContainsFunc(Words(raw), func(w Token) bool { return w.signed(raw) }) {
			return wholes
		}
		return nonEmpty(Whole(Fold(raw))) // C++-17 is no C17
	case mapping.PathSegments:
		whole := Whole(Fold(raw))
		if trimmed := strings.TrimRight(whole, "/"); trimmed != "" {
			whole = trimmed
		}
		return withBare(whole, within(whole))
	case mapping.Digits:
		return Digits(digitsOf(raw))
	case mapping.EmailParts:
		whole := Whole(Fold(raw))
		return withBare(whole, strings.TrimLeft(within(whole), "@")) // @example.org is the domain
	default:
		return nonEmpty(Whole(Fold(raw)))
	}
}

// maxFigure is how many digits decimals, fractions, versions and times have at most, as people write them among other words.
const maxFigure = 4

// isFigure reports whether a value without its punctuation is only a few digits. They are rather a figure (4.0, 1/2, 16:9) than an identifier that
// documents write otherwise, and as a beginning they would be that of very many long numbers.
func isFigure(bare string) bool {
	return len(bare) <= maxFigure && strings.Trim(bare, "0123456789") == ""
}

// digitsOf returns what looks like a number in a word of a query, without commas; "" if the word has anything else.
func digitsOf(raw string) string {
	number := strings.TrimSpace(raw)
	if !looksLike.MatchString(number) {
		number = within(number)
	}
	if !looksLike.MatchString(number) {
		return ""
	}
	return strings.ReplaceAll(number, ",", "")
}

// Number returns the decimal number that a word of a query is; ok is false if it is none.
func Number(raw string) (number string, ok bool) {
	number = strings.TrimSpace(digitsOf(raw))
	return number, numeric.MatchString(number)
}

// within returns a text without the brackets and quotes around it, and without the end of a sentence: people paste <ann@example.org>.
// It keeps other punctuation at the beginning, which matters in paths and numbers, and signs that are part of the last word.
func within(text string) string {
	text = strings.TrimLeft(text, "<([{'‘")
	end := len(strings.TrimRightFunc(text, func(r rune) bool { return !isWord(r) }))
	if words := Words(text); len(words) > 0 && words[len(words)-1].signed(text) {
		end = max(end, words[len(words)-1].End)
	}
	return text[:end]
}

func withBare(whole, bare string) []string {
	if bare == whole {
		return nonEmpty(whole)
	}
	return nonEmpty(whole, bare)
}
