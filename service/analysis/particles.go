package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Korean joins particles to the noun before them, and also the plural and the verbs that 하다 and 되다 make of a noun: 서울에서 is "in Seoul", 개발한
// "developed". PostgreSQL has no dictionary that removes them. These are the regular ones, a closed class of the grammar, with their usual
// combinations: those that follow any noun, and those that depend on the noun's last letter.
var (
	anyParticles = setOf(`의 에 에서 에게 에게서 한테 께서 도 만 까지 부터 처럼 보다 마다 조차 마저 밖에 에는 에도 에서는 에서도 에서의 에게는 까지는 까지의 부터는 부터의 만이 만을 만의
		들 들은 들이 들을 들의 들에 들과 들도 들에게
		하는 하고 하며 하여 하기 하던 하게 하지 했던 했다 했으며 했고 한 할 한다 합니다 되는 되고 되며 되어 되던 되었다 되었으며 되었던 된 될 된다 됩니다 됐다`)
	consonantParticles = setOf(`은 이 을 과 으로 으로는 으로의 으로서 으로써 으로부터 이나 이란 이라 이라는 이라고 이며 이고 이었다 이었던 이다 이자 과의 과는`)
	vowelParticles     = setOf(`는 가 를 와 로 로는 로의 로서 로써 로부터 라 라는 라고 였다 였던 와의 와는`)
)

const (
	// longestParticle and leastNoun are in syllables. A noun of one syllable with a particle is mostly also another noun.
	longestParticle, leastNoun = 4, 2
	// ofRieul is the final consonant that takes 로, as a vowel does.
	ofRieul = 8
)

// WithoutParticle returns a folded Korean word without the longest particle that fits; the word itself if it ends in none. before is the word of
// another script that directly precedes it, or "". After such a word, the noun may have one syllable or none: for 가 in LG가 it is "". The word may
// also be a noun that only looks particled: 고양이 is a cat, 고양 a town.
func WithoutParticle(before, word string) string {
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
			return noun
		}
	}
	return word
}

// isUnitOf reports whether what looks like a particle after a number is, or begins with, a unit: 10만 is 100,000, 10도 ten degrees, 3과 lesson 3.
func isUnitOf(before, particle string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsDigit(last) && (strings.HasPrefix(particle, "만") || strings.HasPrefix(particle, "도") || strings.HasPrefix(particle, "과"))
}

// isParticle reports whether particle fits a noun. A noun in another script is "" here and takes all of them, as its last sound is unknown.
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

// IsSyllables reports whether a word ends in two Korean syllables, so that most words beginning with it are forms of it.
func IsSyllables(word string) bool {
	last, size := utf8.DecodeLastRuneInString(word)
	before, _ := utf8.DecodeLastRuneInString(word[:len(word)-size])
	return isSyllable(last) && isSyllable(before)
}

func isSyllable(r rune) bool { return r >= firstSyllable && r <= lastSyllable }

// NounForms returns forms of a folded word that only a noun has: 고양이가 shows that 고양이 is a noun, not 고양 with a particle. Particles such as
// 에서 may be followed by 는, 도 and 의, but by none of these.
func NounForms(word string) []string {
	return append(particled(word, []string{"이", "을", "과"}, []string{"가", "를", "와"}), word+"에")
}

// ShortForms returns a folded noun of one syllable with the particles that do not make it another noun: 책을 for 책, but not 종이 (paper) for 종.
// Directly after a word of another script (before), more particles are safe: in 2024년이, 년이 is no other noun.
func ShortForms(before, noun string) []string {
	if before != "" {
		return particled(noun, []string{"의", "에", "에서", "도", "만", "은", "이", "을", "과", "으로"}, []string{"는", "가", "를", "와", "로"})
	}
	return append(particled(noun, []string{"은", "을", "으로"}, []string{"는", "가", "를", "로"}), noun+"에", noun+"에서")
}

// particled returns a noun with each particle that fits, from those that follow a consonant and those that follow a vowel.
func particled(noun string, consonant, vowel []string) (list []string) {
	for _, particle := range slices.Concat(consonant, vowel) {
		if isParticle(noun, particle) {
			list = append(list, noun+particle)
		}
	}
	return list
}
