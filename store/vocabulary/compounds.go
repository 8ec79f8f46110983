package vocabulary

import (
	"fmt"
	"slices"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/spelling"
	"github.com/rowansearch/rowan/store/table"
)

// Korean compounds are written as one word or several, as the writer likes. So a query for a noun also means the compounds that contain it: 냉장고
// (fridge) means 김치냉장고 (kimchi fridge). The vocabulary finds them by the hash of the noun's first two syllables.

// compoundsSQL selects the most frequent compounds of each noun of $18, whose keys are $19.
func compoundsSQL(r table.Relations) string {
	return fmt.Sprintf(`SELECT %[2]d, n.place, p.word, p.documents, 0, 0 FROM unnest((SELECT $18::text[]), (SELECT $19::int[])) WITH ORDINALITY AS n(noun, key, place)
  CROSS JOIN LATERAL (SELECT w.word, w.documents FROM %[1]s w WHERE w.keys && ARRAY[n.key] AND strpos(substr(w.word, 2), n.noun) > 0
    ORDER BY w.documents DESC, w.word LIMIT (SELECT $8::int)) p`, r.Words(), rowCompound)
}

// withinKeys returns the keys of the compounds of each noun.
func withinKeys(nouns []string) []int32 {
	keys := make([]int32, len(nouns))
	for i, noun := range nouns {
		keys[i] = spelling.WithinKey(noun)
	}
	return keys
}

// addCompound adds a word to the compounds of a noun, if it is one.
func (l *Lookup) addCompound(noun, word string, documents int64) {
	if analysis.Within(word, noun) {
		l.Compounds[noun] = counted(l.Compounds[noun], word, documents)
	}
}

// settleCompounds adds the compounds in logged documents, and sorts all.
func (l *Lookup) settleCompounds() {
	for _, noun := range l.Nouns {
		for word, documents := range l.log.Words {
			l.addCompound(noun, word, max(documents, 1))
		}
		slices.SortFunc(l.Compounds[noun], ByFrequency)
	}
}
