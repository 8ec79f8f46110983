package service

import (
	"slices"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// The words of a page with much text are not all kept at once: they take up to a hundred times as much memory as the text.
func TestPartsOfAPage(t *testing.T) {
	t.Parallel()
	field := func(name string, size int) highlightField {
		return highlightField{name: name, values: &highlight.FieldValues{Values: []string{strings.Repeat("x ", size/2)}, Analysis: mapping.Stemmed}}
	}
	fields := [][]highlightField{
		{field("a", 10), field("b", 150_000)}, {field("a", 150_000)}, nil, {field("a", 150_000), field("b", 150_000), field("c", 3_000_000)},
		{field("a", 150_000)}, {field("a", 20)},
	}
	var hits [][]int
	for part := range partsOf(fields) {
		var of []int
		for _, f := range part {
			of = append(of, f.hit)
		}
		hits = append(hits, of)
	}
	want := [][]int{{0, 0, 1, 3, 3}, {3, 4, 5}}
	if !slices.EqualFunc(want, hits, slices.Equal) {
		t.Errorf("got %v, want %v", hits, want)
	}
}
