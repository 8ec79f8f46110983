package service

import (
	"maps"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
)

// maxWordSettings bounds the prepared stop words and synonym entries of all indices, of some 250 bytes each. An index has at most 120,000.
const maxWordSettings = 1 << 20

// maxTermSynonyms bounds what a term is searched for besides itself: PostgreSQL ranks each found document by each
// of them, and a thousand for one word take a third of a second in 2,000 documents.
const maxTermSynonyms = 200

// wordSettings are the stop words and synonyms of an index, prepared for its queries: it may have ten thousand of each, and more
// words than can be looked up for a search.
type wordSettings struct {
	stop map[string]bool
	// entries are what synonyms are for, in the order of the settings; begun are the indexes of those that begin with a word.
	entries []synonymEntry
	begun   map[string][]int
}

// synonymEntry is an entry that a query may have, and what is searched for besides; to may include the entry itself.
type synonymEntry struct {
	synonymText
	to []synonymText
}

// synonym is what a term of a query is searched for besides itself, and the words of the query that it is for.
type synonym struct {
	synonymText
	of []string
}

type synonymText struct {
	written string
	text    string // the words; of what has none, as & and emoji, the whole
	words   []string
}

// textOf splits a synonym into words. One without words is compared as a whole.
func textOf(written string) synonymText {
	t := synonymText{written: written, words: analysis.Texts(written)}
	if t.text = strings.Join(t.words, " "); t.text == "" {
		t.text = analysis.Whole(analysis.Fold(written))
	}
	return t
}

// first returns the first word of the text, or the whole if it has no words.
func (t synonymText) first() string {
	if len(t.words) > 0 {
		return t.words[0]
	}
	return t.text
}

// wordSettings returns the prepared settings of ix, which it prepares once for each version.
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
	for _, written := range settings.StopWords {
		// In the form that it has in queries: inc. is inc, and C++ cplusplus. What they have as several words (don't) is no stop word.
		if words := analysis.Texts(written); len(words) == 1 {
			w.stop[words[0]] = true
		}
	}
	for _, syn := range settings.Synonyms {
		from, to := textsOf(syn.From), textsOf(syn.To)
		if len(from) == 0 {
			from = textsOf(syn.Equivalent)
			to = from
		}
		for _, entry := range from {
			first := entry.first()
			w.begun[first] = append(w.begun[first], len(w.entries))
			w.entries = append(w.entries, synonymEntry{synonymText: entry, to: to})
		}
	}
	return w
}

func textsOf(written []string) []synonymText {
	texts := make([]synonymText, len(written))
	for i, text := range written {
		texts[i] = textOf(text)
	}
	return texts
}

// synonymsOf returns the synonyms of each term of a query's clauses. The synonyms of an entry of several words belong to the
// consecutive terms that make it up, with or without signs between them: rock & roll is the words rock roll, however it was written.
func (w *wordSettings) synonymsOf(q query.Query) [][]synonym {
	var texts []string
	var places []int // of the terms; -1 separates terms that do not follow each other
	part := func() { texts, places = append(texts, ""), append(places, -1) }
	begun := map[int]bool{}
	var synonyms [][]synonym
	for _, c := range q.Clauses {
		for _, raw := range c.Any {
			if len(c.Any) > 1 {
				part()
			}
			text := textOf(raw.Text)
			var own []synonym // of a sign
			for _, place := range w.begun[text.first()] {
				if entry := w.entries[place]; len(text.words) > 0 {
					begun[place] = true
				} else if entry.text == text.text {
					own = entry.appendTo(own)
				}
			}
			if len(text.words) > 0 {
				texts, places = append(texts, text.text), append(places, len(synonyms))
			}
			synonyms = append(synonyms, own)
		}
		if len(c.Any) > 1 {
			part()
		}
	}
	for _, place := range slices.Sorted(maps.Keys(begun)) {
		entry := w.entries[place]
		for i := range texts {
			n := spans(texts[i:], entry.text)
			for _, of := range places[i : i+n] {
				synonyms[of] = entry.appendTo(synonyms[of])
			}
		}
	}
	return synonyms
}

// appendTo adds what an entry stands for to the synonyms of a term.
func (e synonymEntry) appendTo(synonyms []synonym) []synonym {
	for _, other := range e.to {
		if other.text != e.text && len(synonyms) < maxTermSynonyms {
			synonyms = append(synonyms, synonym{other, e.words})
		}
	}
	return synonyms
}

// spans returns how many of the first texts together are entry; 0 if they are not.
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
