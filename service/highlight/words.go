package highlight

import (
	"sync"

	"github.com/rowansearch/rowan/service/analysis"
)

// Words holds the words of the fields of one page, in memory that is reused for other pages: it would be a quarter
// of the garbage of a search. Take one with TakeWords; it is for one goroutine.
type Words struct{ tokens []analysis.Token }

const (
	// wordsAtOnce is how many words a new Words has room for: those of ten abstracts.
	wordsAtOnce = 2048
	// mostKept is how many words' room is kept at most for reuse: 2 MiB.
	mostKept = 64 << 10
)

var spare = sync.Pool{New: func() any { return &Words{tokens: make([]analysis.Token, 0, wordsAtOnce)} }}

// TakeWords returns room for the words of a page. Call GiveBack when they are no longer needed.
func TakeWords() *Words { return spare.Get().(*Words) }

// GiveBack makes the room available for reuse. What was split into it must not be used after that.
func (w *Words) GiveBack() {
	if cap(w.tokens) > mostKept {
		return
	}
	clear(w.tokens) // otherwise their texts would be kept in memory
	w.tokens = w.tokens[:0]
	spare.Put(w)
}

// of returns the words of a text; w may be nil.
func (w *Words) of(text string) []analysis.Token {
	if w == nil {
		return analysis.Words(text)
	}
	if room := analysis.MostWords(text); cap(w.tokens)-len(w.tokens) < room {
		// A full slice is left to those whose words it holds.
		w.tokens = make([]analysis.Token, 0, max(2*cap(w.tokens), room))
	}
	before := len(w.tokens)
	w.tokens = analysis.AppendWords(w.tokens, text)
	return w.tokens[before:len(w.tokens):len(w.tokens)]
}
