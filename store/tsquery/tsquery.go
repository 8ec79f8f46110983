// Package tsquery writes what is searched for as PostgreSQL's tsqueries, and says what the index over all fields can tell of it by itself.
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

// Lexeme writes a lexeme as the text form of a tsquery takes it.
func Lexeme(l service.Lexeme) string {
	text := "'" + strings.ReplaceAll(strings.ReplaceAll(l.Text, `\`, `\\`), "'", "''") + "'"
	if l.Prefix {
		text += ":*"
	}
	return text
}

// Sequence joins the lexemes of an alternative: as a phrase where they must follow each other, or else by &,
// for an index that does not know where they stand. There the first few letters of a last lexeme are left out: the index
// would go through all lexemes that begin so.
func Sequence(a service.Alternative, phrase bool) string {
	if !phrase && !Sought(a) {
		a.Sequence = WholeLexemes(a)
	}
	return FullSequence(a, phrase)
}

// FullSequence is the same with all lexemes, whatever the index would go through.
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

// Begun is the beginning of a lexeme that a phrase ends in; ok is false where it ends in a whole one, or is no phrase.
func Begun(a service.Alternative) (l service.Lexeme, ok bool) {
	last := len(a.Sequence) - 1
	if last < 1 || !a.Sequence[last].Prefix {
		return l, false
	}
	return a.Sequence[last], true
}

// WholeLexemes are those of a phrase that are no beginning; of a single lexeme, it.
func WholeLexemes(a service.Alternative) []service.Lexeme {
	if _, ok := Begun(a); ok {
		return a.Sequence[:len(a.Sequence)-1]
	}
	return a.Sequence
}

// LexemeTexts are the texts of the whole lexemes.
func LexemeTexts(a service.Alternative) []string {
	whole := WholeLexemes(a)
	list := make([]string, len(whole))
	for i, l := range whole {
		list[i] = l.Text
	}
	return list
}

// soughtLetters is the number of letters from which few enough lexemes begin so.
const soughtLetters = 4

// Sought tells whether the index is asked for the last lexeme of a phrase, too.
func Sought(a service.Alternative) bool {
	last, ok := Begun(a)
	return !ok || utf8.RuneCountInString(last.Text) >= soughtLetters
}

// Any joins alternatives by |, each once.
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

// InIndex is the tsquery of a term for the index over all fields, or "" for a term that no field knows. Phrases
// become conjunctions there: fields that follow each other in the index are not next to each other. Alternatives for which
// without is true, if there is such a function, are left out.
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

// HasPhrase tells whether the index over all fields cannot tell by itself whether a term is there: it has
// phrases.
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

// ByField tells that documents have a term only if one of the searched fields has it, which the index over all fields does
// not know: some fields are not searched, the term has phrases, fields with its lexeme leave it out as a stop word, or have it as one, or parts of values
// are asked for that fields with other parts may have.
func ByField(t service.Term, p *service.Plan) bool {
	return !p.All || HasPhrase(t) || t.Stopped || partsApart(t, p.Fields)
}

// partsApart tells whether a part of a value is asked for in some of the fields that may have it, and not in others: 0001 is also the
// number 1, but not an identifier of which 1 is a part.
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

// asks tells whether a lexeme is among alternatives.
func asks(alternatives []service.Alternative, l service.Lexeme) bool {
	return slices.ContainsFunc(alternatives, func(one service.Alternative) bool {
		return len(one.Sequence) == 1 && one.Sequence[0].Text == l.Text && one.Sequence[0].Prefix == l.Prefix
	})
}

// ByFieldAlone tells the same where that is no find either: of what is excluded, and of words of which any will do. Nor is the
// part of a word one that is a keyword, or an identifier: it is looked for in other fields, of which some have whole values.
func ByFieldAlone(t service.Term, p *service.Plan) bool {
	return ByField(t, p) || t.Part || ambiguous(t, p.Fields)
}

// ambiguous tells whether the fields are searched for different lexemes of a word: stemmed fields for its stem, or for none
// where it is a stop word, others for itself. Then a document with the stem in a field that is not stemmed is not one that
// has the word.
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

// hasWords tells whether fields have lexemes that are words. Those of the others are all marked.
func hasWords(a mapping.Analysis) bool { return a == mapping.Plain || a.Stems() }

// MayHave tells whether fields may have a lexeme, by its mark: rowan.with_wholes.
func MayHave(a mapping.Analysis, lexeme string) bool {
	mark, text := analysis.Marked(lexeme)
	switch mark {
	case "":
		return hasWords(a)
	case analysis.WholeMark:
		return a == mapping.Whole || a == mapping.Levels || a == mapping.TagWords
	case analysis.ExactMark:
		return a == mapping.WholeExact
	default:
		return a == mapping.IdentifierParts || a == mapping.EmailParts || a == mapping.PathSegments || a == mapping.Digits && digitsOnly(text)
	}
}

// IsWhole tells whether a lexeme is a whole value.
func IsWhole(lexeme string) bool {
	mark, _ := analysis.Marked(lexeme)
	return mark != ""
}

// digitsOnly tells whether a number may have a part.
func digitsOnly(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// wordsAsked are the single words among alternatives, sorted, without those that begin with another one that is asked for
// as a prefix: they are found by that.
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
		words = append(words, prefix+"*") // no word has this
	}
	slices.Sort(words)
	return slices.Compact(words)
}
