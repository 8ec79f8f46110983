package store

import (
	"slices"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
)

// If blocks keep the order of a field but not its values, they answer ranges from the order. It may be inconclusive for a document: equal keys can
// stand for different numbers or texts, and of several values it only has the smallest and the largest. The statement examines these documents, like
// changed ones.

// orderedWithin returns the filter for ranges of a field whose order the blocks keep.
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

// keysIn returns the keys of a field in a block.
func (a *accelerated) keysIn(b *block, name string) posting.TextKeys {
	return posting.TextKeys(b.Postings[a.lexemePlace(posting.KeysOf+name)].Codes)
}

// lexemePlace returns the index of a lexeme among those that are read.
func (a *accelerated) lexemePlace(lexeme string) int {
	place, _ := slices.BinarySearch(a.lexemes, lexeme)
	return place
}

// setAside removes from the matches of a block the documents for which the order of a field is inconclusive, and leaves them to the statement. ok is
// false if the block does not have the order.
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

// putAside removes a document of a block from the matches and leaves it to the statement.
func (t *blockTally) putAside(b *block, offset int) {
	b.Found.Clear(offset)
	t.looked = append(t.looked, b.number*int64(b.size)+int64(offset))
}
