package vocabulary

import (
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
)

// A Korean word that no document has is also searched as the longest word of the index that it begins with, as if the two were close to each other:
// it may have an ending other than the regular particles (service/analysis/particles.go).

const (
	// leastNoun is the minimum number of syllables without the ending, mostEnding the maximum number of those of an ending (으로부터).
	leastNoun, mostEnding = 2, 4
)

// withoutEndings returns what a Korean word may be without an ending, longest first.
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

// nearWithoutEnding returns the longest word of the index that word may be without its ending.
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
