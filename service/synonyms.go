package service

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// ways are what a synonym is for, and what that is searched as.
func (s Synonym) ways() (from, to []string) {
	if len(s.From) > 0 {
		return s.From, s.To
	}
	return s.Equivalent, s.Equivalent
}

// synonymsOf are those synonyms that a query may have: an entry begins with the first word of one of its terms. An index may have
// many times as many as the lexemes of whose words can be looked up, or remembered.
func synonymsOf(q query.Query, all []Synonym) (list []Synonym) {
	first := map[string]bool{}
	for _, clause := range q.Clauses {
		for _, raw := range clause.Any {
			if words := wordsOf(raw.Text); len(words) > 0 {
				first[words[0]] = true
			}
		}
	}
	for _, syn := range all {
		from, _ := syn.ways()
		if slices.ContainsFunc(from, func(entry string) bool {
			words := wordsOf(entry)
			return len(words) > 0 && first[words[0]]
		}) {
			list = append(list, syn)
		}
	}
	return list
}

// applySynonyms adds to each term of a query's clauses what its synonyms are found by. An entry of several words goes to
// the terms that stand for them one after the other.
func (t *termPlanner) applySynonyms(q query.Query, terms []Term) {
	var texts []string
	var places []int // of the terms; -1 between those that are not one after the other
	part := func() { texts, places = append(texts, ""), append(places, -1) }
	term := 0
	for _, c := range q.Clauses {
		for _, raw := range c.Any {
			if len(c.Any) > 1 {
				part()
			}
			texts, places = append(texts, strings.Join(wordsOf(raw.Text), " ")), append(places, term)
			term++
		}
		if len(c.Any) > 1 {
			part()
		}
	}
	for _, syn := range t.synonyms {
		from, to := syn.ways()
		for _, f := range from {
			entry := strings.Join(wordsOf(f), " ")
			for i := range texts {
				n := spans(texts[i:], entry)
				for j := i; j < i+n; j++ {
					for _, other := range to {
						if strings.Join(wordsOf(other), " ") != entry {
							t.addSynonym(&terms[places[j]], other)
						}
					}
				}
			}
		}
	}
}

// spans tells how many of the first texts together are entry; 0 when they are not.
func spans(texts []string, entry string) int {
	joined := ""
	for i, text := range texts {
		if text == "" {
			return 0
		}
		if joined != "" {
			joined += " "
		}
		joined += text
		if joined == entry {
			return i + 1
		}
		if !strings.HasPrefix(entry, joined) {
			return 0
		}
	}
	return 0
}

func (t *termPlanner) addSynonym(term *Term, text string) {
	words := wordsOf(text)
	for a := range t.analyses {
		sequence := t.textSequence(a, words)
		switch a {
		case mapping.Whole:
			sequence = []Lexeme{{Text: analysis.WholeMark + analysis.Whole(analysis.Fold(text))}}
		case mapping.WholeExact:
			sequence = []Lexeme{{Text: analysis.ExactMark + analysis.Whole(text)}}
		}
		if len(sequence) > 0 {
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: synonymFactor})
		}
	}
}

// textSequence is words as the texts of an analysis have them, nil for those of values.
func (t *termPlanner) textSequence(a mapping.Analysis, words []string) []Lexeme {
	switch {
	case a.Stems():
		return t.stemSequence(words)
	case a == mapping.Plain:
		return plainSequence(words, false)
	default:
		return nil
	}
}
