package analysis

import (
	"strings"

	"github.com/rowansearch/rowan/service/mapping"
)

// Terms returns the lexemes by which a word or phrase of a query is found as a value, or as a part of one, in
// fields whose analysis keeps values whole. Words inside values are the matter of Words.
func Terms(raw string, a mapping.Analysis) []string {
	switch a {
	case mapping.IdentifierParts:
		return IdentifierWholes(raw)
	case mapping.PathSegments:
		whole := Whole(Fold(raw))
		if trimmed := strings.TrimRight(whole, "/"); trimmed != "" {
			whole = trimmed
		}
		return withBare(whole, within(whole))
	case mapping.Digits:
		number := strings.TrimSpace(raw)
		if !looksLike.MatchString(number) {
			number = within(number)
		}
		if !looksLike.MatchString(number) {
			return nil
		}
		return Digits(strings.ReplaceAll(number, ",", ""))
	case mapping.EmailParts:
		whole := Whole(Fold(raw))
		return withBare(whole, strings.TrimLeft(within(whole), "@")) // @example.org is the domain
	default:
		return nonEmpty(Whole(Fold(raw)))
	}
}

// within is a text without the brackets and quotes that it stands in, and what ends a sentence: people paste <ann@example.org>. What
// a path or a number begins with says something.
func within(text string) string {
	return strings.TrimRightFunc(strings.TrimLeft(text, "<([{'‘"), func(r rune) bool { return !isWord(r) })
}

func withBare(whole, bare string) []string {
	if bare == whole {
		return nonEmpty(whole)
	}
	return nonEmpty(whole, bare)
}
