package vocabulary

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/table"
)

// A compound that no document has may be in documents as its parts, which need not be next to each other: Hundefutter as Futter für Hunde. So may a
// Korean word, in any language. Of several ways to split it, that with the most frequent parts counts (Koehn and Knight, 2003: by the mean of their
// frequencies).

// split is a way to split a word: one of the firsts, then one of the heads.
type split struct {
	firsts, heads []string
}

// splitting is a word that may be split.
type splitting struct {
	word   string
	splits []split
	// forms are words that mean the same, and beginning what such words begin with: if the index has one, the word is not split.
	forms     []string
	beginning string
}

// AddSplits adds the parts of those of the asked words that no document has in any form, and that are neither misspellings by one letter nor unfinished.
func (found *Found) AddSplits(ctx context.Context, ix Index, r table.Relations, asked service.AskedWords, language string) error {
	list, err := found.splittable(ctx, ix, asked, analysis.CompoundingOf(language))
	if err != nil || len(list) == 0 {
		return err
	}
	var words, beginnings []string
	for _, s := range list {
		words = append(words, s.forms...)
		for _, split := range s.splits {
			words = slices.Concat(words, split.firsts, split.heads)
		}
	}
	known, err := found.known(ctx, ix, r, words)
	if err != nil {
		return err
	}
	isKnown := func(word string) bool { return known[word] > 0 }
	for _, s := range list {
		if parts, ok := bestSplit(s.splits, known); ok && !slices.ContainsFunc(s.forms, isKnown) {
			if found.Split[s.word] = parts; s.beginning != "" {
				beginnings = append(beginnings, s.beginning)
			}
		}
	}
	begun, err := found.begunBy(ctx, ix, r, beginnings)
	for _, s := range list {
		if begun[s.beginning] {
			delete(found.Split, s.word)
		}
	}
	return err
}

// SplitSpelled settles which of the asked words are split that have another spelling: as that is, if the index has neither; not if it has that.
func (found *Found) SplitSpelled(asked []string, spelled map[string]string) {
	for i, other := range otherSpellings(asked, spelled) {
		parts, ok := found.Split[asked[other]]
		delete(found.Split, asked[other])
		near := slices.ContainsFunc(found.Near[i], func(n service.NearWord) bool { return n.Distance <= 1 })
		switch _, split := found.Split[asked[i]]; {
		case found.Documents[other] > 0:
			delete(found.Split, asked[i])
		case ok && !split && found.Documents[i] == 0 && !near:
			found.Split[asked[i]] = parts
		}
	}
}

// splittable returns the asked words that may be split, and how.
func (found *Found) splittable(ctx context.Context, ix Index, asked service.AskedWords, compounding *analysis.Compounding) (list []splitting, err error) {
	ends := map[string][]string{} // of each word, what may be its head
	var all []string              // words and ends
	for i, w := range asked.Words {
		korean := analysis.IsHangul(w)
		begun := w == asked.Prefix && len(found.Completions) > 0
		// What a Korean word begins with is close to it, but only a part of what it means.
		near := slices.ContainsFunc(found.Near[i], func(n service.NearWord) bool { return n.Distance <= 1 && !(korean && strings.HasPrefix(w, n.Word)) })
		switch {
		case found.Documents[i] > 0 || begun || near:
		case korean:
			list = append(list, splittingKorean(w, asked.Gone))
		case compounding != nil:
			ends[w] = compounding.Ends(w)
			all = append(append(all, w), ends[w]...)
		}
	}
	if len(all) == 0 {
		return list, nil
	}
	stems, err := ix.Stems(ctx, all)
	for w, ends := range ends {
		s := splitting{word: w}
		if !slices.Contains(asked.Gone, w) { // the vocabulary still has what is gone
			s.forms = compounding.HeadForms(w, stems[w])
		}
		for _, end := range ends {
			if firsts, heads := compounding.FirstParts(w[:len(w)-len(end)], stems[end]), compounding.HeadForms(end, stems[end]); len(firsts) > 0 && len(heads) > 0 {
				s.splits = append(s.splits, split{firsts, heads})
			}
		}
		list = append(list, s)
	}
	return list, err
}

// splittingKorean returns how a Korean word may be split: between any of its syllables, the second part with or without a particle.
func splittingKorean(word string, gone []string) splitting {
	s := splitting{word: word}
	if !slices.Contains(gone, word) {
		s.beginning = analysis.WithoutParticle("", word)
	}
	for at := range word {
		if first, head := word[:at], word[at:]; utf8.RuneCountInString(first) >= leastNoun && utf8.RuneCountInString(head) >= leastNoun {
			s.splits = append(s.splits, split{[]string{first}, []string{head, analysis.WithoutParticle("", head)}})
		}
	}
	return s
}

// bestSplit returns the parts in the most documents, if documents have both.
func bestSplit(splits []split, documents map[string]int64) (parts [2]string, ok bool) {
	most := func(words []string) (best string) {
		for _, word := range words {
			if documents[word] > documents[best] {
				best = word
			}
		}
		return best
	}
	var product float64
	for _, s := range splits {
		first, head := most(s.firsts), most(s.heads)
		if both := float64(documents[first]) * float64(documents[head]); both > product {
			parts, product = [2]string{first, head}, both
		}
	}
	return parts, product > 0
}
