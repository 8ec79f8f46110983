// Package suggestions makes the statements that find completions of a query's beginning among the suggestions of an index, and counts these. It runs
// no statement.
package suggestions

import (
	"strings"

	"github.com/rowansearch/rowan/service/analysis"
)

// maxKey bounds the letters of a suggestion's key: folding may make the value longer, and the entries of a PostgreSQL index are limited in size.
const maxKey = 200

// Key returns the key by which a suggestion is compared and found.
func Key(value string) string {
	key := strings.Join(strings.Fields(analysis.Fold(value)), " ")
	if letters := []rune(key); len(letters) > maxKey {
		key = string(letters[:maxKey])
	}
	return key
}

// Distinct returns the values without those that are only other spellings of earlier ones.
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
	Value     string // as shown
	Documents int
	Spellings map[string]int // with the number of documents of each; nil if Value is the only one
}

// Change adds n documents with this spelling.
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

// Settle chooses the spelling that is shown: the most frequent, then the alphabetically first.
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
