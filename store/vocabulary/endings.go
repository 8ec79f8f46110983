package vocabulary

import (
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
)

// A Korean word that no document has is looked for as the longest word that it begins with, as one that it is close to: it may have an ending that
// is none of the regular particles (service/analysis/particles.go).

const (
	// leastNoun is how many syllables are left at least, mostEnding how many an ending has at the most (으로부터).
	leastNoun, mostEnding = 2, 4
)

// withoutEndings are what a word of Korean may be without an ending, the longest first.
func withoutEndings(word string) (list []string) {
	if !analysis.IsHangul(word) {
		return nil
	}
	n := utf8.RuneCountInString(word)
	for ending := 1; ending <= mostEnding && n-ending >= leastNoun; ending++ {
		_, size := utf8.DecodeLastRuneInString(word)
		word = word[:len(word)-size]
		list = append(list, word)
	}
	return list
}

// nearWithoutEnding is the word of the index that one is without an ending.
func (l *Lookup) nearWithoutEnding(word string) []service.NearWord {
	for _, noun := range withoutEndings(word) {
		documents := l.log.Words[noun]
		for _, c := range l.candidates[0] {
			if c.Word == noun {
				documents += c.Documents
			}
		}
		if documents > 0 {
			return []service.NearWord{{Word: noun, Distance: 1, Documents: documents, Share: 1}}
		}
	}
	return nil
}
