package analysis

import (
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Folding a character takes a microsecond, and most texts are made of few. What they fold to is therefore kept: of single ones in
// tables, of those with marks by what they are.

// cluster is what a character of a text, with what belongs to it (segment), is for words.
type cluster struct {
	folded string
	kind   kind
	joins  bool // belongs to the character before it; only known of a single one
}

// kind is what the folded form of a character consists of.
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

// joins tells that r belongs to the character before it in any case (see segment).
func joins(r rune) bool {
	return unseen(r) && !parts(r) || r >= 0x300 && (unicode.Is(unicode.M, r) || composes(r))
}

// Characters are known by pages, each of which is made when a text has one of its characters: half a millisecond. Those of planes 0 and 1 are
// (4 MB, if somebody writes all scripts); the ones beyond are hardly ever met.
const (
	pageSize  = 256
	pageCount = 0x20000 / pageSize
)

var pages [pageCount]atomic.Pointer[[pageSize]cluster]

// clusterAt returns the character at the beginning of a text by itself, without what may belong to it, and its length in bytes.
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

// mostMarked is how many characters with marks are known, longestMarked their longest in bytes: all that a language has.
const mostMarked, longestMarked = 8192, 32

// marked are the characters with marks that texts had lately.
var marked = struct {
	sync.RWMutex

	known map[string]cluster
}{known: map[string]cluster{}}

// markedCluster returns a character with what belongs to it.
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
