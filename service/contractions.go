package service

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
)

// finished reports whether the last word of a term cannot go on: there is none, or a character that is part of no
// word follows it (what is it?), or a sign ends it (C++).
func finished(raw query.Term) bool {
	words := analysis.Words(raw.Text)
	if len(words) == 0 {
		return true
	}
	last := words[len(words)-1]
	return last.End < len(raw.Text) || analysis.HasSign(last.Text) && !strings.HasSuffix(strings.ToLower(raw.Text), last.Text)
}

// beginning returns the words of a term whose last one may go on, that one as far as it is typed; none if it cannot go on.
func beginning(raw query.Term) []string {
	switch {
	case !raw.Prefix:
		return nil
	case finished(raw):
		return analysis.SignBegun(raw.Text)
	}
	return analysis.Texts(raw.Text)
}

// isPossessive reports whether a term is an English word with 's. Stemmed fields drop the s, as a stop word; in names, the term would ask for a phrase.
func isPossessive(raw query.Term, language string) bool {
	if language != english || raw.Phrase || len(raw.Text) < 3 {
		return false
	}
	text := strings.ToLower(raw.Text)
	return (strings.HasSuffix(text, "'s") || strings.HasSuffix(text, "’s")) && len(analysis.Words(raw.Text)) > 1
}

// contractions are the endings of English words after an apostrophe. All are stop words.
var contractions = []string{"s", "t", "d", "m", "ll", "re", "ve"}

// finishContractions clears Prefix of terms that end in a contraction: don't is not the beginning of don and words with t.
func finishContractions(clauses []query.Clause, language string) {
	if language != english {
		return
	}
	for _, clause := range clauses {
		for i, term := range clause.Any {
			at := strings.LastIndexAny(term.Text, "'’")
			if at <= 0 || !term.Prefix {
				continue
			}
			ending := strings.TrimLeft(term.Text[at:], "'’")
			if slices.Contains(contractions, strings.ToLower(ending)) {
				clause.Any[i].Prefix = false
			}
		}
	}
}
