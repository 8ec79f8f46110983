package vocabulary

import (
	"context"

	"github.com/rowansearch/rowan/store/sqltext"
)

// Index is what is asked of an index for words that its vocabulary alone does not tell of. Vocabularies do not know stems.
type Index interface {
	// Stems are the stems of words; stop words have none.
	Stems(ctx context.Context, words []string) (map[string]string, error)
	// Counted returns a function that tells how many documents have a lexeme, as far as that was counted before; 0 of others.
	Counted(ctx context.Context) (func(lexeme string) int64, error)
	// Count counts the documents that have each of some lexemes.
	Count(ctx context.Context, lexemes []string) ([]int64, error)
	// Ask runs a statement, and calls take with each row: a place, a word, and how many documents have it.
	Ask(ctx context.Context, st sqltext.Statement, take func(place int, word string, documents int64)) error
}
