package searchsql

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/tsquery"
)

// maxNeighbours bounds the pairs of words that are looked for next to each other.
const maxNeighbours = 8

// Neighbours are the phrases, by analysis, of words that follow each other in the query.
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

// asWritten is the lexeme of a term that is one word, "" where it is not, or where it has no place in a text.
func asWritten(t service.Term, a mapping.Analysis) string {
	for _, one := range t.Alternatives[a] {
		if one.Factor == 1 && !t.Part && isWord(one) && !one.Sequence[0].Prefix && !tsquery.IsWhole(one.Sequence[0].Text) {
			return one.Sequence[0].Text
		}
	}
	return ""
}

// adjacent tells whether words that follow each other in the query do so in a field; "" where it has none.
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
