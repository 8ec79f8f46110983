package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hangul has 588 syllables for each leading consonant, 28 for each leading consonant and vowel; the first of these 28 has no final consonant.
// Typing 한글 passes through 한ㄱ and 한그.
const (
	firstSyllable, lastSyllable = '가', '힣'
	firstLead, lastLead         = '\u1100', '\u1112'
	ofVowel, ofLead             = 28, 588
)

// IsHangul reports whether a folded word is Korean.
func IsHangul(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return isHangul(r)
}

// leastWithin is how many syllables of a compound word are before a noun of it: one, as in 신제품 (new product), is mostly part of another noun before
// one of two syllables.
func leastWithin(noun string) int {
	if utf8.RuneCountInString(noun) <= leastNoun {
		return 2
	}
	return 1
}

// Within reports whether a folded Korean word is a compound with a noun of two or more syllables in it, but not at its beginning: 김치냉장고 (kimchi
// fridge) has 냉장고 (fridge). Korean has no rule where compounds are written with spaces.
func Within(word, noun string) bool {
	for range leastWithin(noun) {
		_, size := utf8.DecodeRuneInString(word)
		word = word[size:]
	}
	return strings.Contains(word, noun)
}

// BegunRange returns the exclusive bounds, in byte order, of the words that begin with a folded prefix. If its last syllable may still gain a
// final consonant, these words are included.
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

// Begins reports whether a word is a folded prefix or continues it.
func Begins(word, prefix string) bool {
	if strings.HasPrefix(word, prefix) {
		return true
	}
	after, before := BegunRange(prefix)
	return word > after && word < before
}

// Prefixes returns plain prefixes, one of which each word that continues a folded prefix has: if the last syllable may gain a final consonant, all
// syllables that it may become; none for a lone leading consonant, which may become hundreds.
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

// isOpen reports whether r is a syllable without a final consonant, isLead whether it is a lone leading consonant, as folding leaves it.
func isOpen(r rune) bool {
	return r >= firstSyllable && r <= lastSyllable && (r-firstSyllable)%ofVowel == 0
}
func isLead(r rune) bool { return r >= firstLead && r <= lastLead }
