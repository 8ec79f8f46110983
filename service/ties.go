package service

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/decimal"
	"github.com/rowansearch/rowan/service/mapping"
)

// exactFirst returns the hits of a page, and their fields, in the order in which they are shown. Of hits with the same
// score, those come first that have more words and numbers of the query as written there, then those with more of its
// accents: neither stems nor folded words tell them apart. Then come those that have more of the query's words one after the
// other: scores tell only whether any are. The slices passed in stay in the order of the search, in which cursors continue.
func exactFirst(text string, hits []FoundHit, fields [][]highlightField) ([]FoundHit, [][]highlightField) {
	var words writtenWords
	for i := 0; i < len(hits); {
		j := i + 1
		for j < len(hits) && hits[j].Score == hits[i].Score && sameGroup(hits[i], hits[j]) {
			j++
		}
		if j > i+1 {
			if words.places == nil {
				words = wordsAsWritten(text)
				hits, fields = slices.Clone(hits), slices.Clone(fields)
			}
			settle(words, hits[i:j], fields[i:j])
		}
		i = j
	}
	return hits, fields
}

// sameGroup reports whether both hits have all words, or neither has.
func sameGroup(a, b FoundHit) bool {
	return len(a.Place) == 0 || len(b.Place) == 0 || a.Place[0] == nil || b.Place[0] == nil || *a.Place[0] == *b.Place[0]
}

// writtenWord is a word of a query, folded and as written except for its case. For a number, folded is its normal form.
type writtenWord struct{ folded, accented string }

// writtenWords are the words and numbers of a query, each once. places are the indexes of those that fold alike: a query has room for
// thousands, and each word of each hit is looked for among them. pairs are the pairs of different words that follow each other, each once.
type writtenWords struct {
	list   []writtenWord
	places map[string][]int
	pairs  map[[2]string]int
}

func wordsAsWritten(text string) writtenWords {
	words := writtenWords{places: map[string][]int{}, pairs: map[[2]string]int{}}
	known := map[writtenWord]bool{}
	add := func(word writtenWord) {
		if known[word] {
			return
		}
		known[word] = true
		words.places[word.folded] = append(words.places[word.folded], len(words.list))
		words.list = append(words.list, word)
	}
	before := ""
	for _, w := range analysis.Words(text) {
		add(writtenWord{w.Text, analysis.Accented(text[w.Start:w.End])})
		if pair := [2]string{before, w.Text}; before != "" && before != w.Text && !words.hasPair(pair) {
			words.pairs[pair] = len(words.pairs)
		}
		before = w.Text
	}
	for w := range strings.FieldsSeq(text) {
		if written, ok := analysis.Number(w); ok {
			if number, err := decimal.Canonical(written); err == nil {
				add(writtenWord{number, written})
			}
		}
	}
	return words
}

func (w writtenWords) hasPair(pair [2]string) bool {
	_, ok := w.pairs[pair]
	return ok
}

// eachWritten calls do with the words that a field has, as EachWord does. In fields of numbers it also calls do
// with the numbers themselves, because their digits do not tell them apart.
func eachWritten(f highlightField, do func(folded, written string, first bool)) {
	f.values.EachWord(do)
	if f.values.Analysis != mapping.Digits {
		return
	}
	for _, value := range f.values.Values {
		if number, err := decimal.Canonical(strings.TrimSpace(value)); err == nil {
			do(number, value, true)
		}
	}
}

// agreement is how far a hit has a query as it is written: how many of its words, how many of these with the same accents, and how many pairs of
// words one after the other.
type agreement struct{ exact, accented, inOrder int }

func (a agreement) compare(b agreement) int {
	return cmp.Or(a.exact-b.exact, a.accented-b.accented, a.inOrder-b.inOrder)
}

// settle sorts hits by how far they have the query as it is written.
func settle(words writtenWords, hits []FoundHit, fields [][]highlightField) {
	type tied struct {
		hit    FoundHit
		fields []highlightField
		has    agreement
	}
	list := make([]tied, len(hits))
	for i, h := range hits {
		list[i] = tied{h, fields[i], words.agreement(fields[i])}
	}
	slices.SortStableFunc(list, func(a, b tied) int { return b.has.compare(a.has) })
	for i, t := range list {
		hits[i], fields[i] = t.hit, t.fields
	}
}

// agreement looks for the words and pairs in the fields of a hit.
func (w writtenWords) agreement(fields []highlightField) (a agreement) {
	exact, accented, inOrder := make([]bool, len(w.list)), make([]bool, len(w.list)), make([]bool, len(w.pairs))
	for _, f := range fields {
		before := ""
		eachWritten(f, func(folded, written string, first bool) {
			if first {
				before = ""
			}
			places := w.places[folded]
			if len(places) == 0 {
				before = ""
				return
			}
			if at, ok := w.pairs[[2]string{before, folded}]; ok {
				inOrder[at] = true
			}
			before = folded
			for _, at := range places {
				exact[at] = true
				accented[at] = accented[at] || analysis.Accented(written) == w.list[at].accented
			}
		})
		if f.crowded {
			f.values.Forget()
		}
	}
	return agreement{count(exact), count(accented), count(inOrder)}
}

func count(list []bool) (n int) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}
