package service

// WordShares are what words of the index other than the query's own give, as shares that depend on how many documents have
// them. A cursor keeps them: counted anew while documents are being written, they would put the hits in another order.
type WordShares struct {
	// Whole is RelatedWords.WholeShare.
	Whole float64 `json:"w,omitempty"`
	// Near are those of RelatedWords.Near, by the query's word, a space and the word close to it.
	Near map[string]float64 `json:"n,omitempty"`
}

// mayBe reports whether they are shares at all: anybody may have made up a cursor.
func (s *WordShares) mayBe() bool {
	for _, share := range s.Near {
		if share <= 0 || share > 1 {
			return false
		}
	}
	return s.Whole >= 0 && s.Whole <= 1
}

func nearKey(word string, n NearWord) string { return word + " " + n.Word }

// shares returns the shares that the terms were planned with; nil if there are none.
func (t *termPlanner) shares() *WordShares {
	if t.prefix == "" && len(t.related.Near) == 0 {
		return nil
	}
	s := WordShares{Whole: t.wholeShare(), Near: map[string]float64{}}
	for word, list := range t.related.Near {
		for _, n := range list {
			s.Near[nearKey(word, n)] = t.nearShare(word, n)
		}
	}
	return &s
}

// wholeShare returns what words that begin with the query's last word give beside it; 0 if it is no word.
func (t *termPlanner) wholeShare() float64 {
	if t.after != nil && t.after.Shares != nil {
		return t.after.Shares.Whole
	}
	return t.related.WholeShare
}

// nearShare returns what n, a word close to a word of the query, gives.
func (t *termPlanner) nearShare(word string, n NearWord) float64 {
	if t.after != nil && t.after.Shares != nil {
		if share, ok := t.after.Shares.Near[nearKey(word, n)]; ok {
			return share
		}
	}
	return n.Share
}
