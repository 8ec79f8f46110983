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
		return nonEmpty(whole)
	case mapping.Digits:
		if !looksLike.MatchString(strings.TrimSpace(raw)) {
			return nil
		}
		return Digits(strings.ReplaceAll(raw, ",", ""))
	case mapping.EmailParts:
		return nonEmpty(strings.TrimLeft(Whole(Fold(raw)), "@")) // @example.org is the domain
	default:
		return nonEmpty(Whole(Fold(raw)))
	}
}
