package highlight

import (
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
)

// A letter of a script without spaces is found by the pairs that it is in. Nobody looks for these pairs, so of each only the letter is marked.

// letterTerms are terms that look for a letter.
type letterTerms struct {
	letter string
	terms  termSet
}

// letterPrefix is the beginning of pairs, which is a letter by itself.
type letterPrefix struct {
	letterTerms

	text string
}

// addLetter adds a lexeme of which only a letter is looked for.
func (m *Matcher) addLetter(l Lexeme, terms termSet) {
	wanted := letterTerms{l.Letter, terms}
	if l.Prefix {
		m.letterPrefixes = append(m.letterPrefixes, letterPrefix{wanted, l.Text})
		return
	}
	m.letters[l.Text] = append(m.letters[l.Text], wanted)
}

// eachLetter calls do with what is looked for in a lexeme because of one of its letters.
func (m *Matcher) eachLetter(lexeme string, do func(letterTerms)) {
	for _, l := range m.letters[lexeme] {
		do(l)
	}
	for _, l := range m.letterPrefixes {
		if strings.HasPrefix(lexeme, l.text) {
			do(l.letterTerms)
		}
	}
}

// letterMarks adds the marks of single letters to those of words.
func (s Spec) letterMarks(v value, known knownWords, marks []mark) []mark {
	if len(s.Matcher.letters) == 0 && len(s.Matcher.letterPrefixes) == 0 {
		return marks
	}
	before := len(marks)
	for i, lexemes := range known.lexemes {
		w := v.words[known.at[i]]
		for _, lexeme := range lexemes {
			s.Matcher.eachLetter(lexeme, func(l letterTerms) {
				for _, at := range letterIn(v.text, w, l.letter) {
					marks = append(marks, mark{at.start, at.end, l.terms})
				}
			})
		}
	}
	if len(marks) == before {
		return marks
	}
	sortMarks(marks)
	return withoutNested(marks)
}

// letterIn is where a letter, maybe with more marks than it has, is in a word of a text; all of the word where it is no pair.
func letterIn(text string, w analysis.Token, letter string) (at []extent) {
	between := w.Start + analysis.FirstLetter(text[w.Start:w.End])
	if letters := analysis.Letters(w.Text); len(letters) == 2 && between < w.End {
		if strings.HasPrefix(letters[0], letter) {
			at = append(at, extent{w.Start, between})
		}
		if strings.HasPrefix(letters[1], letter) {
			at = append(at, extent{between, w.End})
		}
	}
	if at == nil {
		at = append(at, extent{w.Start, w.End})
	}
	return at
}
