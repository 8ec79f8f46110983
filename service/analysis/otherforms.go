package analysis

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// OtherForms returns the words that may be other forms of a folded word of a language and that its stemmer does not bring together with it.
func OtherForms(language, word string) (list []string) {
	asked := word
	switch language {
	case "arabic":
		word = withoutArticle(word)
	case "irish":
		word = withoutMutation(word)
	}
	add := func(form string) {
		if form != asked && !slices.Contains(list, form) {
			list = append(list, form)
		}
	}
	if word == "" {
		return nil
	}
	for _, last := range []byte{word[len(word)-1], 0} {
		for _, e := range exchanges[language][last] {
			stem, has := strings.CutSuffix(word, e.ending)
			if !has || utf8.RuneCountInString(stem) < e.least || e.least == alone && stem != "" {
				continue
			}
			if language == "turkish" && !harmonious(stem, e.other) {
				continue
			}
			// Endings say too little of two letters, unless they are a noun of the list.
			if form := stem + e.other; e.least <= 0 || min(utf8.RuneCountInString(word), utf8.RuneCountInString(form)) > 2 {
				add(form)
			}
		}
	}
	switch language {
	case "german", "dutch":
		for _, form := range participles(word) {
			add(form)
		}
	case "indonesian":
		for _, form := range prefixed(word) {
			add(form)
		}
	case "irish":
		add(word)
	case "arabic":
		for _, form := range slices.Clone(list) {
			add(article + form)
		}
	}
	return list
}

// withoutMutation returns an Irish word as it is without a change of its first letter: bhróg and mbróg are bróg.
func withoutMutation(word string) string {
	for _, eclipsed := range strings.Fields("bhf:f mb:b gc:c nd:d ng:g bp:p dt:t ts:s") {
		before, after, _ := strings.Cut(eclipsed, ":")
		if rest, has := strings.CutPrefix(word, before); has && len(rest) > 1 {
			return after + rest
		}
	}
	if len(word) > 3 && word[1] == 'h' && strings.IndexByte("bcdfgmpst", word[0]) >= 0 {
		return word[:1] + word[2:]
	}
	return word
}

// prefixed returns the forms of an Indonesian word with a prefix that takes the place of its first letter, or the word of such a form: tulis, menulis and
// penulis. The stemmer does not know the letter that is missing.
func prefixed(word string) (list []string) {
	for _, nasal := range strings.Fields("t:men k:meng s:meny p:mem t:pen k:peng s:peny p:pem") {
		first, prefix, _ := strings.Cut(nasal, ":")
		if rest, has := strings.CutPrefix(word, prefix); has && len(rest) > 2 {
			list = append(list, first+rest, first+strings.TrimSuffix(rest, "an"))
		}
		if rest, has := strings.CutPrefix(word, first); has && len(rest) > 2 {
			list = append(list, prefix+rest)
			if prefix[0] == 'p' {
				list = append(list, prefix+rest+"an")
			}
		}
	}
	// Before these letters, pe- changes nothing, but the stemmer takes per- and pem- for prefixes.
	if rest, has := strings.CutPrefix(word, "pe"); has && len(rest) > 3 && strings.IndexByte("lmr", rest[0]) >= 0 {
		return append(list, rest, strings.TrimSuffix(rest, "an"))
	}
	if len(word) > 3 && strings.IndexByte("lmr", word[0]) >= 0 {
		list = append(list, "pe"+word, "pe"+word+"an")
	}
	return list
}

// harmonious reports whether the first vowel of a Turkish ending may follow the last one of a stem. Folded, an i may be an ı, o and u may be ö and ü.
func harmonious(stem, ending string) bool {
	const vowels = "aeiou"
	last, first := strings.LastIndexAny(stem, vowels), strings.IndexAny(ending, vowels)
	if last < 0 || first < 0 {
		return true
	}
	switch ending[first] {
	case 'a':
		return stem[last] != 'e'
	case 'e':
		return stem[last] != 'a'
	case 'i':
		return strings.IndexByte("aei", stem[last]) >= 0
	default:
		return strings.IndexByte("ou", stem[last]) >= 0
	}
}

// participles returns the participle of a regular verb of German or Dutch, or the verb of a participle: kochen, gekocht.
func participles(word string) []string {
	const before, ending, infinitive, shortestStem = "ge", "t", "en", 3
	if stem, has := strings.CutSuffix(word, infinitive); has && len(stem) >= shortestStem {
		return []string{before + stem + ending}
	}
	if stem, has := strings.CutPrefix(word, before); has && len(stem) > shortestStem {
		if stem, has := strings.CutSuffix(stem, ending); has {
			return []string{stem + infinitive}
		}
	}
	return nil
}

// stemsOfOwn are the languages whose stemmers often give a word itself as the stem of its other forms, but another stem to the word: salon
// for the Turkish salonlar, but salo for salon. In English and Italian most such pairs are different words (dens and dense, mare and marea).
var stemsOfOwn = strings.Fields("arabic armenian basque catalan danish dutch finnish french german greek hindi hungarian indonesian irish lithuanian " +
	"nepali norwegian portuguese romanian russian serbian spanish swedish tamil turkish yiddish")

// HasOtherForms reports whether words of a language have forms that its stemmer does not bring together: by OtherForms, or because StemsAreWords.
func HasOtherForms(language string) bool {
	return len(otherEndings[language]) > 0 || StemsAreWords(language)
}

// StemsAreWords reports whether the stem that a language's stemmer gives to a word may be another form of the word, with a stem of its own.
func StemsAreWords(language string) bool { return slices.Contains(stemsOfOwn, language) }
