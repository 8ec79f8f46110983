package store

import (
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// tsLexeme writes a lexeme as the text form of a tsquery takes it.
func tsLexeme(l service.Lexeme) string {
	text := "'" + strings.ReplaceAll(strings.ReplaceAll(l.Text, `\`, `\\`), "'", "''") + "'"
	if l.Prefix {
		text += ":*"
	}
	return text
}

// tsSequence joins the lexemes of an alternative: by <-> where they must follow each other, or by & for an
// index that does not know where they stand.
func tsSequence(a service.Alternative, operator string) string {
	parts := make([]string, len(a.Sequence))
	for i, l := range a.Sequence {
		parts[i] = tsLexeme(l)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " "+operator+" ") + ")"
}

// tsAny joins alternatives by |, each once.
func tsAny(alternatives []service.Alternative, operator string) string {
	var parts []string
	seen := map[string]bool{}
	for _, a := range alternatives {
		if q := tsSequence(a, operator); !seen[q] {
			seen[q] = true
			parts = append(parts, q)
		}
	}
	return strings.Join(parts, " | ")
}

// inIndex is the tsquery of a term for the index over all fields, or "" for a term that no field knows. Phrases
// become conjunctions there: fields that follow each other in the index are not next to each other.
func inIndex(t service.Term, fields []service.Field) string {
	var all []service.Alternative
	done := map[mapping.Analysis]bool{}
	for _, f := range fields {
		if !done[f.Analysis] {
			done[f.Analysis] = true
			all = append(all, t.Alternatives[f.Analysis]...)
		}
	}
	return tsAny(all, "&")
}

// exactOnly tells whether the index over all fields cannot tell by itself whether a term is there: it has
// phrases.
func hasPhrase(t service.Term) bool {
	for _, list := range t.Alternatives {
		for _, a := range list {
			if len(a.Sequence) > 1 {
				return true
			}
		}
	}
	return false
}
