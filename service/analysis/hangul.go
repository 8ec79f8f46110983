package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hangul has 28 syllables for each consonant and vowel, of which the first has no consonant behind these, and 588 for each first
// consonant. Who types 한글 has 한ㄱ and 한그 on the way.
const (
	firstSyllable, lastSyllable = '가', '힣'
	firstLead, lastLead         = '\u1100', '\u1112'
	ofVowel, ofLead             = 28, 588
)

// IsHangul tells whether a word is of Korean letters.
func IsHangul(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return isHangul(r)
}

// BegunRange is between what the words are that go on from a folded prefix, by bytes: from a syllable of Hangul that may get
// another letter, too.
func BegunRange(prefix string) (after, before string) {
	last, size := utf8.DecodeLastRuneInString(prefix)
	rest := prefix[:len(prefix)-size]
	switch {
	case isOpen(last):
		return prefix, rest + string(last+ofVowel)
	case isLead(last):
		first := firstSyllable + (last-firstLead)*ofLead
		return rest + string(first-1) + maxRune, rest + string(first+ofLead)
	}
	return prefix, prefix + maxRune
}

const maxRune = string(unicode.MaxRune)

// Begins tells that a word is a folded prefix, or goes on from it.
func Begins(word, prefix string) bool {
	if strings.HasPrefix(word, prefix) {
		return true
	}
	after, before := BegunRange(prefix)
	return word > after && word < before
}

// Prefixes are those that all words that go on from a folded prefix have one of: of a syllable that may get another letter all that
// it may become; none of a first consonant, which may be hundreds.
func Prefixes(prefix string) []string {
	last, _ := utf8.DecodeLastRuneInString(prefix)
	switch {
	case isOpen(last):
		rest := strings.TrimSuffix(prefix, string(last))
		list := make([]string, ofVowel)
		for i := range list {
			list[i] = rest + string(last+rune(i))
		}
		return list
	case isLead(last):
		return nil
	}
	return []string{prefix}
}

// isOpen tells of a syllable without a last consonant, isLead of a consonant alone, as folding leaves it.
func isOpen(r rune) bool {
	return r >= firstSyllable && r <= lastSyllable && (r-firstSyllable)%ofVowel == 0
}
func isLead(r rune) bool { return r >= firstLead && r <= lastLead }
