package store

import (
	"sync"
	"time"

	"github.com/rowansearch/rowan/service"
)

// remembered keeps what was looked up, for a while. It is safe for concurrent use.
type remembered[K comparable, V any] struct {
	life time.Duration
	most int // beyond it all is forgotten

	mu      sync.Mutex
	entries map[K]entry[V]
}

type entry[V any] struct {
	value V
	read  time.Time
}

func (r *remembered[K, V]) get(k K) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.entries[k]
	if !ok || time.Since(e.read) > r.life {
		return v, false
	}
	return e.value, true
}

func (r *remembered[K, V]) put(k K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries == nil || len(r.entries) >= r.most {
		r.entries = map[K]entry[V]{}
	}
	r.entries[k] = entry[V]{v, time.Now()}
}

// relatedCache remembers words of vocabularies that change too slowly for anybody to notice, and take long to find.
type relatedCache struct {
	// begun are the most frequent words that begin with short prefixes: to find them among a few thousand takes
	// milliseconds. Only lists that are a choice are remembered, so that a new word of a small vocabulary is there at
	// once.
	begun remembered[wordKey, []service.Completion]
	// near are the words close to words that are frequent enough: only words that are in twenty times as many documents
	// are, and these are not written in a moment.
	near remembered[wordKey, []service.NearWord]
	// frequent are the words of each index that are in many documents.
	frequent remembered[wordKey, *frequentWords]
}

// wordKey is a word, or a prefix, in an index at one version: another mapping or none of the documents is another.
type wordKey struct {
	index, version int64
	word           string
}

const (
	// begunLetters is the length up to which a prefix has so many words that it is worth it.
	begunLetters = 3
	// nearDocuments is the number of documents from which a word is frequent enough.
	nearDocuments = 50
	maxRemembered = 20000
)

func newRelatedCache() *relatedCache {
	return &relatedCache{
		begun: remembered[wordKey, []service.Completion]{life: 10 * time.Second, most: maxRemembered},
		near:  remembered[wordKey, []service.NearWord]{life: time.Minute, most: maxRemembered},

		frequent: remembered[wordKey, *frequentWords]{life: 2 * maxFrequentLife, most: maxFrequentIndices},
	}
}
