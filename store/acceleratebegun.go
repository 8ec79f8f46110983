package store

import (
	"slices"

	"github.com/rowansearch/rowan/store/posting"
)

// eachBegun calls f with each occurrence in a block of lexemes without postings that begin with a prefix, the lexemes in their
// order.
func (t *blockTally) eachBegun(b *block, prefix string, f func(lexeme []byte, offset, field int, times byte)) {
	b.EachBegun(t.places, prefix, f)
}

// tooMany tells that some block has too many lexemes to be found by their beginnings.
func (t *blockTally) tooMany() bool {
	place, asked := t.places[posting.BeginningsOf]
	return asked && slices.ContainsFunc(t.blocks, func(b *block) bool { return b.Postings[place].Documents > 0 })
}
