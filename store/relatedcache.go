package store

import (
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// relatedCache remembers words of vocabularies that change too slowly for anybody to notice, and take long to find.
type relatedCache struct {
	// begun are the most frequent words that begin with short prefixes: to find them among a few thousand takes
	// milliseconds. Only lists that are a choice are remembered, so that a new word of a small vocabulary is there at
	// once.
	begun remembered.Map[wordKey, begunWords]
	// manyBegun is manyBegun, unless a test has less.
	manyBegun int64
	// met are words that were found to be frequent enough to be no misspellings.
	met  remembered.Map[wordKey, struct{}]
	seen seenWords
	// frequent are the words of each index that are in many documents, frequentReads when they were read.
	frequent      remembered.Map[wordKey, *vocabulary.Frequent]
	frequentReads remembered.Map[wordKey, frequentRead]
}

// wordKey is a word, or a prefix, or what else is asked, in an index at one version: another mapping or none of the
// documents is another.
type wordKey struct {
	index, version int64
	word           string
}

// weight is about what an entry with such a key takes of memory, in bytes.
func (k wordKey) weight() int { return 128 + len(k.word) }

const (
	// begunLetters is the length up to which a prefix has so many words that it is worth it.
	begunLetters = 3
	// maxRelated bounds what is remembered of each kind, in bytes.
	maxRelated = 4 << 20
)

// begunWords are the words that begin with a prefix, how many documents have the prefix as a word, and the share of these words
// beside it, in a state of the vocabulary (seenIn); "" where that is not known.
type begunWords struct {
	completions []service.Completion
	whole       int64
	share       float64
	state       string
}

func newRelatedCache() *relatedCache {
	return &relatedCache{
		seen:      newSeenWords(),
		manyBegun: manyBegun,
		begun: remembered.Map[wordKey, begunWords]{Life: 10 * time.Second, Room: maxRelated,
			Weigh: func(k wordKey, of begunWords) int { return k.weight() + 40*len(of.completions) }},
		met: remembered.Map[wordKey, struct{}]{Life: time.Minute, Room: maxRelated,
			Weigh: func(k wordKey, _ struct{}) int { return k.weight() }},
		frequent: remembered.Map[wordKey, *vocabulary.Frequent]{Life: 2 * maxFrequentLife, Room: maxFrequentRoom,
			Weigh: func(_ wordKey, f *vocabulary.Frequent) int { return f.Weight() }},
		frequentReads: remembered.Map[wordKey, frequentRead]{Room: maxCached},
	}
}
