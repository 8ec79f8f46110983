package vocabulary

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/query"
	"github.com/rowansearch/rowan/store/spelling"
)

// maxNearWords bounds the words of one query that are searched with typos.
const maxNearWords = 16

// ToAsk are those that the vocabulary is to be asked for, of the first words that may have typos. Those that enough documents have
// are no misspellings, as is tells without asking: they go into related at once.
func ToAsk(related *service.RelatedWords, words []string, is func(word string) bool) (asked []string) {
	looked := 0
	for _, w := range words {
		mayMean := spelling.Limit(w) > 0 || service.MayBeCompound(w) || len(withoutEndings(w)) > 0
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

// LeaveRareNear leaves out what the beginning of many words might be a misspelling of where that is in fewer documents than
// each of these words, as rarer words that begin so are.
func LeaveRareNear(related *service.RelatedWords, prefix string) {
	near, n := related.Near[prefix], len(related.Completions)
	if len(near) == 0 || n == 0 {
		return
	}
	related.Near[prefix] = slices.DeleteFunc(slices.Clone(near), func(w service.NearWord) bool { return w.Documents < related.Completions[n-1].Documents })
}

// MayHave tells that vocabularies have a word, if documents do: they have none of one letter, nor with a digit first.
func MayHave(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	return unicode.IsLetter(first) && size < len(word) && !query.IsPaired(word)
}
