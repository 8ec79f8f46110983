package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Spellings returns how else a text is spelled in its language, where people use two spellings that folding does not make one:
// whoever has no ü writes ue, in names of people and places whatever the language of a text is, and of Japanese words hiragana or
// katakana. Queries are searched as these, too, and documents keep the words that they have, so that the Poet is not found for a pot.
func Spellings(language, text string) []string {
	var rules []func(text string) string
	if strings.ContainsFunc(text, isTranscribed) && !slices.Contains(ownLetters, language) {
		rules = append(rules, transcribe)
	}
	rules = append(rules, spellings[language]...)
	if strings.ContainsFunc(text, isKana) {
		rules = append(rules, hiragana, katakana)
	}
	if strings.HasSuffix(text, string(rune(virama))) {
		rules = append(rules, nasalBegun)
	}
	if len(rules) == 0 {
		return nil
	}
	folded := Fold(text)
	var list []string
	for _, rule := range rules {
		if other := rule(text); other != folded && !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	return list
}

// spellings are the rules of languages. Each gives a text folded.
var spellings = map[string][]func(text string) string{
	// As Lucene's GermanNormalizationFilter has it, but that this is on the side of queries only. In other languages oe is mostly no ö.
	"german": {contracted("ae", "oe", "ue")},
	// As its ScandinavianFoldingFilter. Folding makes ae of æ already.
	"danish":    {contracted("aa", "oe")},
	"norwegian": {contracted("aa", "oe")},
	"swedish":   {contracted("aa", "ae", "oe")},
	"arabic": {eachWord(femaleEnding), articles("", ""), articles("", article), articles("و", article), articles("ف", article),
		after(eachWord(femaleEnding), articles("", "")), after(eachWord(femaleEnding), articles("", article))},
}

// ownLetters are languages in which these letters are others, that nobody writes as two.
var ownLetters = []string{"estonian", "finnish", "hungarian", "turkish"}

// transcription is what these letters are written as where a keyboard or an alphabet lacks them.
var transcription = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe")

func transcribe(text string) string { return Fold(transcription.Replace(Accented(text))) }

// isTranscribed tells of a letter that may be one of these, also of the mark of one.
func isTranscribed(r rune) bool { return strings.ContainsRune("äöüåøÄÖÜÅØ\u0308\u030a", r) }

// contracted makes one letter of two that stand for it: the first of them, as folding leaves it. The ue of neue, Bauer and Quelle
// is another.
func contracted(pairs ...string) func(string) string {
	return func(text string) string {
		text = Fold(text)
		var b strings.Builder
		for i := range len(text) {
			if i > 0 {
				pair := text[i-1 : i+1]
				other := pair == "ue" && i > 1 && strings.IndexByte("aeiouyq", text[i-2]) >= 0
				if !other && slices.Contains(pairs, pair) {
					continue
				}
			}
			b.WriteByte(text[i])
		}
		return b.String()
	}
}

// eachWord spells each word of letters by a rule.
func eachWord(rule func(word string) string) func(string) string {
	return func(text string) string {
		text = Fold(text)
		var b strings.Builder
		for text != "" {
			n := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
			if n < 0 {
				n = len(text)
			}
			b.WriteString(rule(text[:n]))
			text = text[n:]
			_, n = utf8.DecodeRuneInString(text)
			b.WriteString(text[:n])
			text = text[n:]
		}
		return b.String()
	}
}

// shortestArabic is how many letters an Arabic word has at least for these rules.
const shortestArabic = 3

// femaleEnding spells ة at the end of a word as ه, and the other way round: many people type either.
func femaleEnding(word string) string {
	if utf8.RuneCountInString(word) < shortestArabic {
		return word
	}
	if stem, ok := strings.CutSuffix(word, "ة"); ok {
		return stem + "ه"
	}
	if stem, ok := strings.CutSuffix(word, "ه"); ok {
		return stem + "ة"
	}
	return word
}

// article is that of Arabic, which is written as part of the word, and so is a conjunction (and, so) before it. Stemmers take the
// article away, or the conjunction, but not both.
const article = "ال"

// articles gives each word of a text this article or none, and the first a conjunction, whatever they have.
func articles(conjunction, article string) func(string) string {
	return func(text string) string {
		before := conjunction
		return eachWord(func(word string) string {
			if bare := withoutArticle(word); utf8.RuneCountInString(bare) >= shortestArabic {
				word = before + article + bare
			}
			before = ""
			return word
		})(text)
	}
}

// withoutArticle is a word without its article, and without a conjunction before that. Of a short word these are letters of its own.
func withoutArticle(word string) string {
	for _, conjunction := range []string{"و", "ف"} {
		if bare, has := strings.CutPrefix(word, conjunction+article); has && utf8.RuneCountInString(bare) >= shortestArabic {
			return bare
		}
	}
	return strings.TrimPrefix(word, article)
}

// after is a rule of what another one gives.
func after(first, rule func(string) string) func(string) string {
	return func(text string) string { return rule(first(text)) }
}

// kanaApart is how far the letters of katakana are behind those of hiragana.
const kanaApart = 'ァ' - 'ぁ'

func isHiragana(r rune) bool { return r >= 'ぁ' && r <= 'ゖ' || r == 'ゝ' || r == 'ゞ' }
func isKatakana(r rune) bool { return r >= 'ァ' && r <= 'ヶ' || r == 'ヽ' || r == 'ヾ' }
func isKana(r rune) bool     { return isHiragana(r) || isKatakana(r) || r >= 0xff66 && r <= 0xff9d }

func hiragana(text string) string {
	return strings.Map(func(r rune) rune {
		if isKatakana(r) {
			return r - kanaApart
		}
		return r
	}, Fold(text))
}

func katakana(text string) string {
	return strings.Map(func(r rune) rune {
		if isHiragana(r) {
			return r + kanaApart
		}
		return r
	}, Fold(text))
}
