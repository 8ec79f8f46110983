package highlight_test

import (
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// BenchmarkPage highlights ten hits of 150 words each.
func BenchmarkPage(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over lazy dogs and ships sail to the far ", 11)
	stems := map[string][]string{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		stems[w] = english(w)
	}
	m := terms("ship", "dog|hound", "quick brown", "fa*")
	b.ReportAllocs()
	for b.Loop() {
		for range 10 {
			highlight.FieldOf([]string{text}, highlight.Spec{Analysis: mapping.Stemmed, Matcher: m}, func(w string) []string { return stems[w] })
		}
	}
}

// BenchmarkLarge highlights a value of 16 MB.
func BenchmarkLarge(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over lazy dogs. ", 400_000)
	m := terms("fox", "lazy dogs")
	b.ReportAllocs()
	for b.Loop() {
		highlight.FieldOf([]string{text}, highlight.Spec{Analysis: mapping.Plain, Matcher: m}, nil)
	}
}
