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
	// FrequentFrom is the number of documents from which a word is no misspelling of another, however frequent that is. Of
	// 400 words of eight letters and more in 50 to 400 of 700,000 abstracts, 20 had one close to them in 20 times as
	// many; two of these were misspelled, the others inflected or words of their own (shearing, evacuation).
	FrequentFrom = 50
	// nearRarer is how many times rarer than a word close to it a known word must be to be taken for a typo.
	nearRarer = 20
	// maxNear bounds the words that one word is searched as.
	maxNear = 5
	// maxCandidates bounds the words that one is compared with; those in the most documents are.
	maxCandidates = 3000
)

// nearest picks the words that word, of which so many of all documents have it, is searched as.
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

// nearestFirst are those of some words close to one without documents that it is searched as.
func nearestFirst(list []service.NearWord) []service.NearWord {
	list = sortNear(list)
	lessLikely(list)
	return list
}

// sortNear sorts words by how close they are, then by their documents, and leaves out those beyond maxNear.
func sortNear(list []service.NearWord) []service.NearWord {
	slices.SortFunc(list, func(a, b service.NearWord) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), inMoreDocuments(a, b))
	})
	return list[:min(len(list), maxNear)]
}

// inMoreDocuments is the order of words by how many documents have them.
func inMoreDocuments(a, b service.NearWord) int {
	return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
}

// lessLikely lowers the shares of words that a word without documents is less likely to mean than others that are as close to it: of
// two that it may be a slip for, people search more often for the one that more documents have. It is by up to a quarter, so that one
// error still gives more than two.
func lessLikely(list []service.NearWord) {
	most := map[int]int64{}
	for _, n := range list {
		most[n.Distance] = max(most[n.Distance], n.Documents)
	}
	for i, n := range list {
		list[i].Share = math.Round(6+2*math.Log1p(float64(n.Documents))/math.Log1p(float64(most[n.Distance]))) / 8
	}
}

// nearShare is how rare a word is in near of all documents, as a share of how rare the one is that it is close to, in eighths, so
// that it stays the same while documents are written: else a common word would count as much as the rare one which was asked for. A
// word that no document has is as rare as what it stands for (lessLikely).
func nearShare(documents, near, all int64) float64 {
	if documents == 0 {
		return 1
	}
	all = max(all, near)
	return max(1, math.Round(8*searchsql.Rarity(near, all)/searchsql.Rarity(documents, all))) / 8
}

// beginningNear picks the words that begin as word, with an error: words that begin with it are in that many documents.
func beginningNear(word string, documents int64, candidates []service.NearWord) (list []service.NearWord) {
	limit := spelling.Limit(word)
	for _, c := range candidates {
		whole := spelling.Distance(word, c.Word, limit) <= limit // found as such
		if !whole && c.Documents >= max(1, nearRarer*documents) && spelling.BeginsNear(word, c.Word) {
			list = append(list, service.NearWord{Word: c.Word, Distance: 1, Documents: c.Documents, Share: 1, Begun: true})
		}
	}
	slices.SortFunc(list, inMoreDocuments)
	return list[:min(len(list), maxNear)]
}
