// Package lexemes stores sets of lexemes compactly: which lexemes a document may have, and how many documents have each lexeme.
package lexemes

import (
	"hash/maphash"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/pgbinary"
)

// Filter says which lexemes a document may have, in a quarter of their space: a Bloom filter (B. H. Bloom, "Space/time trade-offs in hash coding with
// allowable errors", 1970) of the lexemes and of their beginnings. About one in fifty lexemes that the document does not have is a false positive. A
// nil Filter has no lexemes.
type Filter []byte

const (
	// filterBytes is the number of bytes for each lexeme and its beginning, filterHashes the number of bits that each of the two sets.
	filterBytes, filterHashes = 2, 5
	// filterBeginning is the length of the beginnings in letters. Longer prefixes of a query are looked up by their first letters; any document may have
	// a shorter one.
	filterBeginning = 3
)

// The seeds differ so that a lexeme is distinguished from an equal beginning.
var lexemeSeed, beginningSeed = maphash.MakeSeed(), maphash.MakeSeed()

// NewFilter returns the filter of a tsvector in PostgreSQL's binary form.
func NewFilter(vector []byte) (Filter, error) {
	f := make(Filter, max(8, filterBytes*pgbinary.CountLexemes(vector)))
	return f, pgbinary.EachLexeme(vector, func(lexeme []byte, _ pgbinary.Occurrences) {
		f.add(maphash.Bytes(lexemeSeed, lexeme))
		if end, ok := beginning(lexeme); ok {
			f.add(maphash.Bytes(beginningSeed, lexeme[:end]))
		}
	})
}

// beginning returns where the beginning of a lexeme ends; ok is false if the lexeme is too short to have one.
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

// bit returns the i-th bit of a hash: the two halves of a hash yield any number of hashes (A. Kirsch and M. Mitzenmacher, "Less Hashing, Same
// Performance: Building a Better Bloom Filter", 2006). As steps of one size lead to few different bits if the size is close to 0 or to half of all, they
// grow (P. C. Dillinger and P. Manolios, "Bloom Filters in Probabilistic Verification", 2004), here by the golden ratio of all bits.
func (f Filter) bit(hash uint64, i uint32) uint64 {
	const growth = 0x9e3779b9
	return uint64(uint32(hash)+i*(uint32(hash>>32)|1)+i*i*growth) * uint64(8*len(f)) >> 32
}

// Probe is what is looked for in a filter: the hash of a lexeme or of a beginning, or anything.
type Probe struct {
	hash     uint64
	anything bool
}

// ProbeOf returns the probe for a lexeme of a query.
func ProbeOf(l service.Lexeme) Probe {
	if !l.Prefix {
		return Probe{hash: maphash.String(lexemeSeed, l.Text)}
	}
	end, ok := beginning([]byte(l.Text))
	return Probe{hash: maphash.String(beginningSeed, l.Text[:end]), anything: !ok}
}

// May reports whether the document may have what is looked for.
func (f Filter) May(p Probe) bool { return f != nil && (p.anything || f.has(p.hash)) }
