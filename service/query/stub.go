// STAND-IN by the lead so that the tree compiles: the helper who writes this package deletes this file.
package query

import "strings"

type Query struct {
	Clauses     []Clause
	Excluded    []Term
	Text, Whole string
}
type Clause struct{ Any []Term }
type Term struct {
	Text           string
	Phrase, Prefix bool
	Start, End     int
}

func Parse(s string) Query {
	q := Query{Text: s, Whole: strings.TrimSpace(s)}
	f := strings.Fields(s)
	for i, w := range f {
		q.Clauses = append(q.Clauses, Clause{[]Term{{Text: w, Prefix: i == len(f)-1 && !strings.HasSuffix(s, " ")}}})
	}
	return q
}
