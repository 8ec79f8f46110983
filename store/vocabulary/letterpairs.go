package vocabulary

import (
	"fmt"
	"slices"
	"unicode"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/table"
)

// Texts in scripts without spaces have pairs of letters as their words. A search for one letter is a search for all pairs with it: 猫 for 黒猫 and 猫の.
// The vocabulary finds the pairs that begin with a letter by their order, and those that end with it by a key.

// aroundSQL selects the pairs of each letter of $16, whose keys are $17.
func aroundSQL(r table.Relations) string {
	return fmt.Sprintf(`SELECT %[2]d, l.place, p.word, p.documents, 0, 0 FROM unnest((SELECT $16::text[]), (SELECT $17::int[])) WITH ORDINALITY AS l(letter, key, place)
  CROSS JOIN LATERAL (
    (SELECT w.word, w.documents FROM %[1]s w WHERE w.word > l.letter AND w.word < l.letter || chr(%[3]d) ORDER BY w.documents DESC, w.word LIMIT (SELECT $8::int))
    UNION (SELECT w.word, w.documents FROM %[1]s w WHERE w.keys && ARRAY[l.key] ORDER BY w.documents DESC, w.word LIMIT (SELECT $8::int))) p`,
		r.Words(), rowAround, unicode.MaxRune)
}

// endKeys returns the key of the pairs that end with each letter.
func endKeys(letters []string) []int32 {
	keys := make([]int32, len(letters))
	for i, letter := range letters {
		keys[i] = spelling.EndKey(letter)
	}
	return keys
}

// addAround adds a word to the pairs with a letter, if it is one.
func (l *Lookup) addAround(letter, word string, documents int64) {
	if pair := analysis.Letters(word); len(pair) != 2 || pair[0] != letter && pair[1] != letter {
		return // another word with this key, or another letter with marks
	}
	l.Around[letter] = counted(l.Around[letter], word, documents)
}

// counted adds documents to those of a word in a list, appending the word if necessary.
func counted(list []service.Completion, word string, documents int64) []service.Completion {
	if i := slices.IndexFunc(list, func(c service.Completion) bool { return c.Word == word }); i >= 0 {
		list[i].Documents += documents
		return list
	}
	return append(list, service.Completion{Word: word, Documents: documents})
}

// settleAround adds the pairs of logged documents, and sorts all.
func (l *Lookup) settleAround() {
	for _, letter := range l.Letters {
		for word, documents := range l.log.Words {
			l.addAround(letter, word, max(documents, 1))
		}
		slices.SortFunc(l.Around[letter], ByFrequency)
	}
}
