package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Spellings returns the other spellings of a text, folded, where people use two that folding does not bring together: those without an ü
// on their keyboard write ue, in names of people and places in any language, and Japanese words are written in hiragana or katakana.
// Queries are also searched in these spellings, but documents keep the words that they have, so that a search for pot does not find Poet.
func Spellings(language, text string) []string {
	var rules []func(text string) string
	if strings.ContainsFunc(text, isTranscribed) && !slices.Contains(ownLetters, language) {
		rules = append(rules, transcribe)
	}
	rules = append(rules, spellings[language]...)
	folded := Fold(text)
	if strings.Contains(folded, shortStreet) && folded != shortStreet && folded != street { // many words begin so
		rules = append(rules, eachWord(withShortStreet), eachWord(withStreet))
	}
	if strings.ContainsFunc(text, isKana) {
		rules = append(rules, hiragana, katakana)
	}
	if strings.HasSuffix(text, string(rune(virama))) {
		rules = append(rules, nasalBegun)
	}
	if language != "greek" {
		rules = append(rules, greekSpellings(folded)...)
	}
	var list []string
	for _, rule := range rules {
		if other := rule(text); other != folded && !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	return list
}

// spellings are the rules of languages. Each returns a text folded.
var spellings = map[string][]func(text string) string{
	// Like Lucene's GermanNormalizationFilter, but only for queries. In other languages oe is mostly no ö.
	"german": {contracted(twoForOne["german"]...)},
	// Like Lucene's ScandinavianFoldingFilter. Folding makes ae of æ already.
	"danish":    {contracted(twoForOne["danish"]...)},
	"norwegian": {contracted(twoForOne["norwegian"]...)},
	"swedish":   {contracted(twoForOne["swedish"]...)},
	"english":   {eachWord(withApostrophe)},
	"arabic": {eachWord(femaleEnding), articles("", ""), articles("", article), articles("و", article), articles("ف", article),
		after(eachWord(femaleEnding), articles("", "")), after(eachWord(femaleEnding), articles("", article))},
}

// twoForOne are the pairs of letters that people write for one of a language.
var twoForOne = map[string][]string{
	"german": {"ae", "oe", "ue"}, "danish": {"aa", "oe"}, "norwegian": {"aa", "oe"}, "swedish": {"aa", "ae", "oe"},
}

// Contracted returns a folded word with one letter for each of these pairs, folded: munchen for muenchen; "" if it has none.
func Contracted(language, word string) string {
	pairs := twoForOne[language]
	if !slices.ContainsFunc(pairs, func(pair string) bool { return strings.Contains(word, pair) }) {
		return ""
	}
	if other := contracted(pairs...)(word); other != word {
		return other
	}
	return ""
}

// ownLetters are languages in which these are letters of their own, which nobody writes as two.
var ownLetters = []string{"estonian", "finnish", "hungarian", "turkish"}

// transcription is how these letters are written if a keyboard or an alphabet lacks them.
var transcription = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe")

func transcribe(text string) string { return Fold(transcription.Replace(Accented(text))) }

// isTranscribed reports whether r is one of these letters, or the combining mark of one.
func isTranscribed(r rune) bool { return strings.ContainsRune("äöüåøÄÖÜÅØ\u0308\u030a", r) }

// contracted replaces two letters that stand for one by the first of them, to which folding reduces that letter. It
// keeps the ue of neue, Bauer and Quelle, which is no ü.
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

// street ends the names of most streets in German, and addresses in any language have it. Most people shorten it.
const street, shortStreet = "strasse", "str"

func withShortStreet(word string) string {
	if name, ok := strings.CutSuffix(word, street); ok {
		return name + shortStreet
	}
	return word
}

func withStreet(word string) string {
	if name, ok := strings.CutSuffix(word, shortStreet); ok {
		return name + street
	}
	return word
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

// shortestArabic is how many letters an Arabic word must have for these rules.
const shortestArabic = 3

// femaleEnding spells ة at the end of a word as ه, and the other way round: many people type one for the other.
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

// article is the Arabic article, which is written as part of the word, as is a conjunction (and, so) before it. The
// stemmer removes the article or the conjunction, but not both.
const article = "ال"

// articles gives each word of a text the article, which may be "", and the first word the conjunction, in place of those that they have.
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

// withoutArticle returns a word without its article, and without a conjunction before that. In a short word these are letters of the word itself.
func withoutArticle(word string) string {
	for _, conjunction := range []string{"و", "ف"} {
		if bare, has := strings.CutPrefix(word, conjunction+article); has && utf8.RuneCountInString(bare) >= shortestArabic {
			return bare
		}
	}
	return strings.TrimPrefix(word, article)
}

// after returns the rule that applies rule to the result of first.
func after(first, rule func(string) string) func(string) string {
	return func(text string) string { return rule(first(text)) }
}

// kanaApart is the distance from a letter of hiragana to the same letter of katakana.
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
