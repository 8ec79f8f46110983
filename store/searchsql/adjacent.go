package searchsql

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/tsquery"
)

// maxNeighbours bounds the pairs of adjacent words that are looked for.
const maxNeighbours = 8

// Neighbours returns, by analysis, the phrases of words that are adjacent in the query.
func (b *Builder) Neighbours() map[mapping.Analysis][]service.Alternative {
	if b.pairs != nil {
		return b.pairs
	}
	pairs := map[mapping.Analysis][]service.Alternative{}
	for i := 1; i < len(b.Plan.Terms) && i <= maxNeighbours; i++ {
		for _, f := range b.Plan.Fields {
			first, second := asWritten(b.Plan.Terms[i-1], f.Analysis), asWritten(b.Plan.Terms[i], f.Analysis)
			if first == "" || second == "" {
				continue
			}
			pair := service.Alternative{Sequence: []service.Lexeme{{Text: first}, {Text: second}}}
			if !slices.ContainsFunc(pairs[f.Analysis], func(p service.Alternative) bool { return slices.Equal(p.Sequence, pair.Sequence) }) {
				pairs[f.Analysis] = append(pairs[f.Analysis], pair)
			}
		}
	}
	b.pairs = pairs
	return pairs
}

// asWritten returns the lexeme of a term that is a single word; "" if the term is anything else, or if its lexeme has no position in a text.
func asWritten(t service.Term, a mapping.Analysis) string {
	for _, one := range t.Alternatives[a] {
		if one.Factor == 1 && !t.Part && isWord(one) && !one.Sequence[0].Prefix && !tsquery.IsWhole(one.Sequence[0].Text) {
			return one.Sequence[0].Text
		}
	}
	return ""
}

// adjacent returns the condition that words adjacent in the query are also adjacent in a field; "" if there are none.
func (b *Builder) adjacent() string {
	pairs := b.Neighbours()
	var tests []string
	for _, f := range b.Plan.Fields {
		if list := pairs[f.Analysis]; len(list) > 0 {
			tests = append(tests, b.Vector(f)+" @@ "+b.Args.Add(tsquery.Any(list, true), "tsquery"))
		}
	}
	if len(tests) == 0 {
		return ""
	}
	return "(" + strings.Join(tests, " OR ") + ")"
}
