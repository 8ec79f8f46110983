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
	if word == "" {
		return nil // the article alone
	}
	add := func(form string) {
		if form != asked && !slices.Contains(list, form) {
			list = append(list, form)
		}
	}
	var byEnding map[byte][]exchange
	if exchanges := exchangesOf[language]; exchanges != nil {
		byEnding = exchanges()
	}
	for _, last := range []byte{word[len(word)-1], 0} {
		for _, e := range byEnding[last] {
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
	return otherEndings[language] != nil || StemsAreWords(language)
}

// StemsAreWords reports whether the stem that a language's stemmer gives to a word may be another form of the word, with a stem of its own.
func StemsAreWords(language string) bool { return slices.Contains(stemsOfOwn, language) }
