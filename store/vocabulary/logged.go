package vocabulary

import (
	"slices"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/spelling"
)

// Logged is what the change log says of documents that the vocabulary does not have as they are.
type Logged struct {
	Rows  int  // of the log, up to one more than a search deals with
	Whole bool // the words of all documents that it names were read
	// Words are those of the documents, with how many new documents have each.
	Words map[string]int64
}

// addNear adds to candidates those words that are as close to word as it may be mistyped, if it is begun also those whose
// beginnings are. A word that is new counts for one document at least, as in the vocabulary.
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

// addBegun adds the words that begin with prefix to a list of up to limit, and returns in how many more documents they
// are.
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
