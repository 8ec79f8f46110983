package lexemes

import (
	"math/rand/v2"
	"testing"
)

// A lexeme with only one or two bits would be found in many documents that do not have it.
func TestLexemesHaveSeveralBits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	f := make(Filter, 42)
	for range 100_000 {
		hash, bits := r.Uint64(), map[uint64]bool{}
		for i := range uint32(filterHashes) {
			bits[f.bit(hash, i)] = true
		}
		if len(bits) < 3 {
			t.Fatalf("%x has only the bits %v", hash, bits)
		}
	}
}
