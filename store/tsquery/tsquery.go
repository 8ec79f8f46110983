// Package tsquery writes what is searched for as PostgreSQL's tsqueries, and determines what the index over all fields alone can tell about it.
package tsquery

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// Lexeme returns a lexeme in the text form of a tsquery.
func Lexeme(l service.Lexeme) string {
	text := "'" + strings.ReplaceAll(strings.ReplaceAll(l.Text, `\`, `\\`), "'", "''") + "'"
	if l.Prefix {
		text += ":*"
	}
	return text
}

// Sequence joins the lexemes of an alternative: as a phrase if they must follow each other, otherwise with &, for an index that does not know
// positions. There it omits a last lexeme of only a few letters, because the index would go through all lexemes with that prefix.
func Sequence(a service.Alternative, phrase bool) string {
	if !phrase && !Sought(a) {
		a.Sequence = WholeLexemes(a)
	}
	return FullSequence(a, phrase)
}

// FullSequence is like Sequence, but never omits a lexeme.
func FullSequence(a service.Alternative, phrase bool) string {
	var b strings.Builder
	for i, l := range a.Sequence {
		switch {
		case i == 0:
		case !phrase:
			b.WriteString(" & ")
		case l.Distance() == 1:
			b.WriteString(" <-> ")
		default:
			b.WriteString(" <" + strconv.Itoa(l.Distance()) + "> ")
		}
		b.WriteString(Lexeme(l))
	}
	if len(a.Sequence) == 1 {
		return b.String()
	}
	return "(" + b.String() + ")"
}

// Begun returns the prefix that a phrase ends in; ok is false if it ends in a whole lexeme, or is not a phrase.
func Begun(a service.Alternative) (l service.Lexeme, ok bool) {
	last := len(a.Sequence) - 1
	if last < 1 || !a.Sequence[last].Prefix {
		return l, false
	}
	return a.Sequence[last], true
}

// WholeLexemes returns the lexemes of a phrase without a final prefix; for a single lexeme, that lexeme.
func WholeLexemes(a service.Alternative) []service.Lexeme {
	if _, ok := Begun(a); ok {
		return a.Sequence[:len(a.Sequence)-1]
	}
	return a.Sequence
}

// LexemeTexts returns the texts of the whole lexemes.
func LexemeTexts(a service.Alternative) []string {
	whole := WholeLexemes(a)
	list := make([]string, len(whole))
	for i, l := range whole {
		list[i] = l.Text
	}
	return list
}

// soughtLetters is the minimum length of a prefix in letters that few enough lexemes begin with.
const soughtLetters = 4

// Sought reports whether the last lexeme of a phrase is included in a query to the index.
func Sought(a service.Alternative) bool {
	last, ok := Begun(a)
	return !ok || utf8.RuneCountInString(last.Text) >= soughtLetters
}

// Any joins distinct alternatives with |.
func Any(alternatives []service.Alternative, phrase bool) string {
	var parts []string
	seen := map[string]bool{}
	for _, a := range alternatives {
		if q := Sequence(a, phrase); !seen[q] {
			seen[q] = true
			parts = append(parts, q)
		}
	}
	return strings.Join(parts, " | ")
}

// InIndex returns the tsquery of a term for the index over all fields, "" for a term that no field knows. Phrases become conjunctions: in that index,
// fields that follow each other are not adjacent. It omits alternatives for which without, if not nil, returns true.
func InIndex(t service.Term, fields []service.Field, without func(service.Alternative) bool) string {
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
	return Any(all, false)
}

// HasPhrase reports whether a term contains phrases, so that the index over all fields alone cannot tell whether a document has it.
func HasPhrase(t service.Term) bool {
	for _, list := range t.Alternatives {
		for _, a := range list {
			if len(a.Sequence) > 1 {
				return true
			}
		}
	}
	return false
}

// ByField reports whether documents have a term only if one of the searched fields has it, which the index over all fields does not know: some fields
// are not searched, the term has phrases, some fields omit its lexeme as a stop word or have it as one, or it asks for parts of values that fields
// with other parts may also have.
func ByField(t service.Term, p *service.Plan) bool {
	return !p.All || HasPhrase(t) || t.Stopped || partsApart(t, p.Fields)
}

// partsApart reports whether a part of a value is searched for in some of the fields that may have it, but not in others: 0001 is also the number 1,
// but not an identifier of which 1 is a part.
func partsApart(t service.Term, fields []service.Field) bool {
	for _, f := range fields {
		for _, one := range t.Alternatives[f.Analysis] {
			if mark, _ := analysis.Marked(one.Sequence[0].Text); mark != analysis.PartMark || len(one.Sequence) > 1 {
				continue
			}
			if slices.ContainsFunc(fields, func(other service.Field) bool {
				return other.Analysis != f.Analysis && MayHave(other.Analysis, one.Sequence[0].Text) && !asks(t.Alternatives[other.Analysis], one.Sequence[0])
			}) {
				return true
			}
		}
	}
	return false
}

// asks reports whether a lexeme is among alternatives.
func asks(alternatives []service.Alternative, l service.Lexeme) bool {
	return slices.ContainsFunc(alternatives, func(one service.Alternative) bool {
		return len(one.Sequence) == 1 && one.Sequence[0].Text == l.Text && one.Sequence[0].Prefix == l.Prefix
	})
}

// ByFieldAlone is like ByField, for cases where a document found in the index only because of another field must not count: excluded terms, and words
// of which any will do. A part of a word must then not match a keyword or an identifier: it is searched for in other fields, some of which have whole
// values.
func ByFieldAlone(t service.Term, p *service.Plan) bool {
	return ByField(t, p) || t.Part || ambiguous(t, p.Fields)
}

// ambiguous reports whether fields are searched for different lexemes of a word: stemmed fields for its stem, or for none if it is a stop word,
// others for the word itself. Then a document with the stem in a field without stemming does not have the word.
func ambiguous(t service.Term, fields []service.Field) bool {
	var first []string
	done := map[mapping.Analysis]bool{}
	for _, f := range fields {
		if done[f.Analysis] || !hasWords(f.Analysis) {
			continue
		}
		words := wordsAsked(t.Alternatives[f.Analysis])
		if len(done) > 0 && !slices.Equal(words, first) {
			return true
		}
		done[f.Analysis], first = true, words
	}
	return false
}

// hasWords reports whether fields have lexemes that are words. The lexemes of other fields are all marked.
func hasWords(a mapping.Analysis) bool { return a == mapping.Plain || a.Stems() }

// MayHave reports whether fields may have a lexeme, by its mark: see rowan.with_wholes.
func MayHave(a mapping.Analysis, lexeme string) bool {
	mark, text := analysis.Marked(lexeme)
	switch mark {
	case "":
		return hasWords(a)
	case analysis.WholeMark:
		return a == mapping.Whole || a == mapping.Levels || a == mapping.TagWords
	case analysis.ExactMark:
		return a == mapping.WholeExact
	case analysis.StopMark:
		return a.KeepsStopWords()
	default:
		return a == mapping.IdentifierParts || a == mapping.EmailParts || a == mapping.PathSegments || a == mapping.Digits && digitsOnly(text)
	}
}

// IsWhole reports whether a lexeme is a whole value.
func IsWhole(lexeme string) bool {
	mark, _ := analysis.Marked(lexeme)
	return mark != ""
}

// digitsOnly reports whether a number can have the part.
func digitsOnly(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// wordsAsked returns the single words among alternatives, sorted. It omits those that begin with a prefix that is also searched for, because the
// prefix finds them.
func wordsAsked(alternatives []service.Alternative) []string {
	var words, prefixes []string
	for _, one := range alternatives {
		if len(one.Sequence) != 1 || IsWhole(one.Sequence[0].Text) {
			continue
		}
		if l := one.Sequence[0]; l.Prefix {
			prefixes = append(prefixes, l.Text)
		} else {
			words = append(words, l.Text)
		}
	}
	words = slices.DeleteFunc(words, func(word string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(word, prefix) })
	})
	for _, prefix := range prefixes {
		words = append(words, prefix+"*") // no word ends in *
	}
	slices.Sort(words)
	return slices.Compact(words)
}
