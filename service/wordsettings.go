package service

import (
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
)

// maxWordSettings bounds the prepared stop words and entries of synonyms of all indices, of some 250 bytes each. An index has
// 510,000 at the most.
const maxWordSettings = 1 << 20

// wordSettings are the stop words and synonyms of an index, prepared for its queries: it may have ten thousand of each, and more
// words than can be looked up for a search.
type wordSettings struct {
	stop map[string]bool
	// entries are what synonyms are for, in the order of the settings, begun the places of those that begin with a word.
	entries []synonymEntry
	begun   map[string][]int
}

// synonymEntry is one that a query may have, and what is searched for besides. That may have it, too.
type synonymEntry struct {
	text string // its words
	to   []synonymText
}

type synonymText struct {
	written string
	text    string // the words
	words   []string
}

// wordSettings prepares those of ix, once for each version.
func (s *Service) wordSettings(ix *Index) *wordSettings {
	key := versionKey{ix.ID, ix.Version}
	if known, ok := s.words.Get(key); ok {
		return known
	}
	w := prepareWords(ix.Settings)
	s.words.Put(key, w)
	return w
}

func prepareWords(settings IndexSettings) *wordSettings {
	w := &wordSettings{stop: make(map[string]bool, len(settings.StopWords)), begun: map[string][]int{}}
	for _, word := range settings.StopWords {
		w.stop[analysis.Fold(strings.TrimSpace(word))] = true
	}
	for _, syn := range settings.Synonyms {
		from, to := textsOf(syn.From), textsOf(syn.To)
		if len(from) == 0 {
			from = textsOf(syn.Equivalent)
			to = from
		}
		for _, entry := range from {
			if len(entry.words) > 0 {
				w.begun[entry.words[0]] = append(w.begun[entry.words[0]], len(w.entries))
				w.entries = append(w.entries, synonymEntry{text: entry.text, to: to})
			}
		}
	}
	return w
}

func textsOf(written []string) []synonymText {
	texts := make([]synonymText, len(written))
	for i, text := range written {
		words := analysis.Texts(text)
		texts[i] = synonymText{written: text, text: strings.Join(words, " "), words: words}
	}
	return texts
}

// synonymsOf are the entries of which a query may have the words: those that begin as one of its terms does.
func (w *wordSettings) synonymsOf(q query.Query) (list []synonymEntry) {
	places := map[int]bool{}
	for _, clause := range q.Clauses {
		for _, raw := range clause.Any {
			if words := analysis.Texts(raw.Text); len(words) > 0 {
				for _, place := range w.begun[words[0]] {
					places[place] = true
				}
			}
		}
	}
	for _, place := range slices.Sorted(maps.Keys(places)) {
		list = append(list, w.entries[place])
	}
	return list
}
