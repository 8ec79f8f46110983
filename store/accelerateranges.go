package store

import (
	"slices"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
)

// Of a field whose order the blocks keep, but not its values, they also answer ranges, of which the order may not tell of a document:
// equal keys can stand for different numbers or texts, and of several values it has the smallest and the largest. What it does not
// tell, the statement does for these documents, as for those that have changed.

// orderedWithin is the filter of a condition on a field whose order the blocks keep.
func (a *accelerated) orderedWithin(name string, ranges ...blockvalues.KeySpan) blockFilter {
	r := blockvalues.NewOrderedRange(name, ranges...)
	a.ranges, a.lexemes = append(a.ranges, r), append(a.lexemes, posting.KeysOf+name)
	return func(b *block, among posting.Bitmap) posting.Bitmap {
		found := posting.NewBitmap(b.size)
		keys := a.keysIn(b, name)
		among.Each(func(offset int) {
			if r.Holds(keys, offset) == blockvalues.Certain {
				found.Set(offset)
			}
		})
		return found
	}
}

// keysIn are the keys of a field in a block.
func (a *accelerated) keysIn(b *block, name string) posting.TextKeys {
	return posting.TextKeys(b.Postings[a.lexemePlace(posting.KeysOf+name)].Codes)
}

// lexemePlace is the place of a lexeme among those that are read.
func (a *accelerated) lexemePlace(lexeme string) int {
	place, _ := slices.BinarySearch(a.lexemes, lexeme)
	return place
}

// setAside takes those documents of a block out of what is found of which the order of a field does not tell whether they fulfil a
// condition, and has the statement look at them. ok is false where the block does not have the order.
func (t *blockTally) setAside(b *block) (ok bool) {
	if !t.setAsideAbsent(b) {
		return false
	}
	for _, r := range t.search.ranges {
		keys := t.search.keysIn(b, r.Field)
		if !keys.Fits(b.size) {
			return false
		}
		b.Found.Each(func(offset int) {
			if r.Holds(keys, offset) == blockvalues.Possible {
				t.putAside(b, offset)
			}
		})
	}
	return true
}

// putAside takes a document of a block out of what is found, and has the statement look at it.
func (t *blockTally) putAside(b *block, offset int) {
	b.Found.Clear(offset)
	t.looked = append(t.looked, b.number*int64(b.size)+int64(offset))
}
