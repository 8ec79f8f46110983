package service

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
)

// Dimensions are written as one word, with spaces, or with a sign that is no letter: 135x200, 135 x 200, 135×200.

// maxFactors bounds the factors of a product.
const maxFactors = 4

// product is numbers with an x or × between each two.
type product struct {
	factors [][]string // the words of each: 1.5 is two
	signed  bool       // a sign was read last
	places  []int      // the places of its terms among all, without a × that stands alone
	words   [][]string // the words of each of these terms
	begun   bool       // the last number may go on
}

// forms returns the ways to write a product: as one word, and with an x between spaces. If a number has a point,
// its last part is one word with what follows: 1.5x2 is 1 and 5x2. There is no form for ×: it is no word, so
// documents with a × have only the numbers, as for 2.5, which nobody means by 2x5.
func (p *product) forms() [][]string {
	joined, apart := slices.Clone(p.factors[0]), slices.Clone(p.factors[0])
	for _, factor := range p.factors[1:] {
		joined[len(joined)-1] += "x" + factor[0]
		joined = append(joined, factor[1:]...)
		apart = append(append(apart, "x"), factor...)
	}
	return [][]string{joined, apart}
}

// eachProduct yields the products of a query.
func eachProduct(q query.Query, yield func(*product)) {
	p := &product{}
	end := func() {
		if len(p.factors) > 1 {
			yield(p)
		}
		p = &product{}
	}
	place := 0
	for _, clause := range q.Clauses {
		for _, raw := range clause.Any {
			alone := len(clause.Any) > 1 || raw.Phrase
			if alone {
				end()
			}
			if !raw.Phrase {
				for i, text := range factorsOf(raw.Text) {
					if i > 0 && !p.sign() || !p.number(text) {
						end()
						p.number(text)
					}
				}
				p.term(raw, place)
			}
			if alone {
				end()
			}
			place++
		}
	}
	end()
}

// sign reads an x or ×, and reports whether it may be part of the product.
func (p *product) sign() bool {
	n := len(p.factors)
	fits := n > 0 && n < maxFactors && !p.signed && isDigitAt(p.factors[n-1], false)
	p.signed = true
	return fits
}

// number reads what stands before, between or after signs, which may be nothing, and reports whether it may be part of the product.
func (p *product) number(text string) bool {
	if text == "" {
		return true
	}
	words := numberOf(text)
	if len(words) == 0 || p.signed != (len(p.factors) > 0) || !isDigitAt(words, p.signed) {
		return false
	}
	p.factors, p.signed = append(p.factors, words), false
	return true
}

// term records the term that was read last.
func (p *product) term(raw query.Term, place int) {
	if words := analysis.Texts(raw.Text); len(p.factors) > 0 && len(words) > 0 {
		p.places, p.words = append(p.places, place), append(p.words, words)
	}
	p.begun = raw.Prefix && !finished(raw) && !p.signed
}

// factorsOf returns the parts of a term between its signs: × anywhere, an x between digits or alone.
func factorsOf(text string) (parts []string) {
	if strings.EqualFold(text, "x") {
		return []string{"", ""}
	}
	runes, start := []rune(text), 0
	for i, r := range runes {
		if r == '×' || (r == 'x' || r == 'X') && i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1]) {
			parts, start = append(parts, string(runes[start:i])), i+1
		}
	}
	return append(parts, string(runes[start:]))
}

// numberOf returns the words of a text if there are only points between them.
func numberOf(text string) []string {
	words := analysis.Words(text)
	for i := 1; i < len(words); i++ {
		if words[i].Start < words[i-1].End || !isPoint(text[words[i-1].End:words[i].Start]) {
			return nil
		}
	}
	return analysis.Texts(text)
}

// isDigitAt reports whether words begin or, if first is false, end with a digit.
func isDigitAt(words []string, first bool) bool {
	if first {
		return unicode.IsDigit([]rune(words[0])[0])
	}
	last := []rune(words[len(words)-1])
	return unicode.IsDigit(last[len(last)-1])
}

// hasRun reports whether list contains words one after the other.
func hasRun(list, words []string) bool {
	for i := range list {
		if len(list)-i >= len(words) && slices.Equal(list[i:i+len(words)], words) {
			return true
		}
	}
	return false
}
