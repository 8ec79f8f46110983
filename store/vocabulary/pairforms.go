package vocabulary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
)

// Documents may have two words of a query as one, but in another form only: datasets of data set, or notebook of note books. A form
// is a word with the same stem. Where it differs by its ending, it is found from the beginning of the word.

const (
	// formLetters is how many letters an ending has at most that makes another form, shorterLetters that another form lacks.
	formLetters, shorterLetters = 3, 2
	// maxPairForms bounds the words that go on from a pair of which those are taken that may be forms of it.
	maxPairForms = 30
)

// joinedWords are the pairs as one word each.
func joinedWords(pairs []service.WordPair) []string {
	words := make([]string, len(pairs))
	for i, p := range pairs {
		words[i] = p.Joined()
	}
	return words
}

// shorterForms are what a pair as one word may be another form of that lacks its last letters. Each has something of the second word:
// ef is no form of EF-S, nor rene of Rene's, but the first word by itself.
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

// mayBeForm tells that a word that goes on from another may be a form of it.
func mayBeForm(going, word string) bool {
	return len(going) > len(word) && strings.HasPrefix(going, word) && utf8.RuneCountInString(going[len(word):]) <= formLetters
}

// MayBeForms are the words that may be other forms of two frequent words as one: frequent ones, and shorter ones that the two may be
// meant as.
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

// addForm takes a word that goes on from a pair as one word.
func (w *writtenWords) addForm(pair service.WordPair, word string, documents int64) {
	w.forms[pair.Joined()] = append(w.forms[pair.Joined()], service.Completion{Word: word, Documents: documents})
}

// formsOfPairs are the words that may be other forms of the pairs that documents do not have as one word, by the rule of mayBeOne.
func (l *Lookup) formsOfPairs() map[service.WordPair][]service.Completion {
	list := map[service.WordPair][]service.Completion{}
	w := l.written
	for _, p := range l.Pairs {
		word := p.Joined()
		if w.of(word, w.documents[word]) > 0 && !slices.Contains(l.Gone, word) {
			continue
		}
		var forms []service.Completion
		if !p.Begun || w.of(p.Second, w.documents[p.Second]) > 0 { // of a word that is only begun goingOn has what goes on
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
