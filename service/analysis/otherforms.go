package analysis

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// numberEndings are regular endings of numbers, genders and the article that Snowball's stemmers take for those of other words, as
// folding leaves them, in pairs: huis and huizen, animal and animais, liburu and liburua. A word that ends in either may have the
// other in its place. Most words that are made so are none: only those are looked for that the index has.
var numberEndings = map[string][]endings{
	"arabic": {{"ة", "ات"}},
	"basque": {{"", "a"}, {"", "an"}, {"ak", "a"}, {"en", "a"}},
	"catalan": {{"o", "ons"}, {"a", "ans"}, {"e", "ens"}, {"i", "ins"}, {"e", "es"}, {"s", "ssos"}, {"c", "ques"}, {"ca", "ques"}, {"cs", "ques"}, {"g", "gues"},
		{"ga", "gues"}},
	"dutch":      {{"s", "zen"}, {"f", "ven"}, {"aas", "azen"}, {"ees", "ezen"}, {"oos", "ozen"}, {"aaf", "aven"}, {"eef", "even"}, {"oof", "oven"}},
	"finnish":    slices.Concat([]endings{{"nen", "sen"}, {"nen", "set"}, {"nen", "sta"}, {"nen", "sia"}, {"nen", "sten"}}, gradation()),
	"french":     {{"f", "ve"}, {"f", "ves"}, {"fs", "ve"}, {"fs", "ves"}},
	"greek":      {{"ιο", "ια"}, {"ιο", "ιου"}, {"ιο", "ιων"}, {"ι", "ια"}, {"ι", "ιου"}, {"ι", "ιων"}},
	"irish":      {{"", "a"}, {"ad", "aid"}, {"al", "ail"}, {"an", "ain"}, {"ar", "air"}, {"as", "ais"}, {"at", "ait"}},
	"portuguese": {{"ao", "oes"}, {"ao", "aes"}, {"al", "ais"}, {"el", "eis"}, {"ol", "ois"}, {"ul", "uis"}, {"il", "is"}, {"m", "ns"}},
	"romanian":   {{"a", "ei"}, {"l", "i"}},
	"serbian":    {{"", "ovi"}, {"", "ova"}, {"", "evi"}, {"", "eva"}, {"", "ови"}, {"", "ова"}, {"", "еви"}, {"", "ева"}},
	"spanish":    {{"z", "ces"}},
	"swedish":    {{"", "et"}, {"en", "et"}, {"o", "or"}},
	"tamil":      {{"ம்", "ங்கள்"}},
	"turkish":    {{"", "ler"}, {"", "si"}, {"", "su"}, {"ler", "si"}, {"lar", "si"}, {"lar", "su"}},
}

// endings are those of two forms of a word.
type endings struct{ one, other string }

// gradation are the endings of Finnish words whose last consonants are weaker in front of a closed syllable: hinta, hinnat.
func gradation() (list []endings) {
	for _, consonants := range []endings{{"nk", "ng"}, {"nt", "nn"}, {"mp", "mm"}, {"lt", "ll"}, {"rt", "rr"}, {"t", "d"}, {"p", "v"}} {
		for _, vowel := range strings.Split("aeiouy", "") {
			for _, closed := range []string{"n", "t", "ssa", "sta", "lla"} {
				list = append(list, endings{consonants.one + vowel, consonants.other + vowel + closed})
			}
		}
	}
	return list
}

// shortestStem is how many letters a word has at the least before nothing that is an ending of the other.
const shortestStem = 3

// OtherForms returns the words that may be other forms of a folded word of a language, of which its stemmer does not know that they
// are.
func OtherForms(language, word string) (list []string) {
	if language == "arabic" {
		word = withoutArticle(word)
	}
	add := func(ending, other string) {
		stem, has := strings.CutSuffix(word, ending)
		if form := stem + other; has && stem != "" && !slices.Contains(list, form) && (ending != "" && other != "" || utf8.RuneCountInString(stem) >= shortestStem) {
			list = append(list, form)
		}
	}
	for _, e := range numberEndings[language] {
		add(e.one, e.other)
		add(e.other, e.one)
	}
	return list
}

// stemsOfOwn are the languages whose stemmers often have a word itself for the stem of its other forms, and another stem for the word:
// of the Turkish salonlar it is salon, of salon it is salo. In English and Italian most words that are so are others (dens and dense,
// mare and marea).
var stemsOfOwn = strings.Fields("arabic armenian basque catalan danish dutch finnish french german greek hindi hungarian indonesian irish lithuanian " +
	"nepali norwegian portuguese romanian russian serbian spanish swedish tamil turkish yiddish")

// StemsAreWords tells that what a language's stemmer makes of a word may be another form of it, with a stem of its own.
func StemsAreWords(language string) bool { return slices.Contains(stemsOfOwn, language) }
