package service

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// TitleBonus is what a word in a title with many others adds, as a share of its rarity.
const TitleBonus = 0.25

const (
	// ShortTitle is how many times TitleBonus a word adds on top of that in a title that the query covers.
	ShortTitle = 2
	// NamedTitle is how many times TitleBonus it adds on top of both in a title that the query names.
	NamedTitle = 2
	// mostTitleWords is how many words of a query count for ShortTitle. Questions are longer than titles, and do not name one.
	mostTitleWords = 4
)

// TitleShare returns how many times TitleBonus a word adds in a measured title of length lexemes, for a query that has up to words of them: from
// 1 to 3, or to 5 if the query names the title. It makes "The Kiss" come before longer titles that have these words, too, whatever else the documents
// say. BM25F normalises each field by its own length for the same reason (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and
// Beyond, 2009, section 3.6).
func TitleShare(words, length int, named bool) float64 {
	share := 1 + float64(ShortTitle*min(words, length))/float64(max(length, 1))
	if named {
		share += NamedTitle
	}
	return share
}

// TitleWords returns how many lexemes of a title in f, one of the plan's fields, the query can cover: at most
// mostTitleWords, and 0 for a field that is not measured, whose share is 1.
func (p *Plan) TitleWords(f Field) int { return min(p.TitleLexemes(f), mostTitleWords) }

// TitleLexemes returns the largest number of lexemes of a title in f, one of the plan's fields, that the query can name: one that has something that
// names a title (see Share.Names) for each of the query's words for which NamesTitle holds, and hardly anything else. Where a synonym has fewer
// lexemes than it stands for, the title must, too. It is 0 for a field that is not measured.
func (p *Plan) TitleLexemes(f Field) int {
	if !f.Measured {
		return 0
	}
	if f.Analysis == mapping.IdentifierParts {
		return p.identifierLexemes(f)
	}
	n := 0
	for _, t := range p.Terms {
		if !t.NamesTitle(f) {
			continue
		}
		words := 1
		for _, a := range t.Alternatives[f.Analysis] {
			if a.Factor == 1 {
				words = max(words, len(a.Sequence))
			}
		}
		n += words
	}
	return n
}

// identifierLexemes is TitleLexemes for a field of identifiers: the words of the query may be one, written with spaces. socket io names socket.io.
func (p *Plan) identifierLexemes(f Field) int {
	var words []string
	others := 0 // alternatives of OR
	for _, t := range p.Terms {
		switch {
		case !t.NamesTitle(f):
		case t.either:
			others++
		default:
			words = append(words, t.Text)
		}
	}
	return others + identifierLexemes(strings.Join(words, " "))
}

// identifierLexemes returns how many lexemes an identifier has: the whole, the whole without punctuation, and its parts. #include has two.
func identifierLexemes(text string) int {
	lexemes := slices.Concat(analysis.Terms(text, mapping.IdentifierParts), analysis.Texts(text))
	slices.Sort(lexemes)
	return len(slices.Compact(lexemes))
}

// leastNaming is the smallest factor of alternatives that name a title. A misspelled word does not: the word that is meant may be another one.
const leastNaming = 0.5

// Names reports whether alternatives with a share can name a title.
func (s Share) Names() bool { return s.Factor >= leastNaming }

// NamesTitle reports whether a title in f must have the term for the query to name it. For a part of a word, the word counts.
func (t Term) NamesTitle(f Field) bool {
	return f.Measured && !t.Part && len(t.Alternatives[f.Analysis]) > 0
}
