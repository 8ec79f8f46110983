package store

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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

// tsSequence joins the lexemes of an alternative: as a phrase where they must follow each other, or else by &,
// for an index that does not know where they stand. There the first few letters of a last lexeme are left out: the index
// would go through all lexemes that begin so.
func tsSequence(a service.Alternative, phrase bool) string {
	var b strings.Builder
	if !phrase && !sought(a) {
		a.Sequence = wholeLexemes(a)
	}
	for i, l := range a.Sequence {
		switch {
		case i == 0:
		case !phrase:
			b.WriteString(" & ")
		case l.Gap > 1:
			b.WriteString(" <" + strconv.Itoa(l.Gap) + "> ")
		default:
			b.WriteString(" <-> ")
		}
		b.WriteString(tsLexeme(l))
	}
	if len(a.Sequence) == 1 {
		return b.String()
	}
	return "(" + b.String() + ")"
}

// begun is the beginning of a lexeme that a phrase ends in; ok is false where it ends in a whole one, or is no phrase.
func begun(a service.Alternative) (l service.Lexeme, ok bool) {
	last := len(a.Sequence) - 1
	if last < 1 || !a.Sequence[last].Prefix {
		return l, false
	}
	return a.Sequence[last], true
}

// wholeLexemes are those of a phrase that are no beginning; of a single lexeme, it.
func wholeLexemes(a service.Alternative) []service.Lexeme {
	if _, ok := begun(a); ok {
		return a.Sequence[:len(a.Sequence)-1]
	}
	return a.Sequence
}

// lexemeTexts are the texts of the whole lexemes.
func lexemeTexts(a service.Alternative) []string {
	whole := wholeLexemes(a)
	list := make([]string, len(whole))
	for i, l := range whole {
		list[i] = l.Text
	}
	return list
}

// soughtLetters is the number of letters from which few enough lexemes begin so.
const soughtLetters = 4

// sought tells whether the index is asked for the last lexeme of a phrase, too.
func sought(a service.Alternative) bool {
	last, ok := begun(a)
	return !ok || utf8.RuneCountInString(last.Text) >= soughtLetters
}

// tsAny joins alternatives by |, each once.
func tsAny(alternatives []service.Alternative, phrase bool) string {
	var parts []string
	seen := map[string]bool{}
	for _, a := range alternatives {
		if q := tsSequence(a, phrase); !seen[q] {
			seen[q] = true
			parts = append(parts, q)
		}
	}
	return strings.Join(parts, " | ")
}

// inIndex is the tsquery of a term for the index over all fields, or "" for a term that no field knows. Phrases
// become conjunctions there: fields that follow each other in the index are not next to each other. Alternatives for which
// without is true, if there is such a function, are left out.
func inIndex(t service.Term, fields []service.Field, without func(service.Alternative) bool) string {
	var all []service.Alternative
	done := map[mapping.Analysis]bool{}
	for _, f := range fields {
		if !done[f.Analysis] {
			done[f.Analysis] = true
			all = append(all, t.Alternatives[f.Analysis]...)
		}
	}
	if without != nil {
		all = slices.DeleteFunc(all, without)
	}
	return tsAny(all, false)
}

// hasPhrase tells whether the index over all fields cannot tell by itself whether a term is there: it has
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
