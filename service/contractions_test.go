package service

import (
	"testing"

	"github.com/rowansearch/rowan/service/query"
)

func TestContractionsDoNotGoOn(t *testing.T) {
	t.Parallel()
	for text, goesOn := range map[string]bool{
		"don't": false, "women’s": false, "she'll": false, "I'M": false, "o'n": true, "o'neil": true, "rock'n": true, "'t": true, "t": true, "dont": true, "it's a": true, "don't s": true,
	} {
		q := query.Parse(text)
		finishContractions(q.Clauses, "english")
		last := q.Clauses[len(q.Clauses)-1]
		if got := last.Any[len(last.Any)-1].Prefix; got != goesOn {
			t.Errorf("%s goes on: %t", text, got)
		}
	}
	q := query.Parse("l'a d't")
	finishContractions(q.Clauses, "french")
	if !q.Clauses[1].Any[0].Prefix {
		t.Error("French words after an apostrophe do not go on")
	}
}
