package searchsql

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/tsquery"
)

// Parts of K in BM25F's saturation x / (x + 1), where x is the sum of tf / K over the fields. For measured titles, K depends on the length of the title
// (its number of distinct lexemes) relative to titleLength, for all other fields on that of the document relative to the mean. They are k1·(1-b) and
// k1·b with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, section 3.6).
const (
	// SaturationBase is the part of K that does not depend on a length.
	SaturationBase   = 0.3
	saturationLength = 0.9
	// titleLength is the length of a title that counts as a mean one. It is the same for all indices: what a name says does not depend on how long the
	// other names are.
	titleLength = 10
	// LongestTitle is the length in lexemes above which a title does not count as longer: it is a list of names rather than one.
	LongestTitle = 20
)

// TitleK returns K of a measured title of the given number of lexemes.
func TitleK(lexemes int) float64 {
	return SaturationBase + float64(saturationLength/titleLength*float64(min(lexemes, LongestTitle)))
}

// Rarity returns the rarity of a word that n of the documents have: ln(1 + (N - n + ½) / (n + ½)), the idf of BM25 as in Lucene, never negative.
func Rarity(n, documents int64) float64 {
	return math.Log(1 + (float64(documents-n)+0.5)/(float64(n)+0.5))
}

// DocumentsOf is the inverse of Rarity: it returns how many of the documents have a word of the given rarity.
func DocumentsOf(rarity float64, documents int64) float64 {
	return float64(documents+1)/math.Exp(rarity) - 0.5
}

// HasBonus reports whether a term can be found in a title.
func (b *Builder) HasBonus(t service.Term) bool {
	return slices.ContainsFunc(b.Plan.Fields, func(f service.Field) bool {
		return f.Title && len(t.Alternatives[f.Analysis]) > 0
	})
}

// bonus returns the best rank of a term in a title, times the title's share. The rank of a phrase is that of its rarest lexeme.
func (b *Builder) bonus(t service.Term) string {
	var ranks []string
	for _, f := range b.Plan.Fields {
		if !f.Title {
			continue
		}
		for _, of := range Shares(t) {
			share := ""
			if f.Measured {
				share = " * " + b.titleShare(f, of.Longer)
			}
			words, phrases := AlternativesOf(f, t, of)
			if of.Factor != 1 && len(words) > 0 {
				rank, several := b.rank(b.Vector(f), words...)
				if several {
					rank = "least(" + rank + ", 1)"
				}
				ranks = append(ranks, fmt.Sprintf("%g * %s", of.Factor, rank)+share)
			} else {
				for _, w := range words {
					rank, _ := b.rank(b.Vector(f), w)
					ranks = append(ranks, rank+share)
				}
			}
			for _, a := range phrases {
				ranks = append(ranks, fmt.Sprintf("%g * %s", of.Factor, b.phraseRank(b.Vector(f), a))+share)
			}
		}
	}
	return "greatest(" + strings.Join(ranks, ", ") + ")"
}

// lengthOf returns the length of a field, increased by longer lexemes.
func (b *Builder) lengthOf(f service.Field, longer int) string {
	length := "length(" + b.Vector(f) + ")"
	if longer > 0 {
		length += fmt.Sprintf(" + %d", longer)
	}
	return length
}

// titleK returns TitleK of a field whose length is increased by longer lexemes.
func (b *Builder) titleK(f service.Field, longer int) string {
	return fmt.Sprintf("(%g + %g::float8 * least(%s, %d))", SaturationBase, saturationLength/titleLength, b.lengthOf(f, longer), LongestTitle)
}

// titleShare returns service.TitleShare of a field whose length is increased by longer lexemes.
func (b *Builder) titleShare(f service.Field, longer int) string {
	length := b.lengthOf(f, longer)
	i := slices.IndexFunc(b.named, func(of service.Field) bool { return of.Name == f.Name })
	if i < 0 {
		i, b.named = len(b.named), append(b.named, f)
	}
	return fmt.Sprintf("(1 + (%d * least(%d, %[3]s))::float8 / greatest(%[3]s, 1) + CASE WHEN has.named%[4]d THEN %[5]d ELSE 0 END)",
		service.ShortTitle, b.Plan.TitleWords(f), length, i, service.NamedTitle)
}

// isNamed returns the condition that the query names a measured title.
func (b *Builder) isNamed(f service.Field) string {
	names := func(a service.Alternative) bool { return a.Share().Names() }
	for _, t := range b.Plan.Terms {
		if t.NamesTitle(f) && !slices.ContainsFunc(t.Alternatives[f.Analysis], names) {
			return "false" // decided before any parameter is added: PostgreSQL refuses one that the statement does not use
		}
	}
	most := b.Plan.TitleLexemes(f)
	tests := []string{fmt.Sprintf("length(%s) <= %d", b.Vector(f), most)}
	for _, t := range b.Plan.Terms {
		if !t.NamesTitle(f) {
			continue
		}
		byLength := map[int][]service.Alternative{} // by how many lexemes fewer the title may have
		for _, a := range t.Alternatives[f.Analysis] {
			if names(a) {
				byLength[a.Fewer] = append(byLength[a.Fewer], a)
			}
		}
		var ways []string
		for _, fewer := range slices.Sorted(maps.Keys(byLength)) {
			way := b.Vector(f) + " @@ " + b.Args.Add(tsquery.Any(byLength[fewer], true), "tsquery")
			if fewer > 0 {
				way = fmt.Sprintf("%s <= %d AND %s", b.lengthOf(f, fewer), most, way)
			}
			ways = append(ways, way)
		}
		tests = append(tests, "("+strings.Join(ways, " OR ")+")")
	}
	return strings.Join(tests, " AND ")
}

// phraseRank returns the smallest rank of a phrase's lexemes where the phrase occurs.
func (b *Builder) phraseRank(vector string, a service.Alternative) string {
	parts := make([]string, len(a.Sequence))
	for i, l := range a.Sequence {
		rank, several := b.rank(vector, service.Alternative{Sequence: []service.Lexeme{l}})
		if several {
			rank = "least(" + rank + ", 1)"
		}
		parts[i] = rank
	}
	return "CASE WHEN " + vector + " @@ " + b.Args.Add(tsquery.Sequence(a, true), "tsquery") + " THEN least(" + strings.Join(parts, ", ") + ") ELSE 0 END"
}

func (b *Builder) saturation() string {
	lengths := make([]string, len(b.Plan.Fields))
	for i, f := range b.Plan.Fields {
		lengths[i] = b.lengthOf(f, 0)
	}
	return fmt.Sprintf("%g + %s * (%s)", SaturationBase, b.number(b.Ranking.PerLexeme()), strings.Join(lengths, " + "))
}

// PerLexeme returns what each lexeme of a document adds to K.
func (r Ranking) PerLexeme() float64 { return saturationLength / max(r.AverageLength, 1) }

// Longer returns what additional lexemes would add to K.
func (r Ranking) Longer(lexemes int) float64 { return r.PerLexeme() * float64(lexemes) }

func (b *Builder) score() string {
	if len(b.Plan.Terms) == 0 {
		return "0::float8"
	}
	parts := make([]string, len(b.Plan.Terms))
	for i, t := range b.Plan.Terms {
		parts[i] = fmt.Sprintf("%s * (%s", b.number(t.Weight()), b.saturated("", i, t))
		if b.HasBonus(t) {
			parts[i] += fmt.Sprintf(" + %g * bonus%d", service.TitleBonus, i)
		}
		parts[i] += ")"
	}
	score := "_boost * (" + strings.Join(parts, " + ") + ")"
	if len(b.Neighbours()) > 0 {
		score += fmt.Sprintf(" * CASE WHEN near THEN %g ELSE 1 END", 1+service.AdjacentShare)
	}
	return score
}

// saturated returns what the best group of a term contributes, from 0 to 1.
func (b *Builder) saturated(prefix string, i int, t service.Term) string {
	var groups []string
	for g, of := range Shares(t) {
		var sum []string
		body, titles := b.frequencyColumns(i, g, t, of)
		if body != "" {
			k := prefix + "k"
			if of.Longer > 0 {
				k = "(" + k + " + " + b.number(b.Ranking.Longer(of.Longer)) + ")"
			}
			sum = append(sum, prefix+body+" / "+k)
		}
		if titles != "" {
			sum = append(sum, prefix+titles)
		}
		if len(sum) == 0 {
			continue
		}
		group := "(1 - 1 / (1 + (" + strings.Join(sum, " + ") + ")))" // x / (x + 1)
		if of.Factor != 1 {
			group = fmt.Sprintf("%g * %s", of.Factor, group)
		}
		groups = append(groups, group)
	}
	switch len(groups) {
	case 0:
		return "0"
	case 1:
		return groups[0]
	}
	return "greatest(" + strings.Join(groups, ", ") + ")"
}

// has returns the condition that a row has a term.
func (b *Builder) has(i int, t service.Term) string {
	var groups []string
	for g, of := range Shares(t) {
		body, titles := b.frequencyColumns(i, g, t, of)
		for _, column := range []string{body, titles} {
			if column != "" {
				groups = append(groups, column+" > 0")
			}
		}
	}
	if len(groups) == 0 {
		return "false"
	}
	return "(" + strings.Join(groups, " OR ") + ")"
}

// every returns the condition that a row has all required words.
func (b *Builder) every() string {
	if b.Plan.Match != service.MatchAny {
		return "true"
	}
	var tests []string
	for i, t := range b.Plan.Terms {
		if !t.Optional {
			tests = append(tests, b.has(i, t))
		}
	}
	if len(tests) == 0 {
		return "true"
	}
	return strings.Join(tests, " AND ")
}

// threshold keeps the rows whose words carry enough of the query's rarity. If no document has any of the words that carry some, one word is enough.
func (b *Builder) threshold() string {
	p := b.Plan
	if p.Match != service.MatchAny || len(p.Terms) == 0 {
		return ""
	}
	var found, all []string
	least := p.LeastCarried()
	for i, t := range p.Terms {
		all = append(all, b.has(i, t))
		if !t.Carries() || least == 0 {
			continue
		}
		found = append(found, fmt.Sprintf("CASE WHEN %s THEN %s ELSE 0 END", b.has(i, t), b.number(t.CarriedWeight())))
	}
	if least == 0 {
		return "(" + strings.Join(all, " OR ") + ")"
	}
	return strings.Join(found, " + ") + " >= " + b.number(least)
}
