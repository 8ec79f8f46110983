package store

import (
	"sync"
	"time"

	"github.com/rowansearch/rowan/service"
)

// begunCache remembers the most frequent words that begin with short prefixes: to find them among a few thousand
// takes milliseconds, and they change slowly. Only lists that are a choice are remembered, so that a new word of a
// small vocabulary is there at once.
type begunCache struct {
	mu    sync.Mutex
	lists map[begunKey]begunList
}

type begunKey struct {
	index, version int64
	prefix         string
}

type begunList struct {
	words []service.Completion
	read  time.Time
}

const (
	// begunLetters is the length up to which a prefix has so many words that it is worth it.
	begunLetters = 3
	begunLife    = 10 * time.Second
	maxBegun     = 20000
)

func newBegunCache() *begunCache { return &begunCache{lists: map[begunKey]begunList{}} }

func (c *begunCache) get(ix *service.Index, prefix string) ([]service.Completion, bool) {
	if prefix == "" || len([]rune(prefix)) > begunLetters {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	list, ok := c.lists[begunKey{ix.ID, ix.Version, prefix}]
	return list.words, ok && time.Since(list.read) < begunLife
}

func (c *begunCache) put(ix *service.Index, prefix string, words []service.Completion) {
	if len([]rune(prefix)) > begunLetters {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lists) >= maxBegun {
		clear(c.lists)
	}
	c.lists[begunKey{ix.ID, ix.Version, prefix}] = begunList{words, time.Now()}
}
