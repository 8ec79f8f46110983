package service

import (
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/query"
)

// maxTermSynonyms bounds what a term is searched for besides itself: PostgreSQL ranks each found document by each of them, and a
// thousand for one word take a third of a second for 2,000 documents.
const maxTermSynonyms = 200

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
			texts, places = append(texts, strings.Join(analysis.Texts(raw.Text), " ")), append(places, term)
			term++
		}
		if len(c.Any) > 1 {
			part()
		}
	}
	added := make([]int, len(terms))
	for _, syn := range t.synonyms {
		for i := range texts {
			n := spans(texts[i:], syn.text)
			for j := i; j < i+n; j++ {
				for _, other := range syn.to {
					if other.text != syn.text && added[places[j]] < maxTermSynonyms {
						added[places[j]]++
						t.addSynonym(&terms[places[j]], other)
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

func (t *termPlanner) addSynonym(term *Term, other synonymText) {
	for a := range t.analyses {
		sequence := t.textSequence(a, other.words)
		switch a {
		case mapping.Whole:
			sequence = []Lexeme{{Text: analysis.WholeMark + analysis.Whole(analysis.Fold(other.written))}}
		case mapping.WholeExact:
			sequence = []Lexeme{{Text: analysis.ExactMark + analysis.Whole(other.written)}}
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
