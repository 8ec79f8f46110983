package vocabulary

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// begunShare is the part of the documents with words that begin with a prefix that a word must have where they are very many, up to begunDocuments,
// or the frequency from which a lexeme surely has postings. It is found as soon as more of it is typed.
const begunShare, begunDocuments = 20, 1250

// FrequentAmong are those of words in sum documents that a beginning stands for: rare words beside frequent ones change little in what
// is found and much in how long it takes. Words from common documents on surely have postings.
func FrequentAmong(words []service.Completion, sum, common int64) []service.Completion {
	least := min(sum/begunShare, max(common, begunDocuments))
	if frequent := slices.DeleteFunc(slices.Clone(words), func(c service.Completion) bool { return c.Documents < least }); len(frequent) > 0 {
		return frequent
	}
	return words // all are about as rare, as numbers and names are
}

// ByFrequency orders words by how many documents have them, then by alphabet.
func ByFrequency(a, b service.Completion) int {
	return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
}
