package analysis

import (
	"slices"
	"strings"
	"sync"
)

// exchange is an ending that may take the place of another one, behind at least least letters, or none if least is alone.
type exchange struct {
	ending, other string
	least         int
}

// exchangesOf returns otherEndings in both directions, by the last byte of the ending, 0 for none. Some languages have thousands, which are made when a
// language is first searched.
var exchangesOf = func() map[string]func() map[byte][]exchange {
	all := map[string]func() map[byte][]exchange{}
	for language, list := range otherEndings {
		all[language] = sync.OnceValue(func() map[byte][]exchange { return exchangesIn(list()) })
	}
	return all
}()

func exchangesIn(list []endings) map[byte][]exchange {
	by := map[byte][]exchange{}
	add := func(ending, other string, least int) {
		last := byte(0)
		if ending != "" {
			last = ending[len(ending)-1]
		}
		by[last] = append(by[last], exchange{ending, other, least})
	}
	for _, e := range list {
		add(e.one, e.other, e.least)
		add(e.other, e.one, e.least)
	}
	return by
}

// alone is the least of whole words: bröd has the ending of röd.
const alone = -1

// endings are the endings of two forms of a word, which has at least least letters before them, or none if least is alone.
type endings struct {
	one, other string
	least      int
}

// endingsOf reads pairs of endings, of which the first may be empty.
func endingsOf(least int, pairs string) (list []endings) {
	for pair := range strings.FieldsSeq(pairs) {
		one, other, _ := strings.Cut(pair, ":")
		list = append(list, endings{one, other, least})
	}
	return list
}

// definite returns the endings of nouns in the singular and the plural, and in the definite plural, whose ending takes the place of that of the plural:
// bok and böcker, bok and böckerna.
func definite(articles, nouns string) []endings {
	list := endingsOf(0, nouns)
	for _, noun := range list {
		for _, article := range endingsOf(0, articles) {
			if stem, has := strings.CutSuffix(noun.other, article.one); has {
				list = append(list, endings{noun.one, stem + article.other, 0})
				break
			}
		}
	}
	return list
}

// feminine returns the endings of French adjectives in both genders and numbers: blanc and blanche, blancs and blanches.
func feminine(adjectives string) (list []endings) {
	for _, a := range endingsOf(0, adjectives) {
		list = append(list, a, endings{a.one, a.other + "s", 0})
		if !strings.HasSuffix(a.one, "s") && !strings.HasSuffix(a.one, "x") {
			list = append(list, endings{a.one + "s", a.other, 0}, endings{a.one + "s", a.other + "s", 0})
		}
	}
	return list
}

// openSyllables returns the endings of Dutch words with a long vowel, which is a single letter in an open syllable: kaas, kazen; loopt, lopen.
func openSyllables() (list []endings) {
	for vowel := range strings.SplitSeq("aeou", "") {
		for last := range strings.FieldsSeq("b d f:v g k l m n p r s:z t") {
			closed, open, other := strings.Cut(last, ":")
			if !other {
				open = closed
			}
			list = append(list, endings{vowel + vowel + closed + "t", vowel + open + "en", 1})
			if other {
				list = append(list, endings{vowel + vowel + closed, vowel + open + "en", 1})
			}
		}
	}
	return list
}

// doubled returns the endings of Dutch words with a short vowel, after which the last letter is doubled: pan, pannen.
func doubled() (list []endings) {
	for last := range strings.SplitSeq("bfglmnprs", "") {
		list = append(list, endings{last, last + last + "en", 1})
	}
	return list
}

// paradigm returns the endings of all pairs of forms with different endings, each of which may take the place of the others; the
// first may be -, for none.
func paradigm(least int, sets ...string) (list []endings) {
	for _, set := range sets {
		forms := strings.Fields(set)
		for i, one := range forms {
			for _, other := range forms[i+1:] {
				list = append(list, endings{strings.TrimPrefix(one, "-"), other, least})
			}
		}
	}
	return list
}

// afterConsonants returns the endings of the forms of Serbian words, of three letters or more, that have no ending themselves.
func afterConsonants(sets ...string) (list []endings) {
	for consonant := range strings.SplitSeq("bcdfghjklmnprstvz", "") {
		for _, set := range sets {
			list = append(list, paradigm(2, consonant+" "+consonant+strings.ReplaceAll(set, " ", " "+consonant))...)
		}
	}
	return list
}

// inBothAlphabets adds to endings of Serbian in Latin letters, folded, those in Cyrillic.
func inBothAlphabets(list []endings) []endings {
	cyrillic := strings.NewReplacer("a", "а", "c", "ц", "d", "д", "e", "е", "g", "г", "h", "х", "i", "и", "j", "ј", "k", "к", "l", "л", "m", "м", "n", "н", "o", "о", "p", "п", "r", "р", "s", "с", "t", "т", "u", "у", "v", "в", "z", "з")
	both := slices.Clone(list)
	for _, e := range list {
		both = append(both, endings{cyrillic.Replace(e.one), cyrillic.Replace(e.other), e.least})
	}
	return both
}

// gradation returns the endings of Finnish words whose last consonants are weaker in a closed syllable: hinta, hinnat, hintoja.
func gradation() (list []endings) {
	strong := []string{"a aa aan ia ien oja ojen", "e ea een i ia ien", "i ia iin eja ien", "o oa oon oja ojen", "u ua uun uja ujen", "y ya yyn yja yjen"}
	for _, consonants := range endingsOf(1, "kk:k pp:p tt:t nk:ng nt:nn mp:mm lt:ll rt:rr t:d p:v") {
		for _, forms := range strong {
			vowel := forms[:1]
			for ending := range strings.FieldsSeq(forms) {
				for _, closed := range []string{"n", "t", "ssa", "sta", "lla"} {
					list = append(list, endings{consonants.one + ending, consonants.other + vowel + closed, 1})
				}
			}
		}
	}
	return list
}

// otherStems returns the endings of nouns that have another stem before some endings: those of the nouns, each with behind, and those of their other
// stems, each with before. Only one of two endings that differ by vowel harmony makes a word.
func otherStems(behind, before, nouns string) (list []endings) {
	for _, noun := range endingsOf(0, nouns) {
		for b := range strings.SplitSeq(behind, ",") {
			for ending := range strings.SplitSeq(before, ",") {
				list = append(list, endings{noun.one + b, noun.other + ending, 0})
			}
		}
	}
	return list
}
