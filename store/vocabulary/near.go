package vocabulary

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/spelling"
)

const (
	// FrequentFrom is the number of documents from which a word is not a misspelling of another, however frequent that is. Of 400 words of eight or
	// more letters in 50 to 400 of 700,000 abstracts, 20 had a close word in 20 times as many; two of these were misspellings, the others inflections
	// or separate words (shearing, evacuation).
	FrequentFrom = 50
	// nearRarer is how many times rarer than a word close to it a known word must be to be taken for a typo.
	nearRarer = 20
	// maxNear bounds the number of words that one word is searched as.
	maxNear = 5
	// maxCandidates bounds the number of words that one is compared with: those in the most documents.
	maxCandidates = 3000
)

// nearest returns the words that word, which is in the given number of all documents, is also searched as.
func nearest(word string, documents, all int64, candidates []service.NearWord) []service.NearWord {
	limit := spelling.Limit(word)
	if documents >= FrequentFrom {
		return nil
	}
	var list []service.NearWord
	for _, c := range candidates {
		c.Distance = spelling.Distance(word, c.Word, limit)
		if c.Distance > 0 && c.Distance <= limit && c.Documents >= max(1, nearRarer*documents) && !slices.ContainsFunc(list, func(of service.NearWord) bool { return of.Word == c.Word }) {
			c.Share = nearShare(documents, c.Documents, all)
			list = append(list, c)
		}
	}
	if documents == 0 {
		return nearestFirst(list)
	}
	return sortNear(list)
}

// nearestFirst returns the words that one without documents is searched as, of those close to it, with their shares.
func nearestFirst(list []service.NearWord) []service.NearWord {
	list = sortNear(list)
	lessLikely(list)
	return list
}

// sortNear sorts words by distance, then by documents, and drops those beyond maxNear.
func sortNear(list []service.NearWord) []service.NearWord {
	slices.SortFunc(list, func(a, b service.NearWord) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), inMoreDocuments(a, b))
	})
	return list[:min(len(list), maxNear)]
}

// inMoreDocuments orders words by how many documents have them, most first.
func inMoreDocuments(a, b service.NearWord) int {
	return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
}

// lessLikely lowers the shares of words that a word without documents is less likely to mean than others as close to it: of two words that it may be
// a typo of, people search more often for the one in more documents. It lowers them by up to a quarter, so that one error still gives more than two.
func lessLikely(list []service.NearWord) {
	most := map[int]int64{}
	for _, n := range list {
		most[n.Distance] = max(most[n.Distance], n.Documents)
	}
	for i, n := range list {
		list[i].Share = math.Round(6+2*math.Log1p(float64(n.Documents))/math.Log1p(float64(most[n.Distance]))) / 8
	}
}

// nearShare returns how rare a word in near of all documents is, as a share of how rare the word that it is close to is, so that a common word does
// not count as much as the rare one that was searched for. It is in eighths, so that it stays the same while documents are written. For a word that
// no document has it is 1 (see lessLikely).
func nearShare(documents, near, all int64) float64 {
	if documents == 0 {
		return 1
	}
	all = max(all, near)
	return min(8, max(1, math.Round(8*searchsql.Rarity(near, all)/searchsql.Rarity(documents, all)))) / 8
}

// beginningNear returns words that begin like word but for an error. Words that begin with it exactly are in the given number of documents.
func beginningNear(word string, documents int64, candidates []service.NearWord) (list []service.NearWord) {
	limit := spelling.Limit(word)
	for _, c := range candidates {
		whole := spelling.Distance(word, c.Word, limit) <= limit // found as a whole word
		if !whole && c.Documents >= max(1, nearRarer*documents) && spelling.BeginsNear(word, c.Word) {
			list = append(list, service.NearWord{Word: c.Word, Distance: 1, Documents: c.Documents, Share: 1, Begun: true})
		}
	}
	slices.SortFunc(list, inMoreDocuments)
	return list[:min(len(list), maxNear)]
}
