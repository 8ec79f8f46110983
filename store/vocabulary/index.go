package vocabulary

import (
	"context"

	"github.com/rowansearch/rowan/store/sqltext"
)

// Index answers questions about the words of an index that its vocabulary alone cannot answer, because it does not know stems.
type Index interface {
	// Stems returns the stems of words; stop words have none.
	Stems(ctx context.Context, words []string) (map[string]string, error)
	// Counted returns a function that returns how many documents have a lexeme, if they were counted before, otherwise 0.
	Counted(ctx context.Context) (func(lexeme string) int64, error)
	// Count counts the documents with each of the lexemes.
	Count(ctx context.Context, lexemes []string) ([]int64, error)
	// Ask runs a statement and calls take with each row: an index from 1, a word, and the number of its documents.
	Ask(ctx context.Context, st sqltext.Statement, take func(place int, word string, documents int64)) error
}
