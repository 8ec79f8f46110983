package service

// TitleBonus is what a word in a title with many others adds, as a share of its rarity.
const TitleBonus = 0.25

const (
	// ShortTitle is how many times TitleBonus a word adds on top of that in a title that the query covers.
	ShortTitle = 2
	// mostTitleWords is how many words of a query count for that. Questions are longer than titles, and do not name one.
	mostTitleWords = 4
)

// TitleShare returns how many times TitleBonus a word adds in a measured title of length lexemes, for a query that has up to words of them: from
// 1 to 3. It makes "The Kiss" come before longer titles that have these words, too, whatever else the documents say. BM25F normalises each field
// by its own length for the same reason (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, section 3.6).
func TitleShare(words, length int) float64 {
	return 1 + float64(ShortTitle*min(words, length))/float64(max(length, 1))
}

// TitleWords returns how many lexemes of a title in f, one of the plan's fields, the query can cover: at most
// mostTitleWords, and 0 for a field that is not measured, whose share is 1.
func (p *Plan) TitleWords(f Field) int {
	if !f.Measured {
		return 0
	}
	n := 0
	for _, t := range p.Terms {
		if t.Part {
			continue // the word that it is part of counts
		}
		words := 0
		for _, a := range t.Alternatives[f.Analysis] {
			if words = max(words, 1); a.Factor == 1 {
				words = max(words, len(a.Sequence))
			}
		}
		n += words
	}
	return min(n, mostTitleWords)
}
