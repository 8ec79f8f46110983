// Package analysis mirrors in Go how the database splits text into words (rowan.fold, rowan.words, rowan.whole and rowan.plain_html, each in
// the latest migration that defines it), so that queries are taken apart like documents, and highlights mark what the index has found.
// Stemming is not here: the dictionaries are PostgreSQL's own. A property test compares the two: always change both.
//
// The package also has what else queries need to know of languages: other spellings and forms of words, compounds, and Korean particles.
package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ascii reports whether s is all ASCII.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var ligatures = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i", "ς", "σ")

// Fold returns s without case, accents, marks that are often left out in writing, and compatibility forms, as
// rowan.fold does. Values are compared in this form. Only of more than thirty marks in a row, which no language has, the two may keep different ones.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	var before letter
	for _, r := range norm.NFKD.String(s) {
		r = unicode.ToLower(r)
		if unseen(r) || before.loses(r) {
			continue
		}
		before = letterOf(r)
		b.WriteRune(oneForm(r))
	}
	return norm.NFC.String(nasals.Replace(ligatures.Replace(b.String())))
}

// Accented returns s without case but with its accents, in normalization form C.
func Accented(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// Whole returns a value as one lexeme, as rowan.whole does: trimmed, inner white space and control characters
// collapsed to single spaces.
func Whole(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		switch {
		case r <= 0x20, r >= 0x7f && r <= 0x9f, r == 0xa0, r == 0x1680, r == 0x2028, r == 0x2029:
			return true
		}
		return false
	}), " ")
}

// The marks with which lexemes of whole values begin in the index (rowan.with_wholes), so that no word is taken for one, and the words of texts of
// nothing but stop words (rowan.stop_words), so that no stem is.
const (
	WholeMark = "="
	PartMark  = "~" // for fields whose values are also found by their beginning
	ExactMark = "≡" // for fields in which case counts
	StopMark  = "^"
)

// Marked splits a lexeme into its mark and its text. The mark is "" for the lexeme of a word.
func Marked(lexeme string) (mark, text string) {
	for _, mark := range []string{WholeMark, PartMark, ExactMark, StopMark} {
		if text, ok := strings.CutPrefix(lexeme, mark); ok {
			return mark, text
		}
	}
	return "", lexeme
}

// IdentifierWholes returns the lexemes of an identifier besides its words: the whole and, if it differs, the whole without punctuation.
func IdentifierWholes(s string) []string {
	whole := Whole(Fold(s))
	var b strings.Builder
	for _, r := range whole {
		if isWord(r) {
			b.WriteRune(r)
		}
	}
	return withBare(whole, b.String())
}

// setOf returns the set of the words of a list.
func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
