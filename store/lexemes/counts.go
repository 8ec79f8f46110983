package lexemes

import (
	"fmt"
	"slices"
	"strings"
)

// Counts are how many documents have each of some lexemes, in a third of the memory that a map takes: an index may
// count tens of thousands.
type Counts struct {
	text string   // the lexemes, in the order of their bytes, one after the other
	ends []uint32 // of each in text
	// Documents are the counts, in the order of the lexemes.
	Documents []int64
}

// NewCounts takes lexemes in the order of their bytes with their counts, which it keeps.
func NewCounts(lexemes []string, counts []int64) (Counts, error) {
	if len(lexemes) != len(counts) || !slices.IsSorted(lexemes) {
		return Counts{}, fmt.Errorf("lexemes: %d counts of %d lexemes, sorted: %t", len(counts), len(lexemes), slices.IsSorted(lexemes))
	}
	c := Counts{text: strings.Join(lexemes, ""), ends: make([]uint32, len(lexemes)), Documents: counts}
	end := 0
	for i, l := range lexemes {
		end += len(l)
		c.ends[i] = uint32(end)
	}
	return c, nil
}

// Lexeme is the i-th of them, from 0.
func (c Counts) Lexeme(i int) string {
	if i == 0 {
		return c.text[:c.ends[0]]
	}
	return c.text[c.ends[i-1]:c.ends[i]]
}

// All are the lexemes in the order of their bytes.
func (c Counts) All() []string {
	all := make([]string, len(c.ends))
	for i := range all {
		all[i] = c.Lexeme(i)
	}
	return all
}

// Bytes is what they take in memory, about.
func (c Counts) Bytes() int { return len(c.text) + 12*len(c.Documents) }

// Of returns the count of a lexeme; ok is false if it is not counted.
func (c Counts) Of(lexeme string) (n int64, ok bool) {
	low, high := 0, len(c.ends)
	for low < high {
		middle := (low + high) / 2
		switch strings.Compare(c.Lexeme(middle), lexeme) {
		case 0:
			return c.Documents[middle], true
		case -1:
			low = middle + 1
		default:
			high = middle
		}
	}
	return 0, false
}
