package highlight

import (
	"sync"

	"github.com/rowansearch/rowan/service/analysis"
)

// Words has the words of the fields of one page one after the other, in memory that pages take in turn: they are a quarter of what
// a search would leave to the garbage collector. Take one with TakeWords; it is for one goroutine.
type Words struct{ tokens []analysis.Token }

const (
	// wordsAtOnce is how many words there is room for at first: those of ten abstracts.
	wordsAtOnce = 2048
	// mostKept is how many words the room for which is kept: 2 MiB.
	mostKept = 64 << 10
)

var spare = sync.Pool{New: func() any { return &Words{tokens: make([]analysis.Token, 0, wordsAtOnce)} }}

// TakeWords returns room for the words of a page. GiveBack it when nobody needs them any more.
func TakeWords() *Words { return spare.Get().(*Words) }

// GiveBack leaves the room to others. What was split into it must not be used after that.
func (w *Words) GiveBack() {
	if cap(w.tokens) > mostKept {
		return
	}
	clear(w.tokens) // their texts would be kept
	w.tokens = w.tokens[:0]
	spare.Put(w)
}

// of returns the words of a text; w may be nil.
func (w *Words) of(text string) []analysis.Token {
	if w == nil {
		return analysis.Words(text)
	}
	if room := analysis.MostWords(text); cap(w.tokens)-len(w.tokens) < room {
		// What is full is left to those whose words it has.
		w.tokens = make([]analysis.Token, 0, max(2*cap(w.tokens), room))
	}
	before := len(w.tokens)
	w.tokens = analysis.AppendWords(w.tokens, text)
	return w.tokens[before:len(w.tokens):len(w.tokens)]
}
