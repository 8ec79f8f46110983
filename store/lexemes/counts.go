package lexemes

import (
	"fmt"
	"slices"
	"strings"
)

// Counts maps lexemes to numbers of documents, in a third of the memory of a map: an index may count tens of thousands of lexemes.
type Counts struct {
	text string   // the lexemes in byte order, concatenated
	ends []uint32 // ends of the lexemes in text
	// Documents are the counts, in the order of the lexemes.
	Documents []int64
}

// NewCounts returns the counts of lexemes, which must be in byte order. It keeps counts.
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

// Lexeme returns the i-th lexeme, from 0.
func (c Counts) Lexeme(i int) string {
	if i == 0 {
		return c.text[:c.ends[0]]
	}
	return c.text[c.ends[i-1]:c.ends[i]]
}

// All returns the lexemes in byte order.
func (c Counts) All() []string {
	all := make([]string, len(c.ends))
	for i := range all {
		all[i] = c.Lexeme(i)
	}
	return all
}

// Bytes returns the approximate size in memory.
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
