package service

import (
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// applySynonyms adds to each term of a query's clauses the ways to find its synonyms.
func (t *termPlanner) applySynonyms(terms []Term) {
	words := 0
	for _, term := range terms {
		if !term.Optional {
			words++
		}
	}
	for i, list := range t.synonyms {
		for _, other := range list {
			t.addSynonym(&terms[i], other, words)
		}
	}
}

// addSynonym adds a synonym to a term of a query of the given number of words.
func (t *termPlanner) addSynonym(term *Term, other synonym, query int) {
	longer, fewer := t.longer(other, query)
	stopped := every(analysis.Texts(term.Text), t.stopped) && !every(other.of, t.stopped)
	for a := range t.analyses {
		if stopped && a.Stems() {
			continue // texts with what the synonym is for give nothing for its stop words either
		}
		sequence := t.textSequence(a, other.words)
		switch a {
		case mapping.Whole:
			sequence = []Lexeme{{Text: analysis.WholeMark + analysis.Whole(analysis.Fold(other.written))}}
		case mapping.WholeExact:
			sequence = []Lexeme{{Text: analysis.ExactMark + analysis.Whole(other.written)}}
		}
		if len(sequence) > 0 {
			term.Alternatives[a] = append(term.Alternatives[a], Alternative{Sequence: sequence, Factor: synonymFactor, Longer: longer, Fewer: fewer})
		}
	}
}

// mostSharing is the length of a query whose words a document is likely to have all of: few documents have all of a longer one.
const mostSharing = 4

// longer returns by how many lexemes texts with a synonym would be longer if they had what it is for. The query's other
// words, and those that are in both, as in rock n roll and rock & roll, are found as written, and give more in the
// shorter text: the words that the synonym stands for make up for that, too. fewer is the difference without that. query is how many words the query has.
func (t *termPlanner) longer(other synonym, query int) (n, fewer int) {
	for a := range t.analyses {
		of, words := distinct(t.textSequence(a, other.of)), distinct(t.textSequence(a, other.words))
		own := 0
		for text := range of {
			if !words[text] {
				own++
			}
		}
		if more := len(of) - len(words); more > 0 {
			n, fewer = max(n, (more*max(len(of), min(query, mostSharing))+own-1)/own), max(fewer, more)
		}
	}
	return n, fewer
}

// distinct returns the set of the texts of a sequence.
func distinct(sequence []Lexeme) map[string]bool {
	texts := make(map[string]bool, len(sequence))
	for _, l := range sequence {
		texts[l.Text] = true
	}
	return texts
}

// textSequence returns words as the texts of an analysis have them; nil for an analysis of values.
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
