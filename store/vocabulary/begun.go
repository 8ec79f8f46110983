package vocabulary

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// begunShare and begunDocuments decide which words a prefix of very many stands for: those in at least 1/begunShare of the documents with its words,
// or in at least begunDocuments and enough for a lexeme to surely have postings. The others are found as soon as more of them is typed.
const begunShare, begunDocuments = 20, 1250

// FrequentAmong returns those of a prefix's words, in sum documents, that the prefix stands for: beside frequent words, rare ones change the results
// little and the time they take a lot. Words in common documents or more surely have postings.
func FrequentAmong(words []service.Completion, sum, common int64) []service.Completion {
	least := min(sum/begunShare, max(common, begunDocuments))
	if frequent := slices.DeleteFunc(slices.Clone(words), func(c service.Completion) bool { return c.Documents < least }); len(frequent) > 0 {
		return frequent
	}
	return words // all are about equally rare, like numbers and names
}

// ByFrequency orders words by how many documents have them, most first, then alphabetically.
func ByFrequency(a, b service.Completion) int {
	return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
}
