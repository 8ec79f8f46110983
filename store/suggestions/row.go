// Package suggestions is how completions of what is typed are found among the suggestions of an index, and how these are counted. It makes the
// statements, and runs none.
package suggestions

import (
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
)

// maxKey bounds what suggestions are told apart by, in letters: folding may lengthen them, and an
// entry of an index has its bounds.
const maxKey = 200

// Key is what suggestions are compared and found by.
func Key(value string) string {
	key := strings.Join(strings.Fields(analysis.Fold(value)), " ")
	if letters := []rune(key); len(letters) > maxKey {
		key = string(letters[:maxKey])
	}
	return key
}

// Distinct leaves out what a document gives in another spelling already.
func Distinct(values []string) []string {
	if len(values) < 2 {
		return values
	}
	var list []string
	seen := map[string]bool{}
	for _, v := range values {
		if key := Key(v); !seen[key] {
			seen[key] = true
			list = append(list, v)
		}
	}
	return list
}

// Row is a row of the suggestions of an index.
type Row struct {
	Value     string // as it is shown
	Documents int
	Spellings map[string]int // how often each; nil when Value is the only one
}

// Change adds n documents that spell it so.
func (s *Row) Change(value string, n int) {
	if s.Spellings == nil && (s.Documents == 0 || s.Value == value) {
		s.Value = value
		s.Documents += n
		return
	}
	if s.Spellings == nil {
		s.Spellings = map[string]int{s.Value: s.Documents}
	}
	s.Documents += n
	if s.Spellings[value] += n; s.Spellings[value] == 0 {
		delete(s.Spellings, value)
	}
}

// Settle chooses the spelling that is shown: the most frequent, then the first.
func (s *Row) Settle() {
	if s.Spellings == nil {
		return
	}
	best := ""
	for value, n := range s.Spellings {
		if m := s.Spellings[best]; best == "" || n > m || n == m && value < best {
			best = value
		}
	}
	s.Value = best
	if len(s.Spellings) == 1 {
		s.Spellings = nil
	}
}
