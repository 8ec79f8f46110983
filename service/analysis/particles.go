package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Korean writes particles behind a noun as part of it, and so it does with the plural, and with the verbs that 하다 and 되다 make of one: 서울에서 is
// in Seoul, 개발한 developed. There is no dictionary that takes them off. These are the regular ones, a closed class of the grammar, with their
// usual combinations: those behind any noun, and those that tell how the noun ends.
var (
	anyParticles = setOf(`의 에 에서 에게 에게서 한테 께서 도 만 까지 부터 처럼 보다 마다 조차 마저 밖에 에는 에도 에서는 에서도 에서의 에게는 까지는 까지의 부터는 부터의 만이 만을 만의
		들 들은 들이 들을 들의 들에 들과 들도 들에게
		하는 하고 하며 하여 하기 하던 하게 하지 했던 했다 했으며 했고 한 할 한다 합니다 되는 되고 되며 되어 되던 되었다 되었으며 되었던 된 될 된다 됩니다 됐다`)
	consonantParticles = setOf(`은 이 을 과 으로 으로는 으로의 으로서 으로써 으로부터 이나 이란 이라 이라는 이라고 이며 이고 이었다 이었던 이다 이자 과의 과는`)
	vowelParticles     = setOf(`는 가 를 와 로 로는 로의 로서 로써 로부터 라 라는 라고 였다 였던 와의 와는`)
)

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

const (
	// longestParticle and leastNoun are in letters. What is a noun of one letter with a particle is mostly another noun, too.
	longestParticle, leastNoun = 4, 2
	// ofRieul is the last consonant of a syllable that takes 로 as a vowel does.
	ofRieul = 8
)

// WithoutParticle is the noun that a folded word of Korean may have a particle behind, the longest particle that fits; ok is false if there is
// none. before is what is written right before the word, in other letters or digits, if anything: then the noun may be of a letter, or all of
// it there ("" is left of 가 in LG가). The word may be a noun itself that only ends so: 고양이 is a cat, 고양 a town.
func WithoutParticle(before, word string) (noun string, ok bool) {
	runes, least := []rune(word), leastNoun
	if before != "" {
		least = 0
	}
	for n := min(longestParticle, len(runes)-least); n > 0; n-- {
		noun, particle := string(runes[:len(runes)-n]), string(runes[len(runes)-n:])
		if noun == "" && isUnitOf(before, particle) {
			continue
		}
		if isParticle(noun, particle) {
			return noun, true
		}
	}
	return "", false
}

// isUnitOf tells that a particle behind a number is mostly what it counts, or begins with that: 10만 are 100,000, 10도 degrees, 3과 is a lesson.
func isUnitOf(before, particle string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsDigit(last) && (strings.HasPrefix(particle, "만") || strings.HasPrefix(particle, "도") || strings.HasPrefix(particle, "과"))
}

// isParticle tells that something may be a particle behind a noun. Of one in other letters, "" here, nobody knows how it is read.
func isParticle(noun, particle string) bool {
	last, _ := utf8.DecodeLastRuneInString(noun)
	if !isSyllable(last) {
		return noun == "" && (anyParticles[particle] || consonantParticles[particle] || vowelParticles[particle])
	}
	if consonant := (last - firstSyllable) % ofVowel; consonant != 0 && !(consonant == ofRieul && strings.HasPrefix(particle, "로")) {
		return anyParticles[particle] || consonantParticles[particle] && !(consonant == ofRieul && strings.HasPrefix(particle, "으로"))
	}
	return anyParticles[particle] || vowelParticles[particle]
}

// IsSyllables tells that what a word ends in are two syllables of Korean, so that the words that begin with it are mostly the same one.
func IsSyllables(word string) bool {
	last, size := utf8.DecodeLastRuneInString(word)
	before, _ := utf8.DecodeLastRuneInString(word[:len(word)-size])
	return isSyllable(last) && isSyllable(before)
}

func isSyllable(r rune) bool { return r >= firstSyllable && r <= lastSyllable }

// NounForms are forms of a folded word that only a noun has: who has seen 고양이가 knows that 고양이 is one, and not 고양 with a particle. Behind
// 에서 and the like there may be 는, 도 and 의, but none of these.
func NounForms(word string) []string {
	return append(particled(word, []string{"이", "을", "과"}, []string{"가", "를", "와"}), word+"에")
}

// ShortForms are a folded noun of a letter with the particles that no other noun ends in: 책을 of 책, but not 종이, which is paper, of 종. Right
// behind something in other letters or digits (before), 년이 and 년의 are no other nouns.
func ShortForms(before, noun string) []string {
	if before != "" {
		return particled(noun, []string{"의", "에", "에서", "도", "만", "은", "이", "을", "과", "으로"}, []string{"는", "가", "를", "와", "로"})
	}
	return append(particled(noun, []string{"은", "을", "으로"}, []string{"는", "가", "를", "로"}), noun+"에", noun+"에서")
}

// particled is a noun with those particles of two lists that fit: behind a consonant, and behind a vowel.
func particled(noun string, consonant, vowel []string) (list []string) {
	for _, particle := range slices.Concat(consonant, vowel) {
		if isParticle(noun, particle) {
			list = append(list, noun+particle)
		}
	}
	return list
}
