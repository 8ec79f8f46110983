// Package lexemes is what is remembered of sets of lexemes in little room: which a document may have, and how many documents have each.
package lexemes

import (
	"hash/maphash"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/pgbinary"
)

// Filter tells which lexemes a document may have, in a quarter of the room of these: a Bloom filter (B. H. Bloom, "Space/time
// trade-offs in hash coding with allowable errors", 1970) of them and of their beginnings. Of those that the document does not have it
// takes about one in fifty for one that it has. One that is nil has none.
type Filter []byte

const (
	// filterBytes is how many bytes there are for each lexeme and its beginning, filterHashes how many bits each of the two sets.
	filterBytes, filterHashes = 2, 5
	// filterBeginning is the length in letters of the beginnings. Longer ones of a query are looked for by so much of them, shorter ones
	// any document may have.
	filterBeginning = 3
)

// They differ so that a lexeme is not its beginning.
var lexemeSeed, beginningSeed = maphash.MakeSeed(), maphash.MakeSeed()

// NewFilter is that of a tsvector as PostgreSQL sends it.
func NewFilter(vector []byte) (Filter, error) {
	f := make(Filter, max(8, filterBytes*pgbinary.CountLexemes(vector)))
	return f, pgbinary.EachLexeme(vector, func(lexeme []byte, _ pgbinary.Occurrences) {
		f.add(maphash.Bytes(lexemeSeed, lexeme))
		if end, ok := beginning(lexeme); ok {
			f.add(maphash.Bytes(beginningSeed, lexeme[:end]))
		}
	})
}

// beginning is where the beginning of a lexeme ends; it has none if it is shorter.
func beginning(lexeme []byte) (end int, ok bool) {
	for range filterBeginning {
		_, size := utf8.DecodeRune(lexeme[end:])
		end += size
		if size == 0 {
			return 0, false
		}
	}
	return end, true
}

func (f Filter) add(hash uint64) {
	for i := range uint32(filterHashes) {
		bit := f.bit(hash, i)
		f[bit/8] |= 1 << (bit % 8)
	}
}

func (f Filter) has(hash uint64) bool {
	for i := range uint32(filterHashes) {
		bit := f.bit(hash, i)
		if f[bit/8]&(1<<(bit%8)) == 0 {
			return false
		}
	}
	return true
}

// bit is the i-th of those of a hash: its halves make as many as are needed (A. Kirsch and M. Mitzenmacher, "Less Hashing, Same
// Performance: Building a Better Bloom Filter", 2006).
func (f Filter) bit(hash uint64, i uint32) uint64 {
	return uint64(uint32(hash)+i*(uint32(hash>>32)|1)) * uint64(8*len(f)) >> 32
}

// Probe is what is looked for in a filter: what a lexeme or a beginning hashes to, or anything.
type Probe struct {
	hash     uint64
	anything bool
}

// ProbeOf is what a lexeme of a query is looked for by.
func ProbeOf(l service.Lexeme) Probe {
	if !l.Prefix {
		return Probe{hash: maphash.String(lexemeSeed, l.Text)}
	}
	end, ok := beginning([]byte(l.Text))
	return Probe{hash: maphash.String(beginningSeed, l.Text[:end]), anything: !ok}
}

// May tells that a document may have what is looked for.
func (f Filter) May(p Probe) bool { return f != nil && (p.anything || f.has(p.hash)) }
