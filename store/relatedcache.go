package store

import (
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// relatedCache remembers what changes in vocabularies too slowly for anybody to notice, and takes long to find.
type relatedCache struct {
	// begun are the most frequent words with short prefixes: finding them among a few thousand takes milliseconds. Only lists that are a selection
	// are remembered, so that a new word of a small vocabulary is found at once.
	begun remembered.Map[wordKey, begunWords]
	// manyBegun is the constant manyBegun, unless a test sets less.
	manyBegun int64
	// met are words that were found to be frequent enough not to be misspellings.
	met  remembered.Map[wordKey, struct{}]
	seen seenWords
	// compounds are those of words (vocabulary/heads.go).
	compounds remembered.Map[wordKey, compoundWords]
	// frequent are the words of each index that are in many documents; frequentReads says when they were read.
	frequent      remembered.Map[wordKey, *vocabulary.Frequent]
	frequentReads remembered.Map[wordKey, frequentRead]
}

// wordKey identifies a word, a prefix or another question in an index at one version: a new mapping, or the removal of all documents, makes a new
// version.
type wordKey struct {
	index, version int64
	word           string
}

// weight returns about how much memory an entry with this key takes, in bytes.
func (k wordKey) weight() int { return 128 + len(k.word) }

const (
	// begunLetters is the number of letters up to which a prefix has so many words that remembering them pays off.
	begunLetters = 3
	// maxRelated bounds the memory for each kind of entries, in bytes.
	maxRelated = 4 << 20
)

// begunWords are the words with a prefix, the number of documents that have the prefix as a word, the share of these words beside it, and the state
// of the vocabulary (seenIn); "" if that is not known.
type begunWords struct {
	completions []service.Completion
	whole       int64
	share       float64
	state       string
}

// compoundWords are the compounds of a word in a state of the vocabulary (seenIn).
type compoundWords struct {
	list  []service.Completion
	state string
}

func newRelatedCache() *relatedCache {
	return &relatedCache{
		seen:      newSeenWords(),
		manyBegun: manyBegun,
		begun: remembered.Map[wordKey, begunWords]{Life: 10 * time.Second, Room: maxRelated,
			Weigh: func(k wordKey, of begunWords) int { return k.weight() + 40*len(of.completions) }},
		compounds: remembered.Map[wordKey, compoundWords]{Life: time.Minute, Room: maxRelated,
			Weigh: func(k wordKey, of compoundWords) int { return k.weight() + len(of.state) + 40*len(of.list) }},
		met: remembered.Map[wordKey, struct{}]{Life: time.Minute, Room: maxRelated,
			Weigh: func(k wordKey, _ struct{}) int { return k.weight() }},
		frequent: remembered.Map[wordKey, *vocabulary.Frequent]{Life: 2 * maxFrequentLife, Room: maxFrequentRoom,
			Weigh: func(_ wordKey, f *vocabulary.Frequent) int { return f.Weight() }},
		frequentReads: remembered.Map[wordKey, frequentRead]{Room: maxCached},
	}
}
