package analysis

import (
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Folding a character takes a microsecond, and most texts use few different ones. So the results are cached: those of single characters in
// tables, those of characters with marks in a map.

// cluster is a character of a text with its marks (see segment), folded, and what it means for words.
type cluster struct {
	folded string
	kind   kind
	joins  bool // belongs to the character before it; only set for single characters
}

// kind tells what the folded form of a character consists of.
type kind byte

const (
	mixed   kind = iota // of several of these, or of marks: each is looked at
	nothing             // it is not seen
	inWord              // of characters of words; the first may begin one
	apart               // of characters that part words
	unit                // of one letter of a script without spaces, with its marks
)

func clusterOf(raw string) cluster {
	c := cluster{folded: Fold(asParted.Replace(raw))}
	letters, words, others := 0, 0, 0
	korean, other := false, false
	for i, r := range c.folded {
		switch {
		case isBigramMark(r) && letters > 0: // of the letter, if that is all
		case isBigramMark(r), i == 0 && isWord(r) && !begins(r):
			return c
		case isBigramBase(r):
			letters++
		case isWord(r):
			words++
			korean, other = korean || isHangul(r), other || !isHangul(r)
		default:
			others++
		}
	}
	switch {
	case letters+words+others == 0:
		c.kind = nothing
	case letters == 1 && words+others == 0:
		c.kind = unit
	case korean && other: // of two words
	case letters+others == 0:
		c.kind = inWord
	case letters+words == 0:
		c.kind = apart
	}
	return c
}

// joins reports whether r always belongs to the character before it (see segment).
func joins(r rune) bool {
	return unseen(r) && !parts(r) || r >= 0x300 && (unicode.Is(unicode.M, r) || composes(r))
}

// Single characters are cached in pages. A page is made when a text first has one of its characters, in half a millisecond. Only planes 0 and 1
// are cached (4 MB if all scripts are used); characters beyond them are very rare.
const (
	pageSize  = 256
	pageCount = 0x20000 / pageSize
)

var pages [pageCount]atomic.Pointer[[pageSize]cluster]

// clusterAt returns the first character of a text alone, without marks that follow it, and its length in bytes.
func clusterAt(text string) (c *cluster, size int) {
	r, size := utf8.DecodeRuneInString(text)
	at := int(r) / pageSize
	if at >= pageCount || r == utf8.RuneError && size < utf8.RuneLen(r) {
		alone := clusterOf(text[:size])
		alone.joins = joins(r)
		return &alone, size
	}
	page := pages[at].Load()
	if page == nil {
		page = new([pageSize]cluster)
		for i := range page {
			r := rune(at*pageSize + i)
			page[i] = clusterOf(string(r))
			page[i].joins = joins(r)
		}
		pages[at].Store(page)
	}
	return &page[r%pageSize], size
}

// mostMarked bounds the number of cached characters with marks, longestMarked the length of each in bytes. That is enough for any language.
const mostMarked, longestMarked = 8192, 32

// marked caches recently used characters with marks.
var marked = struct {
	sync.RWMutex

	known map[string]cluster
}{known: map[string]cluster{}}

// markedCluster returns the cluster of a character with its marks.
func markedCluster(raw string) cluster {
	if len(raw) > longestMarked {
		return clusterOf(raw)
	}
	marked.RLock()
	c, ok := marked.known[raw]
	marked.RUnlock()
	if ok {
		return c
	}
	c = clusterOf(raw)
	marked.Lock()
	defer marked.Unlock()
	if len(marked.known) >= mostMarked {
		clear(marked.known) // random texts; those of languages are soon known again
	}
	marked.known[strings.Clone(raw)] = c
	return c
}
