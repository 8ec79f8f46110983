package analysis

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// otherEndings are, by language, pairs of regular endings of numbers, genders, the article and verbs, folded, that Snowball's
// stemmers do not bring together: huis and huizen, animal and animais, liburu and liburua, lernen and lernt. A word that ends in
// either may have the other in its place. Most words made in this way do not exist: only those that the index has are searched for.
var otherEndings = map[string][]endings{
	"arabic": {{one: "ة", other: "ات"}},
	"basque": {{one: "", other: "a"}, {one: "", other: "an"}, {one: "ak", other: "a"}, {one: "en", other: "a"}},
	"catalan": {{one: "o", other: "ons"}, {one: "a", other: "ans"}, {one: "e", other: "ens"}, {one: "i", other: "ins"}, {one: "e", other: "es"}, {one: "s", other: "ssos"}, {one: "c", other: "ques"}, {one: "ca", other: "ques"}, {one: "cs", other: "ques"}, {one: "g", other: "gues"},
		{one: "ga", other: "gues"}},
	"danish":     {neuter},
	"dutch":      slices.Concat([]endings{{one: "s", other: "zen"}, {one: "f", other: "ven"}, {one: "en", other: "t"}}, openSyllables(), doubled()),
	"german":     {{one: "en", other: "t"}, {one: "en", other: "te"}, {one: "ern", other: "ert"}, {one: "eln", other: "elt"}},
	"norwegian":  {neuter},
	"finnish":    slices.Concat([]endings{{one: "nen", other: "sen"}, {one: "nen", other: "set"}, {one: "nen", other: "sta"}, {one: "nen", other: "sia"}, {one: "nen", other: "sten"}}, gradation()),
	"french":     {{one: "f", other: "ve"}, {one: "f", other: "ves"}, {one: "fs", other: "ve"}, {one: "fs", other: "ves"}},
	"greek":      {{one: "ιο", other: "ια"}, {one: "ιο", other: "ιου"}, {one: "ιο", other: "ιων"}, {one: "ι", other: "ια"}, {one: "ι", other: "ιου"}, {one: "ι", other: "ιων"}},
	"irish":      {{one: "", other: "a"}, {one: "ad", other: "aid"}, {one: "al", other: "ail"}, {one: "an", other: "ain"}, {one: "ar", other: "air"}, {one: "as", other: "ais"}, {one: "at", other: "ait"}},
	"portuguese": {{one: "ao", other: "oes"}, {one: "ao", other: "aes"}, {one: "al", other: "ais"}, {one: "el", other: "eis"}, {one: "ol", other: "ois"}, {one: "ul", other: "uis"}, {one: "il", other: "is"}, {one: "m", other: "ns"}},
	"romanian":   {{one: "a", other: "ei"}, {one: "l", other: "i"}, {other: "uri"}},
	"serbian":    {{one: "", other: "ovi"}, {one: "", other: "ova"}, {one: "", other: "evi"}, {one: "", other: "eva"}, {one: "", other: "ови"}, {one: "", other: "ова"}, {one: "", other: "еви"}, {one: "", other: "ева"}},
	"spanish":    {{one: "z", other: "ces"}},
	"swedish":    {{one: "", other: "et"}, {one: "en", other: "et"}, {one: "o", other: "or"}, neuter},
	"tamil":      {{one: "ம்", other: "ங்கள்"}},
	"turkish":    {{one: "", other: "ler"}, {one: "", other: "si"}, {one: "", other: "su"}, {one: "ler", other: "si"}, {one: "lar", other: "si"}, {one: "lar", other: "su"}},
}

// endings are the endings of two forms of a word. If one of them is empty, the word has at least least letters before them; 0 stands for shortestStem.
type endings struct {
	one, other string
	least      int
}

// neuter is an ending of Scandinavian adjectives: stor, stort. It mostly makes other words of short ones.
var neuter = endings{other: "t", least: 4}

// openSyllables returns the endings of Dutch words with a long vowel, which is a single letter in an open syllable: kaas, kazen; loopt, lopen.
func openSyllables() (list []endings) {
	for _, vowel := range strings.Split("aeou", "") {
		for _, last := range strings.Fields("b d f:v g k l m n p r s:z t") {
			closed, open, other := strings.Cut(last, ":")
			if !other {
				open = closed
			}
			list = append(list, endings{one: vowel + vowel + closed + "t", other: vowel + open + "en"})
			if other {
				list = append(list, endings{one: vowel + vowel + closed, other: vowel + open + "en"})
			}
		}
	}
	return list
}

// doubled returns the endings of Dutch words with a short vowel, after which the last letter is doubled: pan, pannen.
func doubled() (list []endings) {
	for _, last := range strings.Split("bfglmnprs", "") {
		list = append(list, endings{one: last, other: last + last + "en"})
	}
	return list
}

// gradation returns the endings of Finnish words whose last consonants are weaker in a closed syllable: hinta, hinnat.
func gradation() (list []endings) {
	for _, consonants := range []endings{{one: "nk", other: "ng"}, {one: "nt", other: "nn"}, {one: "mp", other: "mm"}, {one: "lt", other: "ll"}, {one: "rt", other: "rr"}, {one: "t", other: "d"}, {one: "p", other: "v"}} {
		for _, vowel := range strings.Split("aeiouy", "") {
			for _, closed := range []string{"n", "t", "ssa", "sta", "lla"} {
				list = append(list, endings{one: consonants.one + vowel, other: consonants.other + vowel + closed})
			}
		}
	}
	return list
}

// shortestStem is how many letters a word has at least before an empty ending.
const shortestStem = 3

// OtherForms returns the words that may be other forms of a folded word of a language and that its stemmer does not bring together with it.
func OtherForms(language, word string) (list []string) {
	if language == "arabic" {
		word = withoutArticle(word)
	}
	add := func(form string) {
		if form != word && !slices.Contains(list, form) {
			list = append(list, form)
		}
	}
	exchange := func(ending, other string, least int) {
		stem, has := strings.CutSuffix(word, ending)
		if has && stem != "" && (ending != "" && other != "" || utf8.RuneCountInString(stem) >= least) {
			add(stem + other)
		}
	}
	for _, e := range otherEndings[language] {
		least := cmp.Or(e.least, shortestStem)
		exchange(e.one, e.other, least)
		exchange(e.other, e.one, least)
	}
	if language == "german" || language == "dutch" {
		for _, form := range participles(word) {
			add(form)
		}
	}
	return list
}

// participles returns the participle of a regular verb of German or Dutch, or the verb of a participle: kochen, gekocht.
func participles(word string) []string {
	const before, ending, infinitive = "ge", "t", "en"
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

// StemsAreWords reports whether the stem that a language's stemmer gives to a word may be another form of the word, with a stem of its own.
func StemsAreWords(language string) bool { return slices.Contains(stemsOfOwn, language) }
