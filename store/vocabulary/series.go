package vocabulary

import (
	"context"
	"math"
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
)

// Several words may be written without any space: lordoftherings. Of all ways to divide such a word, the most likely one counts, as if the words of the
// index followed each other by chance (Norvig, 2009). Whether they follow each other in documents is for the search to find out.

const (
	// mostSeries is the maximum number of words of such a word, each of which has up to mostOfSeries letters.
	mostSeries, mostOfSeries = 6, 20
	// ofLetter is in how many documents a single letter is taken to be: vocabularies do not have them.
	ofLetter = 1
)

// AddSeries adds the words that each of the asked words may be that no document has, that is no misspelling, unfinished or two words.
func (found *Found) AddSeries(ctx context.Context, ix Index, r table.Relations, asked service.AskedWords) error {
	found.Series = map[string][]string{}
	for i, word := range asked.Words {
		_, split := found.Split[word]
		begun := word == asked.Prefix && len(found.Completions) > 0
		if split || begun || found.Documents[i] > 0 || len(found.Near[i])+len(found.Parted[word]) > 0 || !service.MayBeCompound(word) {
			continue
		}
		documents, err := found.within(ctx, ix, r, word)
		if err != nil {
			return err
		}
		if words := likeliestSeries([]rune(word), documents, found.All); len(words) > 1 {
			found.Series[word] = words
		}
	}
	return nil
}

// within returns the words that are parts of a word, stop words included, with their documents.
func (found *Found) within(ctx context.Context, ix Index, r table.Relations, word string) (map[string]int64, error) {
	letters := []rune(word)
	var parts []string
	for from := range letters {
		for to := from + 2; to <= min(len(letters), from+mostOfSeries); to++ {
			parts = append(parts, string(letters[from:to]))
		}
	}
	documents, err := found.counted(ctx, ix, r, parts)
	if err != nil {
		return nil, err
	}
	for _, letter := range letters {
		documents[string(letter)] = ofLetter
	}
	return documents, nil
}

// likeliestSeries returns the words that are most likely to follow each other as the letters do, given in how many of all documents each is; nil if there
// are none.
func likeliestSeries(letters []rune, documents map[string]int64, all int64) []string {
	type way struct {
		likely float64
		words  []string
	}
	best := make([]way, len(letters)+1) // of the letters up to each place
	for to := 1; to <= len(letters); to++ {
		for from := max(0, to-mostOfSeries); from < to; from++ {
			part := string(letters[from:to])
			if documents[part] <= 0 || from > 0 && best[from].words == nil || len(best[from].words) == mostSeries {
				continue
			}
			likely := best[from].likely + math.Log(float64(documents[part])/float64(max(all, documents[part])+1))
			if best[to].words == nil || likely > best[to].likely {
				best[to] = way{likely, append(slices.Clip(best[from].words), part)}
			}
		}
	}
	return best[len(letters)].words
}
