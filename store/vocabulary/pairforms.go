package vocabulary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
)

// Documents may have two words of a query as one, but only in another form: datasets for data set, or notebook for note books. A form is a word with
// the same stem. If only its ending differs, it is found by the beginning of the word.

const (
	// formLetters is the maximum number of letters by which another form is longer, shorterLetters that by which it is shorter.
	formLetters, shorterLetters = 3, 2
	// maxPairForms bounds the number of words that begin with a pair as one word and are examined as forms of it.
	maxPairForms = 30
)

// joinedWords returns the pairs as one word each.
func joinedWords(pairs []service.WordPair) []string {
	words := make([]string, len(pairs))
	for i, p := range pairs {
		words[i] = p.Joined()
	}
	return words
}

// shorterForms returns the words that lack the last letters of a pair as one word, and may have that as another form. Each includes some of the
// second word: ef is not a form of EF-S, nor rene of Rene's, but the first word by itself.
func shorterForms(pair service.WordPair) (list []string) {
	word := pair.Joined()
	for range shorterLetters {
		_, size := utf8.DecodeLastRuneInString(word)
		if word = word[:len(word)-size]; len(word) <= len(pair.First) {
			break
		}
		list = append(list, word)
	}
	return list
}

// mayBeForm reports whether a longer word that begins with another may be a form of it.
func mayBeForm(going, word string) bool {
	return len(going) > len(word) && strings.HasPrefix(going, word) && utf8.RuneCountInString(going[len(word):]) <= formLetters
}

// MayBeForms returns the words that may be other forms of two frequent words as one: frequent ones, and shorter ones that the two may be meant as.
func (f *Frequent) MayBeForms(pair service.WordPair) (list []service.Completion) {
	word := pair.Joined()
	from, _ := slices.BinarySearch(f.ordered, word)
	for _, going := range f.ordered[from:min(from+maxPairForms, len(f.ordered))] {
		if mayBeForm(going, word) {
			list = append(list, service.Completion{Word: going, Documents: f.documents[going]})
		}
	}
	for _, shorter := range shorterForms(pair) {
		if n := f.meant(pair, shorter); n > 0 {
			list = append(list, service.Completion{Word: shorter, Documents: n})
		}
	}
	return list
}

// addForm adds a longer word that begins with a pair as one word.
func (w *writtenWords) addForm(pair service.WordPair, word string, documents int64) {
	w.forms[pair.Joined()] = append(w.forms[pair.Joined()], service.Completion{Word: word, Documents: documents})
}

// formsOfPairs returns the possible other forms of the pairs that documents do not have as one word, by the rule of mayBeOne.
func (l *Lookup) formsOfPairs() map[service.WordPair][]service.Completion {
	list := map[service.WordPair][]service.Completion{}
	w := l.written
	for _, p := range l.Pairs {
		word := p.Joined()
		if w.of(word, w.documents[word]) > 0 && !slices.Contains(l.Gone, word) {
			continue
		}
		var forms []service.Completion
		if !p.Begun || w.of(p.Second, w.documents[p.Second]) > 0 { // for an unfinished word, goingOn has the longer ones
			forms, _ = l.log.addBegun(word, w.forms[word], maxPairForms)
		}
		for _, shorter := range shorterForms(p) {
			forms = append(forms, service.Completion{Word: shorter, Documents: w.of(shorter, w.documents[shorter])})
		}
		forms = slices.DeleteFunc(forms, func(c service.Completion) bool {
			return c.Documents == 0 || len(c.Word) > len(word) && !mayBeForm(c.Word, word) || !l.mayMean(p, c.Documents)
		})
		if len(forms) > 0 {
			list[p] = forms
		}
	}
	return list
}
