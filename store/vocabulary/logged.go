package vocabulary

import (
	"slices"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/spelling"
)

// Logged is what the change log says about documents whose current version is not in the vocabulary.
type Logged struct {
	Rows  int  // number of rows of the log, up to one more than a search deals with
	Whole bool // the words of all its documents were read
	// Words has the words of these documents, each with the number of new documents that have it.
	Words map[string]int64
}

// addNear adds the words close enough to word to be misspellings of it to candidates and, if begun, those that begin with something close to it. A
// new word counts for at least one document, as in the vocabulary.
func (l *Logged) addNear(word string, begun bool, candidates []service.NearWord) []service.NearWord {
	limit := spelling.Limit(word)
	for v, n := range l.Words {
		if !spelling.MayBeMeant(v, utf8.RuneCountInString(v)) {
			continue
		}
		d := spelling.Distance(word, v, limit)
		if d == 0 || d > limit && !(begun && spelling.BeginsNear(word, v)) {
			continue
		}
		if i := slices.IndexFunc(candidates, func(c service.NearWord) bool { return c.Word == v }); i >= 0 {
			candidates[i].Documents += n
		} else {
			candidates = append(candidates, service.NearWord{Word: v, Documents: max(n, 1)})
		}
	}
	return candidates
}

// addBegun adds the words with a prefix to a list of up to limit, and returns how many more documents that adds.
func (l *Logged) addBegun(prefix string, list []service.Completion, limit int) (completions []service.Completion, more int64) {
	for v, n := range l.Words {
		if v == prefix || !analysis.Begins(v, prefix) {
			continue
		}
		if i := slices.IndexFunc(list, func(c service.Completion) bool { return c.Word == v }); i >= 0 {
			list[i].Documents += n
		} else {
			n = max(n, 1)
			list = append(list, service.Completion{Word: v, Documents: n})
		}
		more += n
	}
	slices.SortFunc(list, ByFrequency)
	return list[:min(len(list), limit)], more
}
