package searchsql

import (
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/tsquery"
)

// looksAt reports whether rows are examined for a term.
func (b *Builder) looksAt(t service.Term) bool {
	return t.Looked && b.among == nil && b.Plan.Match != service.MatchAny
}

// inRow returns the condition that a row has one of the lexemes of a term that is no phrase, in any field, as the index would find it.
func (b *Builder) inRow(t service.Term) string {
	return b.inVectors(tsquery.InIndex(t, b.Plan.Fields, nil))
}

// inVectors returns the condition that a row has one of some lexemes in any field. Joining the vectors of a row for that, as the index does, takes
// ten times as long.
func (b *Builder) inVectors(anyOf string) string {
	q := b.Args.Add(anyOf, "tsquery")
	tests := b.Vectors()
	for i, column := range tests {
		tests[i] = "t." + column + " @@ " + q
	}
	return "(" + strings.Join(tests, " OR ") + ")"
}
