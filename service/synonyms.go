package service

import (
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// applySynonyms adds to each term of a query's clauses what its synonyms are found by.
func (t *termPlanner) applySynonyms(terms []Term) {
	for i, list := range t.synonyms {
		for _, other := range list {
			t.addSynonym(&terms[i], other)
		}
	}
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
