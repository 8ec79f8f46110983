package searchsql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/tsquery"
)

// ts_rank of one lexeme with equal weights is the sum of 1/j² for j from 1 to its frequency tf, divided by the limit of the series (π²/6). The rest
// of the series is about 1/(tf+½), so the frequency follows from the rank without reading the positions again. Its error is below 0.06; the last
// constant, exact to the last bit, makes it exactly 0 for no occurrence, whatever the weight of the field.
const frequencyOf = "(1 / (1.64493407 - 1.64493407 * %s) - 0.6079271006892089)"

// frequencyOfSeveral is the frequency of several lexemes together, from the sum of their ranks. A single one has a rank below 1.1; two have at least
// twice 0.608. For two or more, the frequency is the sum divided by the rank of one occurrence: the number of occurrences if each lexeme occurs once,
// less otherwise.
const frequencyOfSeveral = "CASE WHEN %[1]s < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(%[1]s, 0.99)) - 0.6079271006892089 ELSE 1.64493407 * %[1]s END"

// lexemeRank is the ts_rank of a lexeme in a field, or the sum of the ranks of several.
type lexemeRank struct {
	vector, query string
	lexemes       int
	several       bool
}

// Shares returns the distinct shares of a term's alternatives, largest first. Each is a group of its own: the factor applies to the contribution to
// the score, not to the frequency, so that the word as written contributes more than a similar one, however often that occurs.
func Shares(t service.Term) []service.Share {
	var list []service.Share
	for _, alternatives := range t.Alternatives {
		for _, a := range alternatives {
			if s := a.Share(); !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(a, b service.Share) int {
		return cmp.Or(cmp.Compare(b.Factor, a.Factor), a.Longer-b.Longer, a.Fewer-b.Fewer)
	})
	return list
}

// frequency returns how often the alternatives of one share occur in a row, weighted by field: in the fields that are not measured titles, and in
// measured titles, there divided by their TitleK. Each is "" if there are none.
func (b *Builder) frequency(t service.Term, of service.Share) (body, titles string) {
	var inBody, inTitles []string
	for _, f := range b.Plan.Fields {
		one := b.alternatives(f, t, of)
		switch {
		case one == "":
		case f.Measured:
			inTitles = append(inTitles, fmt.Sprintf("%g * %s / %s", f.Weight, one, b.titleK(f, of.Longer)))
		default:
			inBody = append(inBody, fmt.Sprintf("%g * %s", f.Weight, one))
		}
	}
	return strings.Join(inBody, " + "), strings.Join(inTitles, " + ")
}

// frequencyColumns returns the names of the columns with the frequency of a group, the g-th of the i-th term: "" if it has none.
func (b *Builder) frequencyColumns(i, g int, t service.Term, of service.Share) (body, titles string) {
	for _, f := range b.Plan.Fields {
		words, phrases := AlternativesOf(f, t, of)
		switch {
		case len(words)+len(phrases) == 0:
		case f.Measured:
			titles = fmt.Sprintf("title%d_%d", i, g)
		default:
			body = fmt.Sprintf("tf%d_%d", i, g)
		}
	}
	return body, titles
}

// alternatives returns the frequency in a field of the alternatives of one share; "" if there are none. Words that are only similar to the query's
// are counted together. Of the ways to find the word itself, the most frequent one counts: two of them may find the same occurrence.
func (b *Builder) alternatives(f service.Field, t service.Term, of service.Share) string {
	var parts []string
	words, others := AlternativesOf(f, t, of)
	if of.Factor != 1 && len(words) > 0 {
		parts = append(parts, b.wordFrequency(b.Vector(f), words...))
	} else {
		others = slices.Concat(words, others)
	}
	for _, a := range others {
		parts = append(parts, b.sequence(b.Vector(f), a))
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return "greatest(" + strings.Join(parts, ", ") + ")"
}

// AlternativesOf returns the alternatives of a share in a field: single words, and phrases.
func AlternativesOf(f service.Field, t service.Term, of service.Share) (words, phrases []service.Alternative) {
	for _, a := range t.Alternatives[f.Analysis] {
		switch {
		case a.Share() != of:
		case isWord(a):
			words = append(words, a)
		default:
			phrases = append(phrases, a)
		}
	}
	return words, phrases
}

// wordFrequency returns how often any of the words occurs in a field.
func (b *Builder) wordFrequency(vector string, words ...service.Alternative) string {
	rank, several := b.rank(vector, words...)
	if several {
		return fmt.Sprintf(frequencyOfSeveral, rank)
	}
	return fmt.Sprintf(frequencyOf, rank)
}

// sequence returns the frequency of a lexeme or, where a phrase occurs, of its rarest lexeme.
func (b *Builder) sequence(vector string, a service.Alternative) string {
	parts := make([]string, len(a.Sequence))
	for i, l := range a.Sequence {
		parts[i] = b.wordFrequency(vector, service.Alternative{Sequence: []service.Lexeme{l}})
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "CASE WHEN " + vector + " @@ " + b.Args.Add(tsquery.Sequence(a, true), "tsquery") + " THEN least(" + strings.Join(parts, ", ") + ") ELSE 0 END"
}

// rank returns the ts_rank of a word in a field, or the sum of the ranks of several words, which may be above 1.
func (b *Builder) rank(vector string, words ...service.Alternative) (rank string, several bool) {
	query := tsquery.Any(words, false)
	r := lexemeRank{vector: vector, query: query, lexemes: 1, several: words[0].Sequence[0].Prefix}
	if len(words) > 1 {
		seen := map[string]bool{}
		for _, w := range words {
			seen[w.Sequence[0].Text] = true
		}
		r.lexemes, r.several = len(seen), true
	}
	if b.inline {
		return b.rankOf(r), r.several
	}
	i := slices.Index(b.ranks, r)
	if i < 0 {
		i = len(b.ranks)
		b.ranks = append(b.ranks, r)
	}
	return fmt.Sprintf("%s.r%d", rankTable(i), i), r.several
}

// maxColumns is below the 1,664 columns that a SELECT of PostgreSQL may have.
const maxColumns = 1600

// rankTable returns the name of the row that has the i-th rank.
func rankTable(i int) string {
	if i < maxColumns {
		return "rank"
	}
	return fmt.Sprintf("rank%d", i/maxColumns)
}

// rankOf returns the SQL of a rank. ts_rank of several lexemes joined by OR is the mean of their ranks.
func (b *Builder) rankOf(r lexemeRank) string {
	rank := "ts_rank('{1,1,1,1}', " + r.vector + ", " + b.Args.Add(r.query, "tsquery") + ")::float8"
	if r.lexemes > 1 {
		rank = b.Args.Add(r.lexemes, "int") + " * " + rank
	}
	return rank
}

// lateral computes the ranks of a row, each once. A field without any of the query's lexemes, as most short fields are, is only tested for that,
// which saves most of the ranks. Whether the query names a title is determined once, too. OFFSET 0 keeps the planner from copying both into each of their uses.
func (b *Builder) lateral() string {
	if len(b.ranks) == 0 {
		return ""
	}
	lexemes := map[string][]string{}
	for _, r := range b.ranks {
		lexemes[r.vector] = append(lexemes[r.vector], r.query)
	}
	var flags []string
	flag := map[string]string{}
	for _, f := range b.Plan.Fields {
		vector := b.Vector(f)
		long := f.Name != "" && f.Weight <= 1
		if _, done := flag[vector]; !done && !long && len(lexemes[vector]) > 1 {
			flag[vector] = fmt.Sprintf("has.f%d", len(flags))
			flags = append(flags, fmt.Sprintf("%s @@ %s AS f%d", vector, b.Args.Add(strings.Join(lexemes[vector], " | "), "tsquery"), len(flags)))
		}
	}
	for i, f := range b.named {
		flags = append(flags, fmt.Sprintf("%s AS named%d", b.isNamed(f), i))
	}
	ranks := make([]string, len(b.ranks))
	for i, r := range b.ranks {
		ranks[i] = b.rankOf(r)
		if f, ok := flag[r.vector]; ok {
			ranks[i] = "CASE WHEN " + f + " THEN " + ranks[i] + " ELSE 0 END"
		}
		ranks[i] += fmt.Sprintf(" AS r%d", i)
	}
	var sql string
	if len(flags) > 0 {
		sql = "\n  CROSS JOIN LATERAL (SELECT " + strings.Join(flags, ", ") + " OFFSET 0) has"
	}
	for i := 0; i < len(ranks); i += maxColumns {
		sql += "\n  CROSS JOIN LATERAL (SELECT " + strings.Join(ranks[i:min(i+maxColumns, len(ranks))], ",\n    ") + " OFFSET 0) " + rankTable(i)
	}
	return sql
}

func isWord(a service.Alternative) bool { return len(a.Sequence) == 1 }
