package store

import (
	"fmt"
	"slices"
	"strings"
)

// lexemeCounts are how many documents have each of some lexemes, in a third of the memory that a map takes: an index may
// count tens of thousands.
type lexemeCounts struct {
	text   string   // the lexemes, in the order of their bytes, one after the other
	ends   []uint32 // of each in text
	counts []int64
}

// newLexemeCounts takes lexemes in the order of their bytes with their counts, which it keeps.
func newLexemeCounts(lexemes []string, counts []int64) (lexemeCounts, error) {
	if len(lexemes) != len(counts) || !slices.IsSorted(lexemes) {
		return lexemeCounts{}, fmt.Errorf("store: %d counts of %d lexemes, sorted: %t", len(counts), len(lexemes), slices.IsSorted(lexemes))
	}
	c := lexemeCounts{text: strings.Join(lexemes, ""), ends: make([]uint32, len(lexemes)), counts: counts}
	end := 0
	for i, l := range lexemes {
		end += len(l)
		c.ends[i] = uint32(end)
	}
	return c, nil
}

func (c lexemeCounts) lexeme(i int) string {
	if i == 0 {
		return c.text[:c.ends[0]]
	}
	return c.text[c.ends[i-1]:c.ends[i]]
}

func (c lexemeCounts) lexemes() []string {
	all := make([]string, len(c.ends))
	for i := range all {
		all[i] = c.lexeme(i)
	}
	return all
}

// of returns the count of a lexeme; ok is false if it is not counted.
func (c lexemeCounts) of(lexeme string) (n int64, ok bool) {
	low, high := 0, len(c.ends)
	for low < high {
		middle := (low + high) / 2
		switch strings.Compare(c.lexeme(middle), lexeme) {
		case 0:
			return c.counts[middle], true
		case -1:
			low = middle + 1
		default:
			high = middle
		}
	}
	return 0, false
}
