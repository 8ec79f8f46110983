package vocabulary

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/spelling"
)

// maxNearWords bounds the number of words of a query that are searched with typos.
const maxNearWords = 16

// ToAsk returns the words about which the vocabulary must be asked, among the first that may have typos. is reports whether it is already known that
// enough documents have a word for it not to be a misspelling: such words go into related at once.
func ToAsk(related *service.RelatedWords, words []string, is func(word string) bool) (asked []string) {
	looked := 0
	for _, w := range words {
		mayMean := spelling.Limit(w) > 0 || service.MayBeCompound(w) || service.MayBeModel(w) || len(withoutEndings(w)) > 0
		if _, done := related.Near[w]; done || !mayMean && !service.MayBeInitials(w) && !mayBeAbbreviation(w) || slices.Contains(asked, w) || looked == maxNearWords {
			continue
		}
		if mayMean {
			looked++
		}
		if is(w) {
			related.Near[w], related.Known[w] = nil, true
		} else {
			asked = append(asked, w)
		}
	}
	return asked
}

// LeaveRareNear removes from the words close to a prefix of very many words those in fewer documents than each of its completions, because
// completions as rare are left out, too.
func LeaveRareNear(related *service.RelatedWords, prefix string) {
	near, n := related.Near[prefix], len(related.Completions)
	if len(near) == 0 || n == 0 {
		return
	}
	related.Near[prefix] = slices.DeleteFunc(slices.Clone(near), func(w service.NearWord) bool { return w.Documents < related.Completions[n-1].Documents })
}

// MayHave reports whether vocabularies have a word if documents do: they do not have single letters, nor words that begin with a digit.
func MayHave(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	return unicode.IsLetter(first) && size < len(word) && !analysis.IsPaired(word)
}
