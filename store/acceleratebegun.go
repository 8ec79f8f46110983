package store

import (
	"slices"

	"github.com/rowansearch/rowan/store/posting"
)

// eachBegun calls f for each occurrence in a block of a lexeme without postings that begins with prefix, in the order of the lexemes.
func (t *blockTally) eachBegun(b *block, prefix string, f func(lexeme []byte, offset, field int, times byte)) {
	b.EachBegun(t.places, prefix, f)
}

// tooMany reports whether some block has too many lexemes to find them by their beginnings.
func (t *blockTally) tooMany() bool {
	place, asked := t.places[posting.BeginningsOf]
	return asked && slices.ContainsFunc(t.blocks, func(b *block) bool { return b.Postings[place].Documents > 0 })
}
