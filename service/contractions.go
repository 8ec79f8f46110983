package service

import (
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/query"
)

// contractions are what English words end in after an apostrophe. All are stop words.
var contractions = []string{"s", "t", "d", "m", "ll", "re", "ve"}

// finishContractions tells of terms that end in a contraction that they do not go on: don't is not the beginning of don
// and words with t.
func finishContractions(clauses []query.Clause, language string) {
	if language != DefaultLanguage {
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
